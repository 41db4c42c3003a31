cimport cython

# Constants of the source, which are numbers of C here
cdef int CONTROLS, REFERENCES, C1, ALL
cdef Py_ssize_t BLOCK, STRIDE
cdef int FIRST_ALLOWED, LAST_ALLOWED, NOT_CONTROLS
cdef bytes KINDS_OF_BYTES


@cython.locals(
    signs=cython.p_uchar, end=Py_ssize_t, begin=Py_ssize_t, stop=Py_ssize_t, found=int, place=Py_ssize_t,
    byte=cython.uchar, controls=cython.uchar, references=cython.uchar, c1=cython.uchar,
)
cpdef int needs(bytes data) except -1

@cython.locals(
    signs=cython.p_uchar, end=Py_ssize_t, begin=Py_ssize_t, stop=Py_ssize_t, place=Py_ssize_t, seen=cython.uchar,
    second=cython.uchar, third=cython.uchar, name=cython.uchar,
)
cpdef Py_ssize_t first_end(bytes data) except -2

@cython.locals(base=int, value=int, byte=int)
cdef bint _may_be_control(unsigned char* signs, Py_ssize_t place, Py_ssize_t end) noexcept

@cython.locals(
    kinds=cython.p_uchar, signs=cython.p_uchar, end=Py_ssize_t, start=Py_ssize_t, place=Py_ssize_t, name=Py_ssize_t,
    count=Py_ssize_t,
)
cpdef bint has_overfull_tag(bytes data, Py_ssize_t most) except -1

@cython.locals(ahead=Py_ssize_t, seen=cython.uchar)
cdef Py_ssize_t _next_bracket(unsigned char* signs, Py_ssize_t place, Py_ssize_t end) noexcept

@cython.locals(value=Py_ssize_t, begin=Py_ssize_t, sign=int)
cdef Py_ssize_t _after_value(
    unsigned char* signs, unsigned char* kinds, Py_ssize_t place, Py_ssize_t end
) noexcept
