"""The k documents that have most of several kinds of evidence, found with few looks at each kind."""
