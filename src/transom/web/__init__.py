"""Pages: one HTML file each, with style and parts that they share. No page loads anything from elsewhere."""
