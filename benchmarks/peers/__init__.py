"""Other ways to find related pages, each in a module of its own, run as a process of its own and judged alike."""
