# json_schema.py SCHEMA DOCUMENT...: what of the documents is not as the schema says, by jsonschema; nothing where all
# is well. An object with a key twice is wrong, too. What the schema refers to is read from the files beside it.
# json_schema.py --strict SCHEMA DOCUMENT...: also keys that the schema does not name.
# json_schema.py --keys SCHEMA...: every key that the schemas know, a line each: where it is, its type, whether it is
# always there.
# json_schema.py --apart SCHEMA...: references to what is not there, and definitions that stand in two of the schemas.
import json
import re
import sys
from pathlib import Path

from jsonschema import Draft202012Validator as Validator


def once(pairs):
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"the key {key} twice in one object: {keys}")
    return dict(pairs)


def types(schema):
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[-1]
    if "anyOf" in schema:
        return "|".join(sorted(types(part) for part in schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return "enum"
    kind = schema.get("type", "any")
    return "|".join(sorted(kind)) if isinstance(kind, list) else kind


def walk(where, schema, lines):
    for key, part in schema.get("properties", {}).items():
        always = "always" if key in schema.get("required", []) else "sometimes"
        lines.append(f"{where}.{key} {types(part)} {always}")
        walk(f"{where}.{key}", part, lines)
    if isinstance(schema.get("items"), dict):
        walk(where + "[]", schema["items"], lines)
    for part in schema.get("anyOf", []):
        walk(where, part, lines)


# Every object closed to what it does not name: for seeing that the schema names all that is written.
def closed(schema):
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: closed(part) for key, part in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        schema.setdefault("additionalProperties", False)
    return schema


def load(path):
    schema = json.loads(Path(path).read_text(encoding="utf-8"))
    Validator.check_schema(schema)
    return schema


# The schema with the schemas that it refers to inside it, as JSON Schema calls a bundle: nothing is fetched.
def bundled(path):
    schema = load(path)
    for other in sorted(set(re.findall(r'"([^"#]+)#/', json.dumps(schema)))):
        schema.setdefault("$defs", {})[other] = load(Path(path).with_name(other))
    return schema


def references(part):
    if isinstance(part, dict):
        return [part[key] for key in part if key == "$ref"] + references(list(part.values()))
    return sum(map(references, part), []) if isinstance(part, list) else []


def apart(paths):
    schemas, first, wrong = {Path(path).name: load(path) for path in paths}, {}, []
    for name, schema in schemas.items():
        for reference in references(schema):
            file, definition = reference.split("#/$defs/")
            if definition not in schemas.get(file or name, {}).get("$defs", {}):
                wrong.append(f"{name}: {reference} is not there")
        for definition, part in schema.get("$defs", {}).items():
            other = first.setdefault(json.dumps({**part, "description": ""}, sort_keys=True), f"{name}#{definition}")
            if other != f"{name}#{definition}":
                wrong.append(f"{name}#{definition} is {other}")
    return wrong


def main(arguments):
    if arguments[0] == "--apart":
        wrong = apart(arguments[1:])
        print("\n".join(wrong))
        return 1 if wrong or not arguments[1:] else 0
    if arguments[0] == "--keys":
        for path in arguments[1:]:
            schema, lines = load(path), []
            walk(schema["$id"], schema, lines)
            for name, part in schema.get("$defs", {}).items():
                walk(f"{schema['$id']}#{name}", part, lines)
            print("\n".join(lines))
        return 0
    strict = arguments[0] == "--strict"
    path, *documents = arguments[1 if strict else 0 :]
    schema, wrong = bundled(path), 0
    validator = Validator(closed(schema) if strict else schema)
    for name in documents:
        try:
            with open(name, encoding="utf-8") as file:
                errors = list(validator.iter_errors(json.load(file, object_pairs_hook=once)))
        except ValueError as error:
            print(f"{name}: {error}")
            wrong += 1
            continue
        for error in errors[:20]:
            print(f"{name}: {'/'.join(str(part) for part in error.absolute_path)}: {error.message[:300]}")
        wrong += len(errors)
    return 1 if wrong or not documents else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
