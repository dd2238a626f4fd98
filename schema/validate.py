#!/usr/bin/env python3
"""Validates pipeline files with a JSON Schema validator that has nothing to do with Sastrugi.

    validate.py SCHEMA PIPELINE...

Comments and trailing commas are taken out first. The schema describes whole pipelines: of one that `extends` another,
validate the `resolved.json` of a run. Needs python3-jsonschema. Exit codes: 0 all valid, 1 some are not.
"""

import json
import re
import sys

import jsonschema

# Strings come first, so that // inside one is no comment; a comma counts as trailing when only comments and space
# stand between it and the bracket.
TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\]|\\.)*")'
    r"|(?P<comment>//[^\n]*|/\*.*?\*/)"
    r"|(?P<comma>,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]]))",
    re.DOTALL,
)


def plain(text):
    """JSON with comments and trailing commas as plain JSON."""
    return TOKEN.sub(lambda match: match.group() if match.lastgroup == "string" else " ", text)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    validator = kind(schema)
    wrong = 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            errors = list(validator.iter_errors(json.loads(plain(file.read()))))
        for error in errors:
            print(f"{path}: /{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
        wrong += bool(errors)
        if not errors:
            print(f"{path}: valid")
    return 1 if wrong else 0


sys.exit(main())
