"""BAGS to SIGNATURES: how alike two bags are, in a few hundred bytes."""
