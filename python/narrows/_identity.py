"""Hashes that identify the behaviour of classes, so that stored runs of another class are not reused."""

from __future__ import annotations

import hashlib
import pickle
import sys
import sysconfig
import types
import uuid
from collections.abc import Iterator
from pathlib import Path

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))


def identity(of: type, above: type) -> str:
    """Hash a class: the code of its methods, the values and functions that they read, and its base classes up to `above`.

    The user's modules are identified by the content of their files, but not of the files that they
    import; installed modules by their version. Values that cannot be pickled, such as an open file,
    make the identity unique to this call.
    """
    # Byte code differs between versions of Python.
    return hashlib.sha256("\n".join([sys.version, *_Reader(above).of(of)]).encode()).hexdigest()


class _Reader:
    def __init__(self, above: type) -> None:
        self._above = above
        self._seen: dict[int, int] = {}

    def of(self, value: object) -> Iterator[str]:
        """Yield lines that identify a value."""
        if isinstance(value, PLAIN):
            yield f"{type(value).__name__} {value!r}"
        elif id(value) in self._seen:
            yield f"again {self._seen[id(value)]}"
        elif isinstance(value, types.ModuleType):
            yield f"module {value.__name__} {getattr(value, '__version__', '')} {_source(value)}"
        else:
            self._seen[id(value)] = len(self._seen)
            yield from self._of_many(value)

    def _of_many(self, value: object) -> Iterator[str]:
        if isinstance(value, (staticmethod, classmethod)):
            yield type(value).__name__
            yield from self.of(value.__func__)
        elif isinstance(value, property):
            for part in (value.fget, value.fset, value.fdel):
                yield from self.of(part)
        elif isinstance(value, types.FunctionType):
            yield from self._of_function(value)
        elif isinstance(value, types.CodeType):
            yield from self._of_code(value)
        elif isinstance(value, type):
            yield from self._of_class(value)
        elif isinstance(value, (list, tuple)):
            yield f"{type(value).__name__} {len(value)}"
            for item in value:
                yield from self.of(item)
        elif isinstance(value, dict):
            yield f"dict {len(value)}"
            for key, item in value.items():
                yield from self.of(key)
                yield from self.of(item)
        elif isinstance(value, types.BuiltinFunctionType):
            yield f"builtin {value.__module__}.{value.__qualname__}"
        else:
            yield f"{type(value).__module__}.{type(value).__qualname__}"
            yield _pickled(value)

    def _of_class(self, value: type) -> Iterator[str]:
        yield f"class {value.__module__}.{value.__qualname__}"
        # A name is enough for built-in classes and for the classes of narrows.
        if value is self._above or value.__module__ in sys.builtin_module_names or value.__module__.startswith("narrows."):
            return
        for base in value.__bases__:
            yield from self.of(base)
        for name, item in vars(value).items():
            if name not in ("__doc__", "__dict__", "__weakref__", "__firstlineno__", "__static_attributes__", "__annotate_func__"):
                yield name
                yield from self.of(item)

    def _of_function(self, value: types.FunctionType) -> Iterator[str]:
        yield f"function {value.__name__}"
        yield from self._of_code(value.__code__)
        yield from self.of(value.__defaults__)
        yield from self.of(value.__kwdefaults__)
        for cell in value.__closure__ or ():
            try:
                yield from self.of(cell.cell_contents)
            except ValueError:
                yield "empty"
        for name in _names(value.__code__):
            if name in value.__globals__:
                yield name
                yield from self.of(value.__globals__[name])

    def _of_code(self, code: types.CodeType) -> Iterator[str]:
        yield f"code {code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars} {code.co_cellvars} {code.co_flags}"
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                yield from self._of_code(constant)
            else:
                yield repr(sorted(constant, key=repr) if isinstance(constant, frozenset) else constant)


def _names(code: types.CodeType) -> Iterator[str]:
    """Yield the names of globals that code may read, including nested functions."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _source(module: types.ModuleType) -> str:
    """Return the hash of a user module's file; empty for installed modules, which have versions."""
    file = getattr(module, "__file__", None)
    installed = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    if file is None or module.__name__.split(".")[0] == "narrows" or any(file.startswith(place) for place in installed):
        return ""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return uuid.uuid4().hex


def _pickled(value: object) -> str:
    try:
        return hashlib.sha256(pickle.dumps(value, protocol=5)).hexdigest()
    except Exception:  # noqa: BLE001 - whatever an object raises that is not to be pickled
        return uuid.uuid4().hex
