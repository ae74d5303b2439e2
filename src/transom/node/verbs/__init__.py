"""What the node program is asked for by name: each verb reads a request and answers with a document."""
