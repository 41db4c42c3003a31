"""Which addresses may be contacted, how large a response may be, where secrets are sent."""
