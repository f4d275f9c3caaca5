"""Captures to PAGES and LEXICON: HTML is read once, here, and never again."""
