"""The actions of `transom bundle`, one module each."""
