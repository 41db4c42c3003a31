"""The methods, one folder each: extractor, verbatim form and figure; `extractors.registry` names them."""
