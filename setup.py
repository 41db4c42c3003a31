"""The part of the build that pyproject.toml cannot describe: the walk over the tree, compiled where that is possible.

Without Cython, lxml's headers or a C compiler the package is built without it, and does the same in Python. With
`EXEMPLAR_PURE=1` it is not tried.
"""

import os
from importlib.util import find_spec

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

WALK = "extractors/html/compiled_walk.pyx"


class OptionalBuild(build_ext):
    """Compiles the walk if that is possible. The C code is written into the build folder, never beside the source."""

    def build_extension(self, extension: Extension) -> None:
        """Build a module; if that fails, say so and go on without it."""
        try:
            self.write_c(extension)
            super().build_extension(extension)
        except Exception as error:  # whatever is missing or broken here, the package works without this module
            print(f"not compiled: {extension.name}: {type(error).__name__}: {error}")

    def write_c(self, extension: Extension) -> None:
        """Translate the source of a module into C."""
        import lxml
        from Cython.Build import cythonize

        extension.include_dirs = lxml.get_include()
        [made] = cythonize([extension], build_dir=self.build_temp, include_path=lxml.get_include(), quiet=True)
        extension.sources = made.sources


def modules() -> list[Extension]:
    """Return what is to be compiled."""
    if os.environ.get("EXEMPLAR_PURE", "0") not in ("", "0") or not (find_spec("Cython") and find_spec("lxml")):
        return []
    return [Extension("extractors.html.compiled_walk", [WALK], optional=True)]


setup(ext_modules=modules(), cmdclass={"build_ext": OptionalBuild})
