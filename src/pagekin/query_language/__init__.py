"""What a person types to find pages by their words, as a tree."""
