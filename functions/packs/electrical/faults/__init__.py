"""What the capabilities about faults share: what a question changes, and how results are shown."""
