"""Methods `bp-network` and `bp-network-verbatim`: a small neural network classifies each line by 12 numbers.

Source: 000, An, Wang, Xu, 基于机器学习的网页正文提取方法 (An approach based on machine learning for information
extraction), 2010. Its steps, and the modules that implement them:

    page → text lines                                      `lines`, as for every method
    title of the page, words, relevance of a line to it    `words`
    length, characters, density, relevance; 12 inputs      `features`
    marked training pages                                  `labelled_pages`
    back-propagation, 12-5-1                               `network`
    training                                               `train`: python -m extractors.methods.bp_network.train DIR
    body = the lines that the network takes for it         `extractor`

MODEL_CARD.md describes the weights that are shipped; `EXEMPLAR_BP_WEIGHTS` names a file of your own.
"""
