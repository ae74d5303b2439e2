"""The actions of `transom image` that make images of machines, one module each."""
