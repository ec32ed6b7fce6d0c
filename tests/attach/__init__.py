"""People's terminals on panes: what they see, what they may send, and that they leave no trace behind."""
