"""Packer templates that build images of Windows nodes, made from recipe and lock. Pure: files come out as bytes."""
