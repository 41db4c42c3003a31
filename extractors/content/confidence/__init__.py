"""Confidence: the probability that a text is right, learned from pages whose text is known.

    body, probabilities of the lines, what else is known of the page → 34 numbers    `trust`
    numbers → probability that the text is right                                     weights in `weights.json`

The training is `python -m evaluation.judgement DATA`; what was learned is described in MODEL_CARD.md.
"""

from .trust import SHOWN, Known, Trust, known_of, trust_of, using

__all__ = ["SHOWN", "Known", "Trust", "known_of", "trust_of", "using"]
