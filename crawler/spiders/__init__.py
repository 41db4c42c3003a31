"""The spiders. Requests of `section.py` are in `example.py`, `lists.py`, `articles.py`; `answers.py` reads for all."""
