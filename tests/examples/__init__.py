"""The examples do what they say, each by itself."""
