cimport cython
cimport libc.math as math

# Constants of the source, which are numbers and characters of C here
cdef int IN, IN_SEGMENT
cdef Py_UCS4 FIRST_HAN, LAST_HAN
cdef Py_ssize_t PER_LINE, HIDDEN, NEAR
cdef double LEAST_SUM, BODY, SURE, LEAST_WIDTH, MOST_WIDTH


@cython.locals(
    found=list, text=str, shared=Py_ssize_t, word=str, length=Py_ssize_t, chinese=bint, start=Py_ssize_t,
    end=Py_ssize_t, matches=bint,
)
cpdef list shared_characters(list texts, list title, object cut)

cdef bint _is_han(Py_UCS4 sign) noexcept

cdef Py_ssize_t _run_start(str text, Py_ssize_t place) except -1

cdef Py_ssize_t _run_end(str text, Py_ssize_t place) except -1

cdef bint _is_whole(str text, Py_ssize_t start, Py_ssize_t end) except -1

cdef bint _goes_on(Py_UCS4 sign) noexcept

@cython.locals(found=list, line=Py_ssize_t, y=double, z=double, s=double)
cpdef list numbers_of_lines(list widths, list linked, list relevance)

@cython.locals(
    found=list, start=Py_ssize_t, place=Py_ssize_t, total=double, unit=Py_ssize_t, amount=double, number=Py_ssize_t,
    value=double, weight=double,
)
cpdef list outputs_of_lines(
    list own, list before, list after, list hidden, list thresholds, list output, double output_threshold
)

cdef double _logsig(double value) noexcept

@cython.locals(found=list, line=Py_ssize_t, output=double, width=double)
cpdef list evidence_of_lines(list outputs, list widths)

@cython.locals(found=list, line=Py_ssize_t, output=double, width=double, factor=double)
cpdef list content_of_lines(list outputs, list widths, list factors, Py_ssize_t head, Py_ssize_t tail)

@cython.locals(
    found=list, line=Py_ssize_t, end=Py_ssize_t, total=double, amount=double, boxed=Py_ssize_t, output=double,
)
cpdef list lines_below(
    list standing, list outputs, list evidence, list headings, Py_ssize_t head, Py_ssize_t tail
)

@cython.locals(line=Py_ssize_t)
cpdef list with_headings(list kept, list below, list headings)

@cython.locals(found=list, line=Py_ssize_t, first=Py_ssize_t)
cpdef list headings_near(list kept, list headings, Py_ssize_t head, Py_ssize_t tail)
