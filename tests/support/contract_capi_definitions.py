"""Templates of Cluster API, rendered to be held against the providers' definitions."""


def closed(schema):
    """The schema with unknown fields refused, as strict validation does."""
    if not isinstance(schema, dict):
        return schema
    found = dict(schema)
    found.pop("description", None)
    if "(?i)" in found.get("pattern", ""):  # Go's way to write it; the API server checks it
        del found["pattern"]
    for key in ("items", "additionalProperties", "not"):
        if key in found:
            found[key] = closed(found[key])
    for key in ("anyOf", "allOf", "oneOf"):
        if key in found:
            found[key] = [closed(part) for part in found[key]]
    if "properties" in found:
        found["properties"] = {name: closed(part) for name, part in found["properties"].items()}
        if not found.get("x-kubernetes-preserve-unknown-fields"):
            found.setdefault("additionalProperties", False)
    return found
