"""From rows to outputs: file outputs and their waits, the queue of rows for servers, their delivery, refused rows."""
