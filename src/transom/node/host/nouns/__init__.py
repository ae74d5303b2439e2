"""What may be asked of a Windows host, one narrow protocol per noun; `transom.node.host.protocols` puts them together."""
