"""The classification of pages as articles or lists, from their lines, head and URL; no browser.

Source 003 (Qin Long et al., I-AWCE) derives the type from a screenshot; this classifier is our own alternative. Figures
are in docs/methods-page-types.md. The steps, and the modules that implement them:

    text lines → 85 numbers             `line_features`, by the signs in `words`
    what the page declares → numbers    `head_features`
    URL, and URLs of links → numbers    `addresses`
    the rules' body → 12 numbers        `features`, which joins all
    numbers → log odds                  `model`
    URL, title, types → 16 signs        `head_features`
    log odds → article, list, uncertain `classify`, `reasons`
    log odds of each kind → page type   `classify.kinds_of`
MODEL_CARD.md describes the trained models; `evaluation.page_type_training` trains them.
"""
