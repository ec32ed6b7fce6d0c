"""What a wait answers, with real hosts, terminals and programs."""
