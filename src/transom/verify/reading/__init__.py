"""Results as others write them, read into values with bounds. Nothing in a file is trusted."""
