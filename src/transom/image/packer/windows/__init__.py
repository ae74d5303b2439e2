"""Scripts that an image build runs on the machine, as they are; read as text, never imported."""
