cimport cython

cdef double PROSE_LINE, LIMIT, BEND_SCALE  # constants of the source, which are numbers of C here


@cython.locals(
    first=Py_ssize_t, last=Py_ssize_t, is_kept=list, line=Py_ssize_t, before=Py_ssize_t, entries=Py_ssize_t,
    among=Py_ssize_t, linked_headings=Py_ssize_t, prose_lines=Py_ssize_t, total=double, unlinked=double,
    linked_within=double, width_within=double, longest=double, bytes_=double, inside=double, link=bint, stays=bint,
)
cpdef tuple body_amounts(list width, list linked, list links, list headings, list kept)

@cython.locals(
    found=double, slopes=list, number=Py_ssize_t, bend=Py_ssize_t, value=double, middle=double, width=double,
    weight=double, scaled=double, knot=double,
)
cpdef double sum_of_contributions(list values, list mean, list scale, list knots, list weights) except? -1
