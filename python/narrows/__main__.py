"""The program ``narrows``."""

import sys

from narrows import _narrows

_narrows.is_in(_narrows.__file__)
sys.exit(_narrows.program(["narrows", *sys.argv[1:]]))
