"""The explanation of an extraction: each line of the page with its decision and reason, each value with its place.

    from extractors import Section
    from extractors.explanation import explain

    explanation = explain(Section(example), page, url)
    for line in explanation.lines:
        print(line.number, line.decision, line.reason, line.text)

The extraction runs as always and notes its steps (`tracing`); the explanation is derived from these steps, that is from
the arrays that the methods themselves computed. `values` contains the result's types; `lines` and `fields` interpret
the steps.
"""

from .explain import comparable_methods, explain
from .line_decisions import lines_in
from .values import DECISIONS, Decision, ExplainedField, ExplainedLine, Explanation, FieldCandidate, Ground, LineCurves

__all__ = [
    "DECISIONS",
    "Decision",
    "ExplainedField",
    "ExplainedLine",
    "Explanation",
    "FieldCandidate",
    "Ground",
    "LineCurves",
    "comparable_methods",
    "explain",
    "lines_in",
]  # fmt: skip
