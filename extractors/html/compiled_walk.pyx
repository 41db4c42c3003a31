# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The walk over the tree, compiled: the loop of `python_walk`, with the tables and rules that it is given.

Reads libxml2's nodes through lxml's public C interface. No function of libxml2 is called and nothing is linked with it;
element objects are made only for what is returned: links, media, noted elements, and those whose path is new. What the
loop has no rule for (deep nesting, namespaces, comments and other nodes, attributes in several parts) makes it give up:
the page is then walked in Python.
"""
cimport lxml.includes.etreepublic as cetree
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, strcmp, strlen
from lxml.includes.tree cimport (
    XML_CDATA_SECTION_NODE,
    XML_ELEMENT_NODE,
    XML_TEXT_NODE,
    xmlAttr,
    xmlDoc,
    xmlNode,
)

cetree.import_lxml__etree()

ctypedef const unsigned char* String  # UTF-8, ends with a NUL

cdef enum:  # as in `elements`
    INLINE, LINK, BLOCK, ITEM, PRE, BREAK, SKIP, IMAGE, PLAYER, NOTED, ALWAYS_NOTED

cdef enum:
    DEEPEST = 256  # levels that `Walk.open` has room for
    MOST_REMEMBERED = 20_000  # styles and classes
    TAGS = 1024  # places in the table of a page's tags
    MOST_TAGS = 512


class Unusual(Exception):
    """The page has something that the loop has no rule for."""


# Characters: 0 others, 1 ASCII white space, 2 bytes with which other white space may begin, 3 the end
cdef unsigned char CLASS[256]


cdef void set_classes() noexcept:
    cdef int code
    for code in range(256):
        CLASS[code] = 1 if 9 <= code <= 13 or 28 <= code <= 32 else 0
    CLASS[0xC2] = CLASS[0xE1] = CLASS[0xE2] = CLASS[0xE3] = 2
    CLASS[0] = 3


set_classes()


cdef inline int space_at(String s) noexcept nogil:
    """Return the bytes of the white space, not ASCII, that begins at `s`; 0 if there is none."""
    if s[0] == 0xC2:
        return 2 if s[1] == 0x85 or s[1] == 0xA0 else 0
    if s[0] == 0xE1:
        return 3 if s[1] == 0x9A and s[2] == 0x80 else 0
    if s[0] == 0xE2:
        if s[1] == 0x80:
            return 3 if 0x80 <= s[2] <= 0x8A or s[2] == 0xA8 or s[2] == 0xA9 or s[2] == 0xAF else 0
        return 3 if s[1] == 0x81 and s[2] == 0x9F else 0
    return 3 if s[0] == 0xE3 and s[1] == 0x80 and s[2] == 0x80 else 0


cdef inline Py_ssize_t characters(String s, Py_ssize_t length) noexcept nogil:
    cdef Py_ssize_t place, count = 0
    for place in range(length):
        count += (s[place] & 0xC0) != 0x80
    return count


cdef inline str decoded(String s):
    return PyUnicode_DecodeUTF8(<const char*>s, strlen(<const char*>s), NULL)


# Nodes


cdef inline bint is_text(xmlNode* node) noexcept nogil:
    return node is not NULL and (node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE)


cdef inline String value_of(xmlAttr* attribute) except NULL:
    cdef xmlNode* child = <xmlNode*>attribute.children
    if child is NULL:
        return <String>b""
    if child.next is not NULL or child.type != XML_TEXT_NODE or child.content is NULL:
        raise Unusual
    return <String>child.content


cdef xmlAttr* attribute_of(xmlNode* node, const char* name) noexcept nogil:
    cdef xmlAttr* attribute = node.properties
    while attribute is not NULL:
        if attribute.ns is NULL and strcmp(<const char*>attribute.name, name) == 0:
            return attribute
        attribute = attribute.next
    return NULL


cdef object text_of(xmlNode* node, const char* name):
    """Return the value of an attribute, None if there is none."""
    cdef xmlAttr* attribute = attribute_of(node, name)
    return None if attribute is NULL else decoded(value_of(attribute))


cdef inline bint has_element(xmlNode* node) noexcept nogil:
    """Whether an element is among the children; other nodes than elements and texts count as elements."""
    cdef xmlNode* child = node.children
    while child is not NULL:
        if not is_text(child):
            return True
        child = child.next
    return False


# The text of a line, and the key of a path


cdef struct Buffer:
    unsigned char* data
    Py_ssize_t used, size
    bint space  # white space stands before the next word


cdef inline int reserve(Buffer* buffer, Py_ssize_t more) except -1:
    cdef unsigned char* data
    cdef Py_ssize_t size
    if buffer.used + more > buffer.size:
        size = (buffer.used + more) * 2 + 1024
        data = <unsigned char*>realloc(buffer.data, size)
        if data is NULL:
            raise MemoryError
        buffer.data, buffer.size = data, size
    return 0


cdef inline int add(Buffer* buffer, const void* data, Py_ssize_t length) except -1:
    reserve(buffer, length)
    memcpy(buffer.data + buffer.used, data, length)
    buffer.used += length
    return 0


cdef Py_ssize_t add_folded(Buffer* buffer, String s, bint count) except -1:
    """Add a text with its white space folded; return its characters but for white space at its ends, if they count."""
    cdef String start
    cdef Py_ssize_t length, found = 0, gap = 0
    cdef int width
    reserve(buffer, strlen(<const char*>s) + 1)  # a space may come before it
    while True:
        while True:
            if CLASS[s[0]] == 1:
                s += 1
            elif CLASS[s[0]] == 2 and (width := space_at(s)):
                s += width
            else:
                break
            gap += 1
            buffer.space = True
        if not s[0]:
            return found
        start = s
        while CLASS[s[0]] == 0 or (CLASS[s[0]] == 2 and not space_at(s)):
            s += 1
        length = s - start
        if buffer.space:
            if buffer.used:
                buffer.data[buffer.used] = 32
                buffer.used += 1
            buffer.space = False
        memcpy(buffer.data + buffer.used, start, length)
        buffer.used += length
        if count:
            found += characters(start, length) + (gap if found else 0)
            gap = 0


# Elements


cdef struct Nodes:
    xmlNode** data
    Py_ssize_t used, size


cdef inline int add_node(Nodes* nodes, xmlNode* node) except -1:
    cdef xmlNode** data
    cdef Py_ssize_t size
    if nodes.used == nodes.size:
        size = nodes.size * 2 + 64
        data = <xmlNode**>realloc(nodes.data, size * sizeof(xmlNode*))
        if data is NULL:
            raise MemoryError
        nodes.data, nodes.size = data, size
    nodes.data[nodes.used] = node
    nodes.used += 1
    return 0


cdef class Elements:
    """A sequence of elements of one tree, whose objects are made when they are asked for: most never are.

    Valid as long as no element is taken out of the tree.
    """

    cdef cetree._Element root  # keeps the document
    cdef Nodes nodes

    def __dealloc__(self):
        free(self.nodes.data)

    def __len__(self):
        return self.nodes.used

    def __getitem__(self, Py_ssize_t place):
        if not 0 <= place < self.nodes.used:
            raise IndexError(place)
        return cetree.elementFactory(self.root._doc, self.nodes.data[place])

    def values(self, str name):
        """Return the value of an attribute of each element, "" where it has none, without making their objects."""
        cdef bytes encoded = name.encode()
        cdef list found = []
        cdef xmlAttr* attribute
        cdef Py_ssize_t place
        try:
            for place in range(self.nodes.used):
                attribute = attribute_of(self.nodes.data[place], encoded)
                found.append("" if attribute is NULL else decoded(value_of(attribute)))
        except Unusual:
            return [element.get(name) or "" for element in self]
        return found


# The walk


cdef struct Tag:
    String name  # libxml2 keeps one copy of each name in a tree
    int kind
    bint textual


cdef struct Level:
    xmlNode* node
    int path  # -1: not yet asked for


cdef class Walk:
    """One walk over one tree."""

    cdef Walker rules
    cdef dict paths  # `PathTrie.answers`
    cdef object trie
    cdef cetree._Element root  # keeps the document
    cdef list texts, row_paths, row_items, continued, widths, link_chars, links, media, noted
    cdef Elements link_elements, blocks
    cdef Py_ssize_t rows
    cdef Buffer buffer
    cdef Py_ssize_t linked
    cdef bint broken, hide
    cdef int item, max_depth
    cdef Level open[DEEPEST + 2]
    cdef Tag tags[TAGS]
    cdef int tags_used
    cdef Tag other  # where the table is full
    cdef Buffer key

    def __cinit__(self):
        self.texts, self.row_paths, self.row_items, self.continued = [], [], [], []
        self.widths, self.link_chars = [], []
        self.links, self.media, self.noted = [], [], []
        self.link_elements, self.blocks = Elements(), Elements()

    def __dealloc__(self):
        free(self.buffer.data)
        free(self.key.data)

    cdef inline object element(self, xmlNode* node):
        return cetree.elementFactory(self.root._doc, node)

    cdef Tag* tag_of(self, xmlNode* node) except NULL:
        cdef String name = <String>node.name
        cdef Py_ssize_t place = ((<size_t>name >> 3) ^ (<size_t>name >> 12)) & (TAGS - 1)
        cdef Tag* tag
        while self.tags[place].name is not NULL:  # ends: half of the places stay free
            if self.tags[place].name == name:
                return &self.tags[place]
            place = (place + 1) & (TAGS - 1)
        if self.tags_used < MOST_TAGS:
            tag = &self.tags[place]
            self.tags_used += 1
        else:
            tag = &self.other
        text = decoded(name)
        tag.kind = self.rules.kinds.get(text, INLINE)
        tag.textual = text in self.rules.textual
        tag.name = name
        return tag

    cdef inline int kind_of(self, xmlNode* node) except -1:
        if node.type != XML_ELEMENT_NODE or node.ns is not NULL:
            raise Unusual
        return self.tag_of(node).kind

    cdef bint is_hidden(self, xmlNode* node) except -1:
        cdef xmlAttr* attribute = node.properties
        cdef const char* name
        while attribute is not NULL:
            name = <const char*>attribute.name
            if attribute.ns is not NULL:
                pass
            elif name[0] == c"c":
                if strcmp(name, b"class") == 0 and self.rules.answer(self.rules.classes, self.rules.for_readers, attribute):
                    return True
            elif name[0] == c"s":
                if strcmp(name, b"style") == 0 and self.rules.answer(self.rules.styles, self.rules.hides, attribute):
                    return True
            elif name[0] == c"h" and strcmp(name, b"hidden") == 0:
                return True
            attribute = attribute.next
        return False

    # Paths

    cdef int path_at(self, int depth) except -1:
        cdef int path = self.open[depth].path
        if path < 0:
            path = self.path_of(self.path_at(depth - 1) if depth else 0, self.open[depth].node)
            self.open[depth].path = path
        return path

    cdef int path_of(self, int parent, xmlNode* node) except -1:
        """Return what `PathTrie.child` answers; the key has what it looks at."""
        cdef xmlAttr* attribute = node.properties
        cdef Tag* tag = self.tag_of(node)
        cdef Buffer* key = &self.key
        cdef bytes seen
        cdef char form = 0
        if attribute is not NULL:
            only = attribute.next is NULL and attribute_of(node, b"class") is not NULL
            form = 1 if tag.textual or only else 2
        key.used = 0
        add(key, &parent, sizeof(int))
        add(key, &form, 1)
        add(key, node.name, strlen(<const char*>node.name) + 1)
        if form:
            self.add_attribute(key, attribute_of(node, b"class"))
        if form == 2:
            self.add_attribute(key, attribute_of(node, b"id"))
            self.add_attribute(key, attribute_of(node, b"itemprop"))
            self.add_attribute(key, attribute_of(node, b"role"))
        seen = key.data[: key.used]
        path = self.paths.get(seen)
        if path is None:
            path = self.paths[seen] = self.trie.path_of(self.step(parent, form, node))
        return path

    cdef tuple step(self, int parent, char form, xmlNode* node):
        tag = decoded(<String>node.name)
        if not form:
            return parent, tag
        if form == 1:
            return parent, tag, text_of(node, b"class")
        return parent, tag, text_of(node, b"class"), text_of(node, b"id"), text_of(node, b"itemprop"), text_of(node, b"role")

    cdef int add_attribute(self, Buffer* key, xmlAttr* attribute) except -1:
        cdef char is_there = attribute is not NULL
        cdef String value
        add(key, &is_there, 1)
        if is_there:
            value = value_of(attribute)
            add(key, value, strlen(<const char*>value) + 1)
        return 0

    # Lines

    cdef int flush(self, int block) except -1:
        text = PyUnicode_DecodeUTF8(<const char*>self.buffer.data, self.buffer.used, NULL)
        return self.add_row(text, block, self.buffer.used)

    cdef int add_row(self, str text, int block, Py_ssize_t width) except -1:
        self.texts.append(text)
        self.row_paths.append(self.path_at(block))
        add_node(&self.blocks.nodes, self.open[block].node)
        self.row_items.append(self.item)
        self.continued.append(self.broken)
        self.widths.append(width)
        self.link_chars.append(self.linked)
        self.rows += 1
        self.buffer.used = 0
        self.buffer.space = False
        self.linked = 0
        return 0

    cdef int read(self, xmlNode* node, bint in_link) except -1:
        """Add the text that begins at a node: it and the text nodes that follow it are one."""
        cdef bytes text
        if not is_text(node.next):
            if node.content is not NULL:
                self.linked += add_folded(&self.buffer, <String>node.content, in_link)
        else:
            text = joined(node).encode()
            self.linked += add_folded(&self.buffer, <String>text, in_link)
        return 0

    cdef int read_verbatim(self, list parts, xmlNode* parent, int depth, bint in_link) except -1:
        cdef xmlNode* node = parent.children
        cdef int kind
        if is_text(node):
            self.add_verbatim(parts, node, in_link)
        while node is not NULL:
            if not is_text(node):
                kind = self.kind_of(node)
                if kind == BREAK:
                    parts.append("\n")
                elif kind < SKIP and not self.is_hidden(node):
                    if depth >= self.max_depth:
                        raise Unusual
                    self.read_verbatim(parts, node, depth + 1, in_link or kind == LINK)
                if is_text(node.next):
                    self.add_verbatim(parts, node.next, in_link)
            node = node.next
        return 0

    cdef int add_verbatim(self, list parts, xmlNode* node, bint in_link) except -1:
        text = joined(node)
        if text and (parts or not text.isspace()):
            parts.append(text)
            if in_link:
                self.linked += len(text.strip())
        return 0

    cdef int read_pre(self, xmlNode* node, int depth, bint in_link) except -1:
        cdef list parts = []
        self.read_verbatim(parts, node, depth, in_link)
        text = "".join(parts).strip("\n")
        if text and not text.isspace():
            self.add_row(text, depth, len(text.encode()))
        self.linked = 0
        return 0

    cdef inline int read_inside(self, xmlNode* node, int depth, int block, bint in_link) except -1:
        """Read what is in an element that is `depth` levels below the root."""
        if is_text(node.children):
            self.read(node.children, in_link)
        if has_element(node):
            self.read_children(node, depth, block, in_link)
        return 0

    cdef inline int enter(self, xmlNode* node, int depth) except -1:
        if depth > self.max_depth:
            raise Unusual
        self.open[depth].node = node
        self.open[depth].path = -1
        return 0

    cdef int read_children(self, xmlNode* parent, int depth, int block, bint in_link) except -1:
        cdef int below = depth + 1, kind
        cdef xmlNode* child = parent.children
        while child is not NULL:
            if is_text(child):  # read with what stands before it
                child = child.next
                continue
            kind = self.kind_of(child)
            if kind <= PRE:
                if child.properties is not NULL and self.hide and self.is_hidden(child):
                    self.noted.append(self.element(child))
                elif kind <= LINK:
                    self.read_inline(child, kind, below, block, in_link)
                else:
                    self.read_block(child, kind, below, block, in_link)
            elif kind == BREAK:
                if self.buffer.used:
                    self.flush(block)
                self.broken = True
            elif kind >= NOTED:
                if kind == ALWAYS_NOTED or has_element(child):
                    self.noted.append(self.element(child))
            elif kind >= IMAGE:
                self.media.append((self.rows, self.path_at(block), self.element(child)))
            if is_text(child.next):
                self.read(child.next, in_link)
            child = child.next
        return 0

    cdef inline int read_inline(self, xmlNode* child, int kind, int below, int block, bint in_link) except -1:
        if kind == LINK:
            self.links.append(self.rows)
            add_node(&self.link_elements.nodes, child)
            if in_link or (attribute_of(child, b"href") is NULL and has_element(child)):
                self.noted.append(self.element(child))
            in_link = True
        if child.children is not NULL:
            self.enter(child, below)
            self.read_inside(child, below, block, in_link)
        return 0

    cdef inline int read_block(self, xmlNode* child, int kind, int below, int block, bint in_link) except -1:
        if self.buffer.used:
            self.flush(block)
        self.broken = False
        if kind == ITEM:
            self.item += 1
        self.enter(child, below)
        if kind == PRE:
            self.read_pre(child, below, in_link)
        elif child.children is not NULL:
            self.read_inside(child, below, below, in_link)
            if self.buffer.used:
                self.flush(below)
        self.broken = False
        return 0

    cdef tuple result(self, Py_ssize_t most):
        lists = self.texts, self.row_paths, self.row_items, self.continued, self.widths, self.link_chars
        for numbers in lists:
            del numbers[most:]
        return (*lists, self.blocks, self.links, self.link_elements, self.media, self.noted)


cdef str joined(xmlNode* node):
    """Return the text of a text node and of those that follow it."""
    cdef list parts = []
    while is_text(node):
        if node.content is not NULL:
            parts.append(decoded(<String>node.content))
        node = node.next
    return "".join(parts)


cdef class Walker:
    """The walk with its tables and rules, which are those of `elements` and `paths`."""

    cdef dict kinds
    cdef object textual, hides, for_readers
    cdef dict classes, styles  # what the rules answered
    cdef int max_depth

    def __init__(self, kinds, textual, hides, for_readers, max_depth):
        self.kinds, self.textual = kinds, textual
        self.hides, self.for_readers = hides, for_readers
        self.max_depth = min(max_depth, DEEPEST)
        self.classes, self.styles = {}, {}

    cdef bint answer(self, dict known, object rule, xmlAttr* attribute) except -1:
        """Return what a rule says of an attribute's value."""
        cdef bytes value = <const char*>value_of(attribute)
        answer = known.get(value)
        if answer is None:
            if len(known) >= MOST_REMEMBERED:
                known.clear()
            answer = known[value] = rule(value.decode())
        return answer

    def walk(self, cetree._Element body not None, trie, bint hide, Py_ssize_t most):
        """Return the fields of `Walked`; None for a page that is unusual."""
        cdef Walk walk = Walk()
        walk.rules, walk.trie, walk.paths, walk.root, walk.hide = self, trie, trie.answers, body, hide
        walk.link_elements.root = walk.blocks.root = body
        walk.max_depth = self.max_depth
        try:
            if walk.kind_of(body._c_node) < 0:
                return None
            walk.enter(body._c_node, 0)
            walk.read_inside(body._c_node, 0, 0, False)
            if walk.buffer.used:
                walk.flush(0)
        except Unusual:
            return None
        return walk.result(most)


def fits(cetree._Element element not None):
    """Return whether nodes lie in memory as they did where this was compiled, as far as one element shows it."""
    cdef xmlNode* node = element._c_node
    return (
        node._private is <void*>element
        and node.type == XML_ELEMENT_NODE
        and node.doc is element._doc._c_doc
        and node.doc is not NULL
    )
