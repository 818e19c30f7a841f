"""A cart, small enough to check its coverage by hand."""
