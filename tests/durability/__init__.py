"""What the next host, or the host after a reboot, has of panes, records, tickets and screens."""
