"""Tells Schemathesis what OpenAPI 3.1 cannot express about an interface of Nouns, and nothing else.

Parameters that exclude each other, lists whose elements may not repeat, and values that depend on
the state of the server have no schema. Before a request that should be accepted is sent, the hook
makes it keep these rules. Requests that should be refused are sent as the tool makes them.
"""

import re
from urllib.parse import urlsplit

import requests
import schemathesis
from schemathesis import GenerationMode


CURSOR = re.compile("[A-Za-z0-9_-]{12,}")


def without_repetition(text, key=lambda part: part):
    seen, kept = set(), []
    for part in text.split(","):
        if key(part) not in seen:
            seen.add(key(part))
            kept.append(part)
    return ",".join(kept)


def allowed_query(query, method, is_collection):
    query = dict(query)
    # A cursor is opaque: only a page has one. The stateful phase follows those of pages.
    query.pop("before", None)
    after = str(query.get("after"))
    if not CURSOR.fullmatch(after) or len(set(after)) < 6:
        query.pop("after", None)
    # The families of page parameters exclude each other.
    if "after" in query:
        for name in ("offset", "page", "per_page"):
            query.pop(name, None)
    if {"page", "per_page"} & query.keys():
        query.pop("limit", None)
        query.pop("offset", None)
    # The product of page and size is an offset of 64 bits.
    if isinstance(query.get("page"), int) and query["page"] > 2**40:
        query["page"] = query["page"] % 2**40 + 1
    if isinstance(query.get("sortby"), str):
        query["sortby"] = without_repetition(query["sortby"], lambda part: part.lstrip("-"))
    # `order` has one direction for all sort keys, or one for each, and no `-` beside it.
    if "order" in query:
        keys = query.get("sortby")
        if not isinstance(keys, str) or "-" in keys:
            query.pop("order")
        else:
            query["order"] = query["order"].split(",")[0]
    # A query has at most 100 parameters.
    query = dict(list(query.items())[:60])
    # A deletion of many members needs at least one filter, whichever it is.
    if method == "DELETE" and is_collection and not query:
        query["id"] = [1]
    return query


def allowed_headers(headers, method):
    left_out = {
        # A key names one body, so several requests cannot share it.
        "idempotency-key",
        # The response to a POST has no content then, with the same status.
        "prefer" if method == "POST" else "",
    }
    return {name: value for name, value in headers.items() if name.lower() not in left_out}


def with_bounds(schema):
    """Bounds of decimals, dates and times are in `x-minimum` and `x-maximum`: JSON Schema compares
    numbers alone."""
    if isinstance(schema, list):
        for part in schema:
            with_bounds(part)
    if isinstance(schema, dict):
        bounds = [schema[key] for key in ("x-minimum", "x-maximum") if key in schema]
        if bounds:
            nothing = [None] if "null" in schema.get("type", []) else []
            schema["enum"] = bounds + nothing
        for part in schema.values():
            with_bounds(part)


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Leaves out `fields`: the response has fewer members then, which no schema can say."""
    with_bounds(raw_schema["components"]["schemas"])
    for item in raw_schema["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict) and "parameters" in operation:
                kept = [one for one in operation["parameters"] if not one.get("$ref", "").endswith(".fields")]
                operation["parameters"] = kept


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or case.meta.generation.mode != GenerationMode.POSITIVE:
        return
    method = case.method.upper()
    is_collection = not case.path.endswith("}")
    case.query = allowed_query(case.query or {}, method, is_collection)
    if case.headers:
        case.headers = allowed_headers(case.headers, method)
    # A token ends in the future.
    if isinstance(case.body, dict) and case.path == "/tokens":
        case.body.pop("expires_at", None)
    # The paths of a patch exist in the member that it changes.
    if case.media_type == "application/json-patch+json":
        case.body = []


@schemathesis.check
def redirects_lead_to_pages(ctx, response, case):
    """A temporary redirect leaves out empty filters of a page. What is left must be valid."""
    if response.status_code != 302:
        return
    sent = response.request
    # The host of `public_url` is not the one of the test.
    to = urlsplit(sent.url)._replace(query=urlsplit(response.headers["location"][0]).query).geturl()
    found = requests.request(sent.method, to, headers=sent.headers, allow_redirects=False, timeout=10)
    assert found.status_code in {200, 304, 404, 412, 416}, f"{to}: {found.status_code} {found.text}"
