"""Fleet and facts resolved into what one host needs, or a refusal with every reason."""
