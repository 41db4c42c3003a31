"""Title, dates, author, language, canonical URL: as declared, as shown, as the address has them."""
