"""A truth made by people and a way of ranking pages -> how well the two agree."""
