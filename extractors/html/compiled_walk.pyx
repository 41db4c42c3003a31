# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The walk over the tree, compiled: the loop of `python_walk`, with the tables and rules that it is given.

Reads libxml2's nodes through lxml's public C interface. No function of libxml2 is called and nothing is linked with it;
element objects are made only for what is returned: links, media, noted elements, and those whose path is new. What the
loop has no rule for (deep nesting, namespaces, comments and other nodes, attributes in several parts) makes it give up:
the page is then walked in Python.
"""
cimport lxml.includes.etreepublic as cetree
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport strcmp, strlen, strspn
from lxml.includes.tree cimport XML_CDATA_SECTION_NODE, XML_ELEMENT_NODE, XML_TEXT_NODE, xmlAttr, xmlNode

cetree.import_lxml__etree()

cdef enum:  # as in `elements`
    INLINE, LINK, BLOCK, ITEM, PRE, BREAK, SKIP, IMAGE, PLAYER, NOTED, ALWAYS_NOTED

cdef enum:
    DEEPEST = 256  # levels that `Walk.open` has room for
    TEXTUAL = 16  # added to the kind of a tag of which only the class becomes part of the path
    KIND = 15
    SHORT = 10_000  # characters of a line that is folded here


class Unusual(Exception):
    """The page has something that the loop has no rule for."""


cdef inline str decoded(const void* text):  # UTF-8, ends with a NUL
    return PyUnicode_DecodeUTF8(<const char*>text, strlen(<const char*>text), NULL)


cdef inline bint is_text(xmlNode* node) noexcept nogil:
    return node is not NULL and (node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE)


cdef inline bint is_blank(xmlNode* node) noexcept nogil:
    """Whether a text is surely white space: most are what stands between elements."""
    if node.content is NULL or is_text(node.next):
        return False
    return node.content[strspn(<const char*>node.content, b" \n\t\r")] == 0


cdef inline str value_of(xmlAttr* attribute):
    cdef xmlNode* child = <xmlNode*>attribute.children
    if child is NULL:
        return ""
    if child.next is not NULL or child.type != XML_TEXT_NODE or child.content is NULL:
        raise Unusual
    return decoded(child.content)


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
    return None if attribute is NULL else value_of(attribute)


cdef inline bint has_element(xmlNode* node) noexcept nogil:
    """Whether an element is among the children; other nodes than elements and texts count as elements."""
    cdef xmlNode* child = node.children
    while child is not NULL:
        if not is_text(child):
            return True
        child = child.next
    return False


cdef str joined(xmlNode* node):
    """Return the text of a text node and of those that follow it."""
    cdef str text = "" if node.content is NULL else decoded(node.content)
    while is_text(node.next):
        node = node.next
        if node.content is not NULL:
            text += decoded(node.content)
    return text


cdef class Elements:
    """A sequence of elements of one tree, whose objects are made when they are asked for: most never are.

    Valid as long as no element is taken out of the tree.
    """

    cdef cetree._Element root  # keeps the document
    cdef list nodes  # their addresses

    def __len__(self):
        return len(self.nodes)

    def __getitem__(self, Py_ssize_t place):
        if not 0 <= place < len(self.nodes):
            raise IndexError(place)
        return cetree.elementFactory(self.root._doc, <xmlNode*><size_t>self.nodes[place])

    def values(self, str name):
        """Return the value of an attribute of each element, "" where it has none, without making their objects."""
        cdef bytes encoded = name.encode()
        try:
            return [text_of(<xmlNode*><size_t>node, encoded) or "" for node in self.nodes]
        except Unusual:
            return [element.get(name) or "" for element in self]


cdef struct Level:
    xmlNode* node
    int path  # -1: not yet asked for


cdef class Walk:
    """One walk over one tree."""

    cdef Walker rules
    cdef object trie
    cdef dict seen  # that of the trie
    cdef cetree._Element root  # keeps the document
    cdef dict tags  # kinds by the address of a name: libxml2 keeps one copy of each in a tree
    cdef list texts, paths, items, continued, widths, link_chars, links, media, noted
    cdef Elements link_elements, blocks
    cdef list buffer  # the text of the line that is being read
    cdef Py_ssize_t linked
    cdef bint broken, hide
    cdef int item, max_depth
    cdef Level open[DEEPEST + 2]

    def __cinit__(self):
        self.texts, self.paths, self.items, self.continued = [], [], [], []
        self.widths, self.link_chars = [], []
        self.links, self.media, self.noted = [], [], []
        self.link_elements, self.blocks = Elements(), Elements()
        self.buffer, self.tags = [], {}

    cdef inline object element(self, xmlNode* node):
        return cetree.elementFactory(self.root._doc, node)

    cdef inline int tag_of(self, xmlNode* node) except -1:
        """Return the kind of an element, with `TEXTUAL` added to it."""
        known = self.tags.get(<size_t>node.name)
        if known is not None:
            return known
        name = decoded(node.name)
        known = self.tags[<size_t>node.name] = self.rules.kinds.get(name, INLINE) + TEXTUAL * (name in self.rules.textual)
        return known

    cdef inline int kind_of(self, xmlNode* node) except -1:
        if node.type != XML_ELEMENT_NODE or node.ns is not NULL:
            raise Unusual
        return self.tag_of(node) & KIND

    cdef bint is_hidden(self, xmlNode* node) except -1:
        cdef xmlAttr* attribute = node.properties
        cdef const char* name
        while attribute is not NULL:
            name = <const char*>attribute.name
            if attribute.ns is not NULL:
                pass
            elif strcmp(name, b"hidden") == 0:
                return True
            elif strcmp(name, b"class") == 0:
                if self.rules.for_readers(value_of(attribute)):
                    return True
            elif strcmp(name, b"style") == 0 and self.rules.hides(value_of(attribute)):
                return True
            attribute = attribute.next
        return False

    cdef int path_at(self, int depth) except -1:
        cdef int path = self.open[depth].path
        if path < 0:
            path = self.path_of(self.path_at(depth - 1) if depth else 0, self.open[depth].node)
            self.open[depth].path = path
        return path

    cdef int path_of(self, int parent, xmlNode* node) except -1:
        """Return what `PathTrie.child` returns."""
        cdef xmlAttr* attribute = node.properties
        cdef tuple key
        tag = decoded(node.name)
        if attribute is NULL:
            key = parent, tag
        elif self.tag_of(node) & TEXTUAL or (attribute.next is NULL and attribute_of(node, b"class") is not NULL):
            key = parent, tag, text_of(node, b"class")
        else:
            names = text_of(node, b"class"), text_of(node, b"id"), text_of(node, b"itemprop"), text_of(node, b"role")
            key = parent, tag, *names
        path = self.seen.get(key)
        return self.trie.path_of(key) if path is None else path

    # Lines

    cdef int flush(self, int block, bint verbatim=False) except -1:
        """End the line that is being read, if it has a text."""
        cdef str text
        if not self.buffer:
            return 0
        text = "".join(self.buffer)
        text = text.strip("\n") if verbatim else " ".join(text.split()) if len(text) < SHORT else self.rules.fold(text)
        if text and not text.isspace():
            self.texts.append(text)
            self.paths.append(self.path_at(block))
            self.blocks.nodes.append(<size_t>self.open[block].node)
            self.items.append(self.item)
            self.continued.append(self.broken)
            self.widths.append(len(text) if text.isascii() else len(text.encode()))
            self.link_chars.append(self.linked)
        self.buffer.clear()
        self.linked = 0
        return 0

    cdef inline int read(self, xmlNode* node, bint in_link) except -1:
        """Add the text that begins at a node, if it is one: it and the text nodes that follow it are one."""
        cdef str text
        if is_text(node) and (self.buffer or not is_blank(node)):
            text = joined(node)
            if text and (self.buffer or not text.isspace()):
                self.buffer.append(text)
                if in_link:
                    self.linked += len(text.strip())
        return 0

    cdef int read_verbatim(self, xmlNode* parent, int depth, bint in_link) except -1:
        cdef xmlNode* node = parent.children
        cdef int kind
        self.read(node, in_link)
        while node is not NULL:
            if not is_text(node):
                kind = self.kind_of(node)
                if kind == BREAK:
                    self.buffer.append("\n")
                elif kind < SKIP and not self.is_hidden(node):
                    if depth >= self.max_depth:
                        raise Unusual
                    self.read_verbatim(node, depth + 1, in_link or kind == LINK)
                self.read(node.next, in_link)
            node = node.next
        return 0

    cdef inline int enter(self, xmlNode* node, int depth) except -1:
        if depth > self.max_depth:
            raise Unusual
        self.open[depth].node = node
        self.open[depth].path = -1
        return 0

    cdef int read_children(self, xmlNode* parent, int depth, int block, bint in_link) except -1:
        """Read what is in an element that is `depth` levels below the root."""
        cdef int below = depth + 1, kind
        cdef xmlNode* child = parent.children
        self.read(child, in_link)
        while child is not NULL:
            if is_text(child):  # read with what stands before it
                child = child.next
                continue
            kind = self.kind_of(child)
            if kind <= PRE and child.properties is not NULL and self.hide and self.is_hidden(child):
                self.noted.append(self.element(child))
            elif kind <= LINK:
                if kind == LINK:
                    self.links.append(len(self.texts))
                    self.link_elements.nodes.append(<size_t>child)
                    if in_link or (attribute_of(child, b"href") is NULL and has_element(child)):
                        self.noted.append(self.element(child))
                if child.children is not NULL:
                    self.enter(child, below)
                    self.read_children(child, below, block, in_link or kind == LINK)
            elif kind <= PRE:
                self.flush(block)
                self.broken = False
                self.item += kind == ITEM
                self.enter(child, below)
                if kind == PRE:
                    self.read_verbatim(child, below, in_link)
                else:
                    self.read_children(child, below, below, in_link)
                self.flush(below, kind == PRE)
                self.broken = False
            elif kind == BREAK:
                self.flush(block)
                self.broken = True
            elif IMAGE <= kind < NOTED:
                self.media.append((len(self.texts), self.path_at(block), self.element(child)))
            elif kind == ALWAYS_NOTED or (kind == NOTED and has_element(child)):
                self.noted.append(self.element(child))
            self.read(child.next, in_link)
            child = child.next
        return 0

    cdef tuple result(self, Py_ssize_t most):
        lists = self.texts, self.paths, self.items, self.continued, self.widths, self.link_chars
        for numbers in lists:
            del numbers[most:]
        return (*lists, self.blocks, self.links, self.link_elements, self.media, self.noted)


cdef class Walker:
    """The walk with its tables and rules, which are those of `elements` and `paths`."""

    cdef dict kinds
    cdef object textual, hides, for_readers, fold
    cdef int max_depth

    def __init__(self, kinds, textual, hides, for_readers, fold, max_depth):
        self.kinds, self.textual = kinds, textual
        self.hides, self.for_readers, self.fold = hides, for_readers, fold
        self.max_depth = min(max_depth, DEEPEST)

    def walk(self, cetree._Element body not None, trie, bint hide, Py_ssize_t most):
        """Return the fields of `Walked`; None for a page that is unusual."""
        cdef Walk walk = Walk()
        walk.rules, walk.trie, walk.seen, walk.root, walk.hide = self, trie, trie.seen, body, hide
        walk.link_elements.root = walk.blocks.root = body
        walk.link_elements.nodes, walk.blocks.nodes = [], []
        walk.max_depth = self.max_depth
        try:
            walk.kind_of(body._c_node)
            walk.enter(body._c_node, 0)
            walk.read_children(body._c_node, 0, 0, False)
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
