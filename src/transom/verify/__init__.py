"""Results of tests over time: read, kept, judged, shown. Prints nothing."""
