"""The Web's encodings, as the WHATWG Encoding Standard has them, without its order of evidence (see `..decoding`).

`labels` (what pages write → the standard's names) · `decoders` (bytes → text, with `differences` from Python's codecs)
· `declaration` (what a page says of itself) · `guess` (what its bytes look like).
"""
