"""Bundles and machine images: every byte of a node, packed for sites and platforms."""
