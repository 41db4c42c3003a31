"""The methods, one file or folder each; `extractors.registry` names them."""
