"""The tools that a model sees: one file per family of verbs, one row per tool in `table`."""
