"""BAGS and links -> CONCEPTS: every page as a short vector of what the crawl itself shows to belong together."""
