"""Leaves out requests whose parts are valid, but not together or not now, which JSON Schema cannot express."""

import os

import schemathesis

# The lowest limit of `page` times `limit`.
MOST_ITEMS = 10_000

# A key belongs to the first request that it was sent with, and a tag to a version of a domain.
HEADERS_OF_ONE_REQUEST = ("idempotency-key", "if-match")


@schemathesis.auth().apply_to(path_regex="^/api/v1/")
class Token:
    """Only for the operations that take one: others reject it."""

    def get(self, case, context):
        return os.environ["API_TOKEN"]

    def set(self, case, data, context):
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}


@schemathesis.hook
def before_call(context, case, kwargs):
    for name in [name for name in case.headers or {} if name.lower() in HEADERS_OF_ONE_REQUEST]:
        del case.headers[name]


@schemathesis.hook
def filter_case(context, case):
    query = case.query or {}
    body = case.body if isinstance(case.body, dict) else {}
    return not (
        has_two_dates(query)
        or has_two_dates(body)
        or is_beyond_the_last_page(query)
        or depends_on_the_domain(case, body)
        or is_refused_in_part(case)
    )


def has_two_dates(given):
    """They have to be in order, and not too far apart."""
    return "startDate" in given and "endDate" in given


def is_beyond_the_last_page(query):
    page, limit = str(query.get("page", 1)), str(query.get("limit", 20))
    return page.isdecimal() and limit.isdecimal() and int(page) * int(limit) > MOST_ITEMS


def depends_on_the_domain(case, body):
    """Only verified domains have a badge, and only domains that receive mail have a test mailbox."""
    return case.method == "PATCH" and ("badge" in body or "testEmailLocalPart" in body)


def is_refused_in_part(case):
    """The response to a batch says which of its domains are invalid."""
    return case.path.endswith("/domains/batch") and case.meta is not None and case.meta.generation.mode.is_negative
