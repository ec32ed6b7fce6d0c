"""The keeper, with real processes and real terminals."""
