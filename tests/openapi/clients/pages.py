"""All members of a collection, page by page."""


def pages(read, **arguments):
    """Yields all members. `read` is the function `sync` of a list, with its arguments."""
    page = read(**arguments)
    yield from page.items
    while page.next_cursor:
        page = read(**arguments, after=page.next_cursor)
        yield from page.items
