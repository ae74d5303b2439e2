"""Work on one host: what is known of it, what is learnt on the way, and the turns of its phases."""
