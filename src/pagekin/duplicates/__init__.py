"""Pages that are copies of others, word for word or nearly: PAGES -> SKETCHES -> RESEMBLANCES -> DUPLICATES."""
