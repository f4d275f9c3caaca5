"""PAGES to BAGS: every page, fetched or only linked to, as a bag of weighted terms."""
