"""The node program on a host: brought, asked, run, followed, and whose its folder is."""
