cimport cython

# Constants of the source, which are numbers of C here
cdef Py_ssize_t FUZZY_GAP
cdef double BARREN, BARREN_FACTOR, SURROUNDING_WIDTH


@cython.locals(
    here=Py_ssize_t, there=Py_ssize_t, gaps=list, start=Py_ssize_t, start_there=Py_ssize_t, count=Py_ssize_t,
    last=Py_ssize_t, last_there=Py_ssize_t,
)
cpdef list match_runs(object runs, Py_ssize_t example_start, Py_ssize_t page_start, list example, list page)

@cython.locals(
    fertile=list, factors=list, number=Py_ssize_t, around=bint, known=bint, part=double, path=object,
)
cpdef list place_factors(list paths, list above, dict share, dict holds)

@cython.locals(place=Py_ssize_t)
cpdef list at_places(list amounts, list places)

@cython.locals(of_paths=list, place=Py_ssize_t)
cpdef list usual_lines(list signatures, list places, dict usual)

@cython.locals(line=Py_ssize_t)
cpdef list with_partner(list lines, list similarity)

@cython.locals(
    amounts=list, total=double, place=Py_ssize_t, weight=double, alike=double, amount=double, by_signature=dict,
    by_leaf=dict, share=double, before=double,
)
cpdef tuple markup_shares(list kept, list weights, list signatures, list leaves, list similarity)

@cython.locals(body=set, found=list, line=Py_ssize_t, width=double)
cpdef list short_around(list widths, list similarity, list kept)
