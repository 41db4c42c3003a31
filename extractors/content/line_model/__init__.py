"""A second opinion on which lines are body: learned from labelled pages, applied after the rules.

    lines, priors, a body → 97 numbers a line             `line_columns`, `regions`, `cohesion`
    numbers → probability that a line is body             `trees`, weights in `articles.json`, `any-kind.json`
    … of an article: a second reading                     `context`, weights in `articles-context.json`
    rules' body and probabilities → body, expected F1     `opinion`, `expected_f1`

The training is `python -m evaluation.line_model DATA`; what was learned is described in MODEL_CARD.md.
"""
