"""Page designs around the bodies of stored articles: of parts (`parts`) and written as templates (`written`)."""
