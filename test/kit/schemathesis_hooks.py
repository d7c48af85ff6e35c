"""Leaves out requests whose parts are valid, but not together or not now, which JSON Schema cannot express."""

import ipaddress
import os
import re
from datetime import datetime

import schemathesis

DAYS_OR_TIMES = ("startDate", "endDate")

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
    query = case.query or {}
    # A position is part of the page before, and a window is given in one of two ways.
    query.pop("pageToken", None)
    if any(name in query for name in ("since", "until")):
        for name in DAYS_OR_TIMES:
            query.pop(name, None)


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
        or not are_valid(query, DAYS_OR_TIMES, moment)
        or not are_valid(body, DAYS_OR_TIMES, moment)
        or not are_valid(query, ("sourceIp",), ipaddress.ip_address)
        or not all(is_network(one) for one in body.get("networks") or [])
        or has_wrong_mailbox(case, body)
    )


def has_two_dates(given):
    """They have to be in order, and not too far apart."""
    return "startDate" in given and "endDate" in given


def is_negative(case):
    return case.meta is not None and case.meta.generation.mode.is_negative


def are_valid(given, names, parse):
    """Whether the fields with these names, as far as they are given, can be parsed."""
    try:
        for name in names:
            if name in given:
                parse(given[name])
    except (TypeError, ValueError):
        return False
    return True


def moment(text):
    return datetime.fromisoformat(re.sub(r"[.]\d+", "", text))


def is_network(text):
    try:
        return ipaddress.ip_network(text) is not None
    except (TypeError, ValueError):
        return False


def has_wrong_mailbox(case, body):
    """A domain that receives mail needs a test mailbox, and others have none."""
    if not case.path.endswith(("/domains", "/domains/batch")) or case.method != "POST":
        return False
    domains = body.get("domains") if "domains" in body else [body]
    return any(
        isinstance(one, dict)
        and ("receives" in str(one.get("usageType", "receives"))) != isinstance(one.get("testEmailLocalPart"), str)
        for one in domains or []
    )


def is_beyond_the_last_page(query):
    page, limit = str(query.get("page", 1)), str(query.get("limit", 20))
    return page.isdecimal() and limit.isdecimal() and int(page) * int(limit) > MOST_ITEMS


def depends_on_the_domain(case, body):
    """Only verified domains have a badge, and only domains that receive mail have a test mailbox."""
    return case.method == "PATCH" and ("badge" in body or "testEmailLocalPart" in body)


def is_refused_in_part(case):
    """The response to a batch says which of its domains are invalid."""
    return case.path.endswith("/domains/batch") and is_negative(case)
