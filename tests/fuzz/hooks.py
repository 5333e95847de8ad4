"""Rules that schemathesis cannot derive from an API description."""

import hashlib
import json
import os
import re
from collections import defaultdict

import requests
import schemathesis

# The only reasons to reject schema-valid data: rules that no schema expresses. Each is a whole message.
BEYOND_SCHEMAS = re.compile(
    # PostgreSQL does not store NUL, and writes some years otherwise. Nesting has a limit.
    r"(Member name: )?NUL characters are not allowed\."
    r"|The year must be between 1 and 9999 in UTC\."
    r"|The (value is nested deeper than 64 levels|markup is nested too deeply)\."
    # Unique by one field.
    r"|Duplicate (key|id|phase_id|answer)\."
    # A field against the stored record.
    r"|This field is immutable\.( Create a new fact instead\.)?|Change the status with POST /status\."
    # A field against a header.
    r"|(Does not match|Differs from|Contradicts) the header X-(Organization|User)-Id\."
    r"|Required without X-(Organization|User)-Id\."
    r"|Required, here or in the header X-Organization-Id\.|Requires X-Organization-Id\."
    # One of several fields.
    r"|(session_id, matter_id or thread_id|sync_key or matter_id|thread_id or session_id"
    r"|message or skill|A query or a vector|Exactly one of content and chunks) is required\."
    r"|skill is required with skill_only\.|Give a text or citations\."
    r"|Required for kind `\w+`\.|Must not be before `\w+`\."
    # A field that references something else.
    r"|The (category|group|key) does not exist\.|Unknown skill\."
    r"|Unknown person\. See GET /auth/people\.|Not a valid logout token\."
    r"|System bases are written by seed packages only\."
    r"|A category cannot be its own descendant\."
    r"|Category \S+ is in a cycle or deeper than \d+ levels\."
    # A URL that can be fetched, a valid schedule.
    r"|Must be null for kind upload\.|Required for this kind\.|Not a valid URL\."
    r"|Only http and https are supported\.|The URL must not contain credentials\."
    r"|The address is not public \([^()]*\)\."
    r"|Must be a cron expression with five fields\."
    # A position in a list, from an earlier response.
    r"|Invalid cursor\. Use next_cursor of the previous page\.|Send either page or cursor\."
)
# Answers against the questions of a card.
ANSWER_PATH = re.compile(r"user_response\.answers(\.\d+\.(field_key|value))?")


def is_beyond_schemas(issue):
    message = issue["message"]
    if ANSWER_PATH.fullmatch(issue["path"]) and re.fullmatch(
        r"\S+ is required\.|Unknown field_key\.", message
    ):
        return True
    return BEYOND_SCHEMAS.fullmatch(message) is not None


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
        answer = json.loads(response.text)
        # A resource of SCIM has no envelope.
        data = answer.get("data", answer)
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
    if case.operation.label == "POST /api/v1/internal/ai/calculators/{id}":
        # Each calculator has its own schema of the body.
        return not (kind == "RejectedPositiveData" and status == 400)
    if kind == "RejectedPositiveData" and status == 400:
        answer = json.loads(response.text)
        if "scimType" in answer:
            # Rules of RFC 7644 on filters, paths of a PATCH and values.
            return False
        issues = (answer["data"] or {}).get("issues", [])
        return not issues or not all(map(is_beyond_schemas, issues))
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
