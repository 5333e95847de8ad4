"""Rules that schemathesis cannot derive from an API description."""

import hashlib
import json
import os
import re
from collections import defaultdict

import requests
import schemathesis

# Messages of the only reasons to reject schema-valid data: rules that no schema expresses.
BEYOND_SCHEMAS = re.compile(
    # PostgreSQL does not store NUL.
    r"NUL characters are not allowed\."
    # Unique by one field.
    r"|Duplicate key\."
    # A field against the stored record.
    r"|Cannot change[.;]"
    r"|Moves only by /status\."
    # A field against a header.
    r"|Does not match the header"
    r"|Required where X-"
    r"|There is no organization to share it with\."
    # One of several fields, or a header instead.
    r"|Name a session, a matter or a thread\."
    r"|Name the thread, or the session it belongs to\."
    r"|Say whose this is"
    r"|Say something, or name a skill\."
    r"|skill_only needs a skill\."
    # Answers against the questions of a card.
    r"|needs an answer\."
    r"|No question asks for this\."
    # A field that references another record.
    r"|There is no such \w+\.$"
    r"|A category cannot be below itself\."
    # A URL that can be fetched, a valid schedule.
    r"|An upload has no \w+\.|There is nothing to fetch without a url\.|Not a URL\."
    r"|Only http and https are fetched\.|The URL holds a password\.|Not on the public Internet"
    r"|Not a cron expression of five parts\.|nested too deep"
    # A position in a list, from an earlier response.
    r"|Invalid cursor\.|Send either page or cursor\."
    r"|The year must be between 1 and 9999"
    r"|Unknown person\."
    r"|is in a cycle or deeper than"
)

# Ids of existing records, by the path that creates them.
made = defaultdict(list)
# Client-chosen keys that were sent.
used = set()
# Fields that reference a record, and the path that creates such records.
REFERENCES = {"group_id": "/api/v1/tag-groups", "parent_id": "/api/v1/categories"}

# Base URL of the gateway, and bearer tokens by the beginning of the path. Unset for other services.
GATEWAY = os.environ.get("FUZZ_GATEWAY")
BEARERS = json.loads(os.environ.get("FUZZ_BEARERS", "{}"))
# Cookie and CSRF token of the session at the gateway.
session = {}

build_response = requests.adapters.HTTPAdapter.build_response


def build_short_response(adapter, request, raw):
    """Reads an event stream up to its first event: some streams never end."""
    response = build_response(adapter, request, raw)
    if response.headers.get("Content-Type", "").startswith("text/event-stream"):
        response._content = b""
        for chunk in response.iter_content(None):
            response._content += chunk
            if b"\n\n" in response._content:
                break
        response._content_consumed = True
        response.close()
    return response


requests.adapters.HTTPAdapter.build_response = build_short_response


@schemathesis.hook
def before_call(context, case, kwargs):
    """Signs in at the gateway, again after the session ended."""
    if not GATEWAY:
        return
    if case.path == "/mcp":
        case.headers["Accept"] = "application/json, text/event-stream"
    bearer = next((BEARERS[start] for start in BEARERS if case.path.startswith(start)), None)
    if bearer:
        case.headers["Authorization"] = f"Bearer {bearer}"
        return
    if not session:
        answer = requests.post(f"{GATEWAY}/auth/local", json={"person": "sample-administrator"})
        session["Cookie"] = answer.headers["Set-Cookie"].partition(";")[0]
        session["X-CSRF-Token"] = answer.json()["data"]["csrf"]
    case.headers.update(session)


@schemathesis.hook
def map_case(context, case):
    """Makes valid requests use one organization and ids of existing records."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return case
    stateful = case.meta.phase.name.value == "stateful"
    if "X-Organization-Id" in case.headers:
        case.headers["X-Organization-Id"] = "acme"
    if not GATEWAY and "/internal/" not in case.operation.path:
        # A caller has several headers, of which the guard describes one.
        case.headers.update(
            {"X-User-Id": "u", "X-Organization-Id": "acme", "X-User-Type": "operator"}
        )
    if isinstance(case.body, dict):
        refer(case.body)
        if case.method == "POST":
            rename(context.operation.path, case.body)
    if case.headers.pop("Idempotency-Key", None) is not None and not stateful:
        # One key per body: the same key with another body is a conflict. A repeated key replays
        # the first response, even if its record was deleted, which confuses later steps.
        case.headers["Idempotency-Key"] = hashlib.sha256(repr(case.body).encode()).hexdigest()
    if "If-Match" in case.headers and case.meta.phase.name.value == "coverage":
        case.headers["If-Match"] = "*"
    for parameter in [] if stateful else case.path_parameters:
        collection = collection_of(context.operation.path, parameter)
        if made[collection]:
            case.path_parameters[parameter] = made[collection][-1]
    return case


def collection_of(path, parameter=None):
    """Collection of a path parameter, the same for external and internal paths."""
    collection = path.partition("/{%s}" % parameter)[0].replace("/internal/", "/")
    collection = collection.replace("/sources/{source_id}/documents", "/documents")
    return collection.replace("/v1/sessions", "/v1/consultations/sessions")


def refer(body):
    for member in ("tenant_id", "organization_id"):
        if member in body:
            body[member] = "acme"
    for member, collection in REFERENCES.items():
        if body.get(member) is not None:
            body[member] = made[collection][0] if made[collection] else None


def rename(collection, body):
    """Replaces a key that was sent before by a new one."""
    if "key" not in body:
        return
    if (collection, body["key"]) in used:
        body["key"] = f"key-{len(used)}"
    used.add((collection, body["key"]))


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code == 401 or re.match(r"/auth/(logout|sessions|admin)", case.path):
        session.clear()
    if response.status_code == 201:
        data = json.loads(response.text)["data"]
        if isinstance(data, dict):
            # The id, or the client-chosen key.
            collection = collection_of(case.operation.path).removesuffix("/upload")
            made[collection].append(data.get("id", data.get("key", data.get("fileId"))))
    elif response.status_code == 200 and case.method == "DELETE":
        parameter = case.operation.path.rpartition("/")[2][1:-1]
        collection = collection_of(case.operation.path, parameter)
        gone = case.path_parameters.get(parameter)
        made[collection] = [name for name in made[collection] if name != gone]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Returns False for failures that are expected behaviour."""
    kind = type(failure).__name__
    status = response.status_code
    if status == 431:
        # The limit of the HTTP server on the size of the URL.
        return False
    if case.path == "/mcp" and kind == "RejectedPositiveData":
        # The protocol has schemas of its own, and no GET and DELETE without sessions.
        return status not in (400, 405)
    if case.path.startswith("/scim/") and kind == "RejectedPositiveData" and status == 400:
        # Rules of RFC 7644 on filters, paths of a PATCH and values.
        return "scimType" not in json.loads(response.text)
    if kind == "RejectedPositiveData" and status == 400:
        issues = (json.loads(response.text)["data"] or {}).get("issues", [])
        return not issues or not all(BEYOND_SCHEMAS.search(issue["message"]) for issue in issues)
    if kind == "RejectedPositiveData" and status == 413:
        # The maximum file size is configuration.
        return case.operation.path != "/api/v1/files/upload-url"
    if kind == "AcceptedNegativeData":
        # Rejected by size before validation.
        return status != 413
    if kind == "ServerError":
        # No other service runs here, and the operation documents 503.
        return not (status == 503 and "503" in case.operation.definition.raw["responses"])
    if kind == "AllowHeaderMismatch":
        # A literal path may also match a parameterized path, whose methods are allowed as well.
        return bool(failure.missing_methods) or "{" in case.operation.path
    return True
