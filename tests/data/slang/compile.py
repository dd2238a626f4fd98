#!/usr/bin/env python3
"""Compiles spread.slang to spread.spv and out_of_range.spv, for the stage `spread` of ../tiny.json.

    compile.py [SASTRUGI]      the program to ask for the interface hash (default: sastrugi)

The compiler is the Slang library inside the PyPI package slangpy, which is installed into a virtual environment in
a temporary directory (90 MB to download) and removed again. Run it again when the interface of `spread` changes: the
program then refuses the old modules. Needs Linux, and Python 3 with venv.
"""

import ctypes
import glob
import os
import re
import struct
import subprocess
import sys
import tempfile

PACKAGE = "slangpy==0.43.1"
HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = {"spread.spv": [], "out_of_range.spv": ["-DOUT_OF_RANGE=1"]}


def interface_hash(program):
    """The two words of the interface hash, from the text that `sastrugi interface` prints."""
    command = [program, "interface", os.path.join(HERE, "..", "tiny.json"), "spread"]
    print("$", " ".join(command))
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    words = [re.search(rf"constant_id = {number}\).*= (\d+)u;", text) for number in (1003, 1004)]
    if not all(words):
        sys.exit("the interface has no hash constants (ids 1003 and 1004)")
    return [word.group(1) for word in words]


def install(directory):
    """Installs the compiler into a virtual environment; returns its library."""
    for command in (
        [sys.executable, "-m", "venv", directory],
        [os.path.join(directory, "bin", "pip"), "install", "--quiet", "--no-deps", PACKAGE],
    ):
        print("$", " ".join(command))
        subprocess.run(command, check=True)
    found = glob.glob(os.path.join(directory, "lib/python3*/site-packages/slangpy/libslang-compiler.so*"))
    if not found:
        sys.exit(f"{PACKAGE} holds no libslang-compiler.so")
    return ctypes.CDLL(found[0])


def compile_module(slang, arguments):
    """The module that `slangc ARGUMENTS` makes, through the library's C interface."""
    slang.spCreateSession.restype = ctypes.c_void_p
    slang.spCreateCompileRequest.restype = ctypes.c_void_p
    slang.spGetDiagnosticOutput.restype = ctypes.c_char_p
    slang.spGetCompileRequestCode.restype = ctypes.c_void_p
    session = ctypes.c_void_p(slang.spCreateSession(None))
    request = ctypes.c_void_p(slang.spCreateCompileRequest(session))
    encoded = [argument.encode() for argument in arguments]
    list_of_arguments = (ctypes.c_char_p * len(encoded))(*encoded)
    print("$ slangc", " ".join(arguments))
    result = slang.spProcessCommandLineArguments(request, list_of_arguments, len(encoded))
    if result >= 0:
        result = slang.spCompile(request)
    if result < 0:
        sys.exit((slang.spGetDiagnosticOutput(request) or b"").decode() or f"slang failed: {result}")
    size = ctypes.c_size_t()
    code = slang.spGetCompileRequestCode(request, ctypes.byref(size))
    module = ctypes.string_at(code, size.value)
    if not module:
        sys.exit("slang made no code")
    slang.spDestroyCompileRequest(request)
    slang.spDestroySession(session)
    return module


def without_source_language(module):
    """The module with OpSource (opcode 3) saying "unknown": validators from before 2024 know no number for Slang."""
    words = list(struct.unpack(f"<{len(module) // 4}I", module))
    position = 5
    while position < len(words):
        if words[position] & 0xFFFF == 3:
            words[position + 1] = 0
        position += words[position] >> 16
    return struct.pack(f"<{len(words)}I", *words)


def main():
    low, high = interface_hash(sys.argv[1] if len(sys.argv) > 1 else "sastrugi")
    with tempfile.TemporaryDirectory() as directory:
        slang = install(directory)
        for name, more in MODULES.items():
            module = without_source_language(compile_module(slang, [
                os.path.join(HERE, "spread.slang"), "-target", "spirv", "-profile", "spirv_1_6",
                "-entry", "main", "-stage", "compute", "-fvk-use-scalar-layout",
                f"-DHASH_LOW={low}u", f"-DHASH_HIGH={high}u", *more,
            ]))
            output = os.path.join(HERE, name)
            with open(output, "wb") as file:
                file.write(module)
            print(f"{output}: {len(module)} bytes")


main()
