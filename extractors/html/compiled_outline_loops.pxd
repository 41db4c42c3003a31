cimport cython

cdef double SENTENCE, LINKED_PARAGRAPH, LINKED_LINE, LINKED_BYTES, ROUNDING, TITLE_LINKED  # constants of the source, which are numbers of C here


@cython.locals(numbers=dict, paths=list, above=list, places=list, way=list, path=int, last=int, place=int, left=Py_ssize_t)
cpdef tuple number_paths(list parents, list line_paths)

@cython.locals(line=Py_ssize_t, place=Py_ssize_t, sums=list, amount=double, before=double)
cpdef list direct_sums(list places, list amounts, Py_ssize_t count)

@cython.locals(number=Py_ssize_t, place=Py_ssize_t, amount=double, before=double)
cpdef list gathered(list above, list sums)

@cython.locals(sums=dict, numbers=list, shares=list, number=Py_ssize_t, path=Py_ssize_t, amount=double, before=double, whole=double)
cpdef list family_shares(list families, list paths, list totals)

@cython.locals(are=list, place=Py_ssize_t)
cpdef list in_tags(list tags, list places, object chosen)

@cython.locals(found=list, line=Py_ssize_t, bytes_=double, links=double, limit=double)
cpdef list linked_lines(list width, list linked, list paragraphs)

@cython.locals(
    whole=list, linked=list, line=Py_ssize_t, text=str, size=double, width=double, inside=Py_ssize_t, amount=double
)
cpdef tuple bytes_of(list texts, list link_chars, list widths)

@cython.locals(found=double, line=Py_ssize_t, bytes_=double, links=double)
cpdef double prose_bytes(list width, list linked) except? -1

@cython.locals(
    found=list, line=Py_ssize_t, bytes_=double, links=double, titled=bint, before=bint, follows=bint, teaser=bint
)
cpdef list teaser_lines(list continued, list paths, list width, list linked)

@cython.locals(found=list, line=Py_ssize_t, text=str)
cpdef list short_lines(list texts, object lines, Py_ssize_t longest)

@cython.locals(found=list, word=str)
cpdef list words_in(str text, list words)

@cython.locals(found=list, line=Py_ssize_t, lowered=str, word=str)
cpdef list lines_with(list texts, list lines, list words)
