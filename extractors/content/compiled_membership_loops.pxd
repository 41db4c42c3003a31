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
cpdef list standing_of_paths(object outline, object trie, Py_ssize_t root, list shares, list noise, frozenset strong)

@cython.locals(
    way=list, own=list, result=int, path=Py_ssize_t, key=Py_ssize_t, tag=str, mark=int, evidence=int, step=Py_ssize_t,
)
cdef int _climbed(
    Py_ssize_t number, int passed, Py_ssize_t family, list paths, list above, list tags, list families, list marks,
    list classes, list shares, list noise, dict known
) except -2

cdef int _evidence(str tag, int mark, int passed, int noise, double share, str classes) except -2

cpdef list standing_of_lines(list standing, list places)

@cython.locals(kept=list, doubtful=list, line=Py_ssize_t, relation=int)
cpdef tuple inside_body(list standing, Py_ssize_t head, Py_ssize_t tail)

@cython.locals(found=list, among=list, line=Py_ssize_t, stays=bint, link=bint)
cpdef tuple unlinked_lines(list kept, list links)

@cython.locals(found=list, line=Py_ssize_t, relation=int)
cpdef list caption_lines(list standing, list kept, set under_picture, Py_ssize_t head, Py_ssize_t tail)
