"""The part of the build that pyproject.toml cannot describe: what is compiled where that is possible.

That is the walk over the tree, and the modules of loops (`*_loops.py`): each is compiled from the source that Python
runs too, under another name, with the C types in its .pxd file (see extractors/compiled.py). Without Cython, lxml's
headers or a C compiler the package is built without them, and does the same in Python. With `EXEMPLAR_PURE=1` it is not
tried.
"""

import hashlib
import os
import threading
from importlib.util import find_spec
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).parent
WALK = "extractors/html/compiled_walk.pyx"
TYPES = "extractors/**/compiled_*_loops.pxd"
LOOP_DIRECTIVES = {
    "annotation_typing": False,  # the types are in the .pxd file
    "boundscheck": False,
    "cdivision": True,
    "initializedcheck": False,
    "language_level": 3,
    "wraparound": False,
}


class OptionalBuild(build_ext):
    """Compiles what can be compiled, several modules at once.

    The C code is written into the build folder, never beside the source.
    """

    _cython = threading.Lock()  # which is not made for threads; the C compiler is a process

    def finalize_options(self) -> None:
        """Compile as many modules at once as there are cores, unless a number is given."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extension(self, extension: Extension) -> None:
        """Build one module; if that fails, say so and go on without it."""
        try:
            with self._cython:
                self.write_c(extension)
            super().build_extension(extension)
        except Exception as error:  # whatever is missing or broken here, the package works without this module
            print(f"not compiled: {extension.name}: {type(error).__name__}: {error}")

    def write_c(self, extension: Extension) -> None:
        """Translate the source of a module into C."""
        import lxml
        from Cython.Build import cythonize

        options = {"build_dir": self.build_temp, "include_path": lxml.get_include(), "quiet": True}
        if extension.sources != [WALK]:
            extension.sources = [self.named_source(extension)]
            options |= {"compiler_directives": LOOP_DIRECTIVES, "force": True}
        extension.include_dirs = lxml.get_include()
        [made] = cythonize([extension], **options)
        extension.sources = made.sources

    def named_source(self, extension: Extension) -> str:
        """Return a copy of a module of loops under its compiled name, with the fingerprint of its source."""
        source = (HERE / extension.sources[0]).read_bytes()
        copy = Path(self.build_temp, *extension.name.split(".")).with_suffix(".py")
        copy.parent.mkdir(parents=True, exist_ok=True)
        for folder in [*copy.parents][: extension.name.count(".")]:
            (folder / "__init__.py").touch()
        mark = f'\nSOURCE = "{hashlib.sha256(source).hexdigest()}"\n'
        copy.write_bytes(source + mark.encode())
        types = (HERE / extension.name.replace(".", "/")).with_suffix(".pxd")
        copy.with_suffix(".pxd").write_bytes(types.read_bytes())
        return str(copy)


def modules() -> list[Extension]:
    """Return what is to be compiled."""
    if os.environ.get("EXEMPLAR_PURE", "0") not in ("", "0") or not (find_spec("Cython") and find_spec("lxml")):
        return []
    found = [Extension("extractors.html.compiled_walk", [WALK], optional=True)]
    for path in sorted(HERE.glob(TYPES)):
        source = path.with_name(path.stem.removeprefix("compiled_")).with_suffix(".py").relative_to(HERE)
        name = ".".join((*source.parts[:-1], path.stem))
        found.append(Extension(name, [str(source)], optional=True))
    return found


setup(ext_modules=modules(), cmdclass={"build_ext": OptionalBuild})
