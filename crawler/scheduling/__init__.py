"""When tasks are due, who fires them, and who runs them."""
