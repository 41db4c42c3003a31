cimport cython

# Constants of the source, which are numbers of C here
cdef double CONTENT_COST, CONTENT_MAX, LINK_WEIGHT, DECLARED_SHARE, SOFT_SHARE, TITLED_SHARE, TITLED_TAG_SHARE
cdef double BEFORE_TITLE, NEAR_TITLE, PROSE_BEFORE_COMMENTS, COMMENTS_SHARE, PROSE_LINE
cdef double PROSE_WIDTH, PROSE_LINKED, PROSE_MAX
cdef double LINK_FREE, LINK_SLOPE, LINK_LEAST
cdef Py_ssize_t TITLE_MIN, TITLE_MAX, NEAR_LINES, LINK_WINDOW, DECLARED
cdef tuple BODY_FACTOR, NOISE_FACTOR
cdef str OPENING_SIGNS


@cython.locals(line=Py_ssize_t, bytes_=double, links=double, amount=double, found=list)
cpdef list unlinked_bytes(list width, list linked)

cpdef str fold_title(str text)

@cython.locals(
    wanted=list, longest=Py_ssize_t, raw=str, openings=list, best=double, found=Py_ssize_t, line=Py_ssize_t, text=str,
    lowered=str, opening=str, start=str, folded=str, score=double, place=Py_ssize_t, bytes_=double, links=double,
)
cpdef tuple best_title(list texts, list titles, list width, list linked, list tags, list places)

@cython.locals(best=double, size=double, length=double, score=double, title=str)
cdef double _likeness(str line, list titles) except? -1

@cython.locals(
    total=double, own=list, noise=list, body=list, context=list, factors=list, number=Py_ssize_t, path=Py_ssize_t,
    parent=Py_ssize_t, named_body=int, level=int, amount=double, around=double, inherited_body=int,
    inherited_noise=int, kept_noise=int, kept_body=int, tag=str, soft=bint,
)
cpdef tuple named_factors(list paths, list above, list tags, list roles, list amounts, set titled)

@cython.locals(
    count=Py_ssize_t, result=list, sum_width=double, sum_linked=double, line=Py_ssize_t, bytes_=double, links=double,
    factor=double, named=double, place=Py_ssize_t,
)
cpdef list line_factors(list factors, list places, list width, list linked, Py_ssize_t title, bint surely)

@cython.locals(line=Py_ssize_t, whole=double, before=double, bytes_=double, amount=double)
cpdef Py_ssize_t prose_before_comments(list width, list plain, Py_ssize_t start) except -2

@cython.locals(found=list, line=Py_ssize_t, bytes_=double, links=double, amount=double)
cpdef list prose_widths(list width, list linked)
