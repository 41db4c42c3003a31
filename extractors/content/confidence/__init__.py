"""Confidence: the probability that a text is right, learned from pages whose text is known.

    body, probabilities of the lines, what else is known of the page → 30 numbers    `doubts`
    numbers → probability that the text is right                                     `trust`, weights in `weights.json`

The training is `python -m evaluation.judgement DATA`; what was learned is described in MODEL_CARD.md.
"""

from .doubts import Known, known_of
from .trust import SHOWN, Trust, trust_of, using

__all__ = ["SHOWN", "Known", "Trust", "known_of", "trust_of", "using"]
