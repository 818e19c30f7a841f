"""A small order and billing engine: order text in, invoice out."""
