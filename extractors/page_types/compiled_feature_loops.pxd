cimport cython

cdef double PROSE_LINE, LIMIT, BEND_SCALE  # constants of the source, which are numbers of C here


@cython.locals(
    first=Py_ssize_t, last=Py_ssize_t, is_kept=list, line=Py_ssize_t, before=Py_ssize_t, entries=Py_ssize_t,
    among=Py_ssize_t, linked_headings=Py_ssize_t, prose_lines=Py_ssize_t, total=double, unlinked=double,
    linked_within=double, width_within=double, longest=double, bytes_=double, inside=double, link=bint, stays=bint,
)
cpdef tuple body_amounts(list width, list linked, list links, list headings, list kept)

@cython.locals(
    line=Py_ssize_t, bytes_=double, inside=double, outside=double, all_bytes=double, all_linked=double,
    all_plain=double, plain_prose=double, link=bint, link_count=Py_ssize_t, prose_count=Py_ssize_t,
    heading_count=Py_ssize_t, linked_headings=Py_ssize_t, entry_count=Py_ssize_t,
)
cpdef tuple sums_of_lines(
    list width, list linked, list plain, list links, list prose, list headings, list entries, Py_ssize_t start,
    Py_ssize_t end
)

@cython.locals(
    start=Py_ssize_t, end=Py_ssize_t, low_at=Py_ssize_t, line=Py_ssize_t, total=double, low=double, best=double,
    weight=double,
)
cpdef tuple densest_run(list weights)

@cython.locals(
    found=double, slopes=list, number=Py_ssize_t, bend=Py_ssize_t, value=double, middle=double, width=double,
    weight=double, scaled=double, knot=double,
)
cpdef double sum_of_contributions(list values, list mean, list scale, list knots, list weights) except? -1
