cimport cython

# Constants of the source, which are numbers of C here
cdef double WRAPPER_SHARE, NAMED_SHARE
cdef int OUTSIDE, NOISE_ELEMENT, COMMENTS, NAMED_NOISE, CAPTION, IN_SEGMENT, IN, OUT
cdef int STRONG, LISTING, CELLS, CONTENT
cdef int COMMENTED, CAPTIONED, EMBEDDED


@cython.locals(
    paths=list, above=list, tags=list, families=list, marks=list, classes=list, family=Py_ssize_t, standing=list,
    below=list, number=Py_ssize_t, place=Py_ssize_t, path=Py_ssize_t, known=dict, passed=int,
)
cpdef list standing_of_paths(object outline, object trie, Py_ssize_t root, list shares, list noise, list usual)

@cython.locals(
    way=list, own=list, result=int, path=Py_ssize_t, key=Py_ssize_t, tag=str, mark=int, evidence=int, step=Py_ssize_t,
)
cdef int _climbed(
    Py_ssize_t number, int passed, Py_ssize_t family, list paths, list above, list tags, list families, list marks,
    list classes, list shares, list noise, dict known
) except -2

cdef int _evidence(str tag, int mark, int passed, int noise, double share, str classes) except -2

cpdef list standing_of_lines(list standing, list places)
