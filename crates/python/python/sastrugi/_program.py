"""The program `sastrugi`, which the package installs."""

from __future__ import annotations

import signal
import sys

from . import _native


def main() -> int:
    """Runs the command line; returns its exit code."""
    # The program handles Ctrl-C itself: it ends runs after their frame.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.main(["sastrugi", *sys.argv[1:]])
