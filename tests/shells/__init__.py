"""Shell integration with real shells on real terminals: what their marks tell, and that their users notice nothing."""
