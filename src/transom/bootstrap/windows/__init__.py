"""Files that boot data carries to a machine as they are; read as text, never imported."""
