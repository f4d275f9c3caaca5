"""What runs the steps: one engine for one machine, with room for others beside it."""
