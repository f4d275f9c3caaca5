"""Pages that are cited together: link blocks, the pairs of links in them, and how they add up (Shen et al.)."""
