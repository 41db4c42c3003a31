"""The Web's encodings, as the WHATWG Encoding Standard defines them; the order of evidence is in `..decoding`.

`declaration` (the encoding that a page declares; what pages write → the standard's names) · `decoders` (bytes → text) ·
`guess` (the one that fits its bytes).
"""
