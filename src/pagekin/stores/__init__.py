"""The only code that knows what an index looks like on disk; each store has a page in docs/formats/."""
