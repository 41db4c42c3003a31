"""The Web's encodings, as the WHATWG Encoding Standard defines them; the order of evidence is in `..decoding`.

`labels` (what pages write → the standard's names) · `decoders` (bytes → text, with `differences` from Python's codecs)
· `declaration` (the encoding that a page declares) · `guess` (the one that fits its bytes).
"""
