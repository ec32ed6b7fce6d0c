"""What a host keeps on disk."""
