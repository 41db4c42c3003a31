"""What processes report: that they are alive, what a worker is doing, which problems are present."""
