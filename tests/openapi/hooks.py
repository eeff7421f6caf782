"""Tells Schemathesis what OpenAPI 3.1 cannot express about an interface of Nouns, and nothing else.

Parameters that exclude each other, lists whose elements may not repeat, and values that depend on
the state of the server have no schema. Before a request that should be accepted is sent, the hook
makes it keep these rules. Requests that should be refused are sent as the tool makes them.
"""

import json
from urllib.parse import urlsplit

import requests
import schemathesis
from schemathesis import GenerationMode


# The cursors that pages have had, each with the path and the query of its page.
PAGES = {}
CURSORS = ("after", "before")
WINDOW = (*CURSORS, "limit", "offset", "page", "per_page", "count", "format")


def without_repetition(text, key=lambda part: part):
    seen, kept = set(), []
    for part in text.split(","):
        if key(part) not in seen:
            seen.add(key(part))
            kept.append(part)
    return ",".join(kept)


def of_a_page(query, path):
    """A cursor is opaque: only a page has one, and it belongs to the filters and the order of that
    page. The stateful phase follows those of pages."""
    page, filters = PAGES.get(str(query.get("after")), (None, {}))
    if page == path:
        kept = ("after", "limit", "count", "format")
        return filters | {name: query[name] for name in kept if name in query}
    return {name: value for name, value in query.items() if name not in CURSORS}


def allowed_query(query, path, method, is_collection):
    # A list without elements is not sent.
    query = {name: value for name, value in query.items() if value != []}
    query = of_a_page(query, path)
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


def allowed_headers(headers, method, is_example):
    left_out = {
        # A key names one body, so several requests cannot share it.
        "idempotency-key",
        # The response to a POST has no content then, with the same status.
        "prefer" if method == "POST" else "",
    }
    # The entity tag of an example is not that of a stored member, so each example would be a 412.
    if is_example:
        left_out |= {name.lower() for name in headers if name.lower().startswith("if-")}
    return {name: value for name, value in headers.items() if name.lower() not in left_out}


def sent(part):
    """Returns a part of the document with the schemas of requests. Bounds of decimals, dates and
    times are in `x-minimum` and `x-maximum`, as JSON Schema compares numbers alone. So requests have
    the bounds themselves. Responses keep their schemas."""
    if isinstance(part, list):
        return [sent(one) for one in part]
    if not isinstance(part, dict):
        return part
    copy = {key: sent(value) for key, value in part.items()}
    bounds = [copy[key] for key in ("x-minimum", "x-maximum") if key in copy]
    if bounds:
        copy["enum"] = bounds + ([None] if "null" in copy.get("type", []) else [])
    if isinstance(copy.get("$ref"), str):
        copy["$ref"] = copy["$ref"].replace("#/components/schemas/", "#/components/schemas/Sent")
    return copy


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Leaves out `fields`: the response has fewer members then, which no schema can say."""
    components = raw_schema["components"]
    of_requests = {f"Sent{name}": sent(one) for name, one in components["schemas"].items()}
    components["schemas"].update(of_requests)
    components["parameters"] = sent(components.get("parameters", {}))
    for item in raw_schema["paths"].values():
        for operation in filter(lambda one: isinstance(one, dict), item.values()):
            if "requestBody" in operation:
                operation["requestBody"] = sent(operation["requestBody"])
            if "parameters" in operation:
                kept = [one for one in operation["parameters"] if not one.get("$ref", "").endswith(".fields")]
                operation["parameters"] = sent(kept)


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or case.meta.generation.mode != GenerationMode.POSITIVE:
        return
    method = case.method.upper()
    is_collection = not case.path.endswith("}")
    case.query = allowed_query(case.query or {}, case.formatted_path, method, is_collection)
    if case.headers:
        is_example = case.meta.phase.name == "examples"
        case.headers = allowed_headers(case.headers, method, is_example)
    # A token ends in the future.
    if isinstance(case.body, dict) and case.path == "/tokens":
        case.body.pop("expires_at", None)
    # The paths of a patch exist in the member that it changes.
    if case.media_type == "application/json-patch+json":
        case.body = []


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code == 200 and response.headers["content-type"] == ["application/json"]:
        page = json.loads(response.text)
        if isinstance(page, dict) and "next_cursor" in page:
            query = {name: value for name, value in case.query.items() if name not in WINDOW}
            PAGES[page["next_cursor"]] = case.formatted_path, query


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
