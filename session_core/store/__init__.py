"""What a host keeps on disk: the newest output of each pane. It decides nothing."""
