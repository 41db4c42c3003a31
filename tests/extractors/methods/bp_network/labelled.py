"""A folder of labelled pages, made by hand from invented stories."""

from ...pages import BAKERY, HARBOUR, LIBRARY, news_page

STORIES = {"Tides of the harbour": HARBOUR, "Bread in the old town": BAKERY, "A library on wheels": LIBRARY}


def write_folder(folder):
    """Write three pages of the Gazette with their texts; return the folder."""
    for number, (title, paragraphs) in enumerate(STORIES.items()):
        (folder / f"page{number}.html").write_text(news_page(title, paragraphs), "utf-8")
        (folder / f"page{number}.txt").write_text("\n\n".join(paragraphs), "utf-8")
    return folder
