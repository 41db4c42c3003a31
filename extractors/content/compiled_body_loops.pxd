cimport cython

# Constants of the source, which are numbers of C here
cdef double CONTENT_COST, CONTENT_MAX, LINKS, CODE_WEIGHT, LINE_COST, MATCH_WEIGHT, MATCH_COST
cdef double FOREIGN_WEIGHT, FOREIGN_ROOT_WEIGHT, REPEATED, ROOT_SHARE


@cython.locals(found=list, line=Py_ssize_t, bytes_=double, links=double, alike=double, weight=double)
cpdef list line_weights(list width, list linked, list similarity)

@cython.locals(found=list, line=Py_ssize_t, factor=double, other=double)
cpdef list known_factors(list factors, list places, list by_path)

@cython.locals(found=list, line=Py_ssize_t, weight=double, factor=double, usual=double)
cpdef list segment_weights(list weights, list known, list familiarity)

@cython.locals(
    total=double, least=double, best=double, start=Py_ssize_t, head=Py_ssize_t, tail=Py_ssize_t, line=Py_ssize_t,
    weight=double,
)
cpdef tuple turning_points(list weights)

@cython.locals(found=list, line=Py_ssize_t, factor=double)
cpdef list line_content(
    list width, list linked, list similarity, list code, list known, Py_ssize_t head, Py_ssize_t tail
)

@cython.locals(amount=double)
cdef double _content(double bytes_, double links, double alike, bint code) except? -1

@cython.locals(head=Py_ssize_t, tail=Py_ssize_t, total=double, line=Py_ssize_t)
cpdef double new_content(list width, list linked, list similarity, list code) except? -1

@cython.locals(foreign=bint, found=list, line=Py_ssize_t, amount=double, usual=double)
cpdef list root_content(list content, list familiarity)

@cython.locals(
    best=Py_ssize_t, deepest=Py_ssize_t, most=double, number=Py_ssize_t, share=double, depth=Py_ssize_t, amount=double,
)
cpdef Py_ssize_t deepest_fit(list paths, list depths, list shares, list own) except -2

@cython.locals(above=Py_ssize_t)
cpdef Py_ssize_t climb(list tags, list parents, Py_ssize_t root) except -2

@cython.locals(found=double, number=Py_ssize_t, amount=double, path=Py_ssize_t)
cpdef double amount_beside(
    list paths, list direct, list tags, list parents, Py_ssize_t root, Py_ssize_t above
) except? -2

@cython.locals(step=Py_ssize_t, above=Py_ssize_t)
cpdef Py_ssize_t out_of_parts(list tags, list parents, Py_ssize_t root) except -2

@cython.locals(found=list, line=Py_ssize_t, alike=double, place=Py_ssize_t, amount=double)
cpdef list repeated_elsewhere(
    list similarity, list places, list direct, double least, list signatures, frozenset main
)
