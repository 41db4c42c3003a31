"""From rows to outputs: file outputs and their back-off, the row queues of other outputs, delivery, refused rows."""
