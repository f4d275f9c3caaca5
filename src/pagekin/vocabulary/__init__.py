"""Which word forms of a lexicon a wildcard, fuzzy, phonetic or n-gram term stands for: a pattern -> words."""
