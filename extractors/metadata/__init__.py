"""Title, dates, author, language, canonical URL: as declared, as shown on the page, and from the URL."""
