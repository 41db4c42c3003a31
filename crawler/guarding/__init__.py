"""What may be contacted, what an answer may cost, and what of ours goes where."""
