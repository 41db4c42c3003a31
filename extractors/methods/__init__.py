"""The methods, a folder each: extractor, verbatim form and figure (`i_awce` has only an extractor, in one file)."""
