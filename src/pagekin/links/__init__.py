"""Which pages stand near one another by links: who links to whom, and how much two neighbourhoods share."""
