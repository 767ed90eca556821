"""JSON that follows a schema."""

from guerdon_plugins.format.part import Part, all_missing
from guerdon_plugins.format.schema import CompiledSchema
from guerdon_plugins.parsing.json_text import JsonText, find_json, read_json, strip_fence
from guerdon_plugins.parsing.span import Span

PARTS = ("json", "schema")


def judge_json(
    text: Span, schema: CompiledSchema | None, *, allow_fence: bool, allow_prose: bool, exactly_one: bool
) -> tuple[list[Part], JsonText | None]:
    """Judge that the text is JSON (or, with prose allowed, ends on a JSON value) and follows the schema."""
    found = read_whole(text.text, allow_fence=allow_fence)
    if found.fault and allow_prose:
        found = _in_prose(text.text, schema, exactly_one=exactly_one)
    span = (found.start + text.start, found.end + text.start)
    if found.fault:
        return all_missing(PARTS, found.fault, span), None
    fault = schema.fault(found.value) if schema else ""
    return [Part("json"), Part("schema", fault, span if fault else None)], found


def read_whole(text: str, *, allow_fence: bool) -> JsonText:
    """Read the whole text as JSON: as it stands first, then without one fence around it."""
    found = read_json(text)
    if not (found.fault and allow_fence) or (inner := strip_fence(text)) is None:
        return found
    fenced = read_json(inner.text)
    return JsonText(fenced.value, fenced.start + inner.start, fenced.end + inner.start, fenced.fault)


def _in_prose(text: str, schema: CompiledSchema | None, *, exactly_one: bool) -> JsonText:
    """Return the value that the text ends on; the last one wins, even if it is broken."""
    found = [value for value in find_json(text) if value.fault or schema is None or schema.may_be(value.value)]
    if not found:
        return JsonText(None, 0, len(text), "no JSON object or array in the text")
    if exactly_one and len(found) > 1:
        return JsonText(None, found[1].start, found[-1].end, f"{len(found)} JSON values; exactly one is asked for")
    return found[-1]
