"""What schemathesis can't know from a description alone."""

import hashlib
import json
import re
from collections import defaultdict

import schemathesis

# Valid data is refused for these reasons only: no schema can tell them.
BEYOND_SCHEMAS = re.compile(
    # PostgreSQL keeps no NUL, wherever in a body it is.
    r"NUL characters are not allowed\."
    # Unique by one member, not as a whole.
    r"|The same key twice\."
    # A member of the body against the record as it is.
    r"|Cannot change[.;]"
    r"|Moves only by /status\."
    # A member of the body against a header.
    r"|Does not match the header"
    r"|Required where X-"
    r"|There is no organization to share it with\."
    # One of several members, or a header in their place.
    r"|Name a session, a matter or a thread\."
    r"|Name the thread, or the session it belongs to\."
    r"|Say whose this is"
    r"|Say something, or name a skill\."
    r"|skill_only needs a skill\."
    # Answers against the questions that were asked.
    r"|needs an answer\."
    r"|No question asks for this\."
    # A member that names another record.
    r"|There is no such \w+\.$"
    r"|A category cannot be below itself\."
    # An address that can be fetched, a schedule that comes.
    r"|An upload has no \w+\.|There is nothing to fetch without a url\.|Not a URL\."
    r"|Only http and https are fetched\.|The URL holds a password\.|Not on the public Internet"
    r"|Not a cron expression of five parts\.|nested too deep"
)

# The names of the records that are there, by the path that makes them.
made = defaultdict(list)
# Where keys are chosen by the client, those that were sent.
used = set()
# Members that name a record, and the path that makes such records.
REFERENCES = {"group_id": "/api/v1/tag-groups", "parent_id": "/api/v1/categories"}


@schemathesis.hook
def map_case(context, case):
    """Lets valid requests reach records: of one organization, by names that are there."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return case
    stateful = case.meta.phase.name.value == "stateful"
    if "X-Organization-Id" in case.headers:
        case.headers["X-Organization-Id"] = "acme"
    if case.operation.path.startswith("/api/v1/consultations/"):
        # Who asks is told by two headers together, of which a guard describes one.
        case.headers.update({"X-User-Id": "u", "X-Organization-Id": "acme"})
    if re.match(r"/api/v1/(collector|seed-packages)/", case.operation.path):
        case.headers.update({"X-User-Id": "u", "X-Organization-Id": "acme"})
    if isinstance(case.body, dict):
        refer(case.body)
        if case.method == "POST":
            rename(context.operation.path, case.body)
    if case.headers.pop("Idempotency-Key", None) is not None and not stateful:
        # A key of its own for each body: the same with another body is a conflict. A repeated one
        # gives the first answer again, be its record deleted since, which confuses later steps.
        case.headers["Idempotency-Key"] = hashlib.sha256(repr(case.body).encode()).hexdigest()
    if "If-Match" in case.headers and case.meta.phase.name.value == "coverage":
        case.headers["If-Match"] = "*"
    for parameter in [] if stateful else case.path_parameters:
        collection = collection_of(context.operation.path, parameter)
        if made[collection]:
            case.path_parameters[parameter] = made[collection][-1]
    return case


def collection_of(path, parameter=None):
    """What a parameter names a record of: the same, whichever door leads there."""
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
    """A key that was sent before gives way to a new one."""
    if "key" not in body:
        return
    if (collection, body["key"]) in used:
        body["key"] = f"key-{len(used)}"
    used.add((collection, body["key"]))


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code == 201:
        data = json.loads(response.text)["data"]
        if isinstance(data, dict):
            # An id, or what its client calls it.
            collection = collection_of(case.operation.path).removesuffix("/upload")
            made[collection].append(data.get("id", data.get("key", data.get("fileId"))))
    elif response.status_code == 200 and case.method == "DELETE":
        parameter = case.operation.path.rpartition("/")[2][1:-1]
        collection = collection_of(case.operation.path, parameter)
        gone = case.path_parameters.get(parameter)
        made[collection] = [name for name in made[collection] if name != gone]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """False for what is as it should be."""
    kind = type(failure).__name__
    status = response.status_code
    if kind == "RejectedPositiveData" and status == 400:
        issues = (json.loads(response.text)["data"] or {}).get("issues", [])
        return not issues or not all(BEYOND_SCHEMAS.search(issue["message"]) for issue in issues)
    if kind == "RejectedPositiveData" and status == 413:
        # How large a file may be is for those to say who run the service.
        return case.operation.path != "/api/v1/files/upload-url"
    if kind == "AcceptedNegativeData":
        # Refused before it was looked at.
        return status != 413
    if kind == "ServerError":
        # No other service runs here, and the operation says that it needs one.
        return not (status == 503 and "503" in case.operation.definition.raw["responses"])
    if kind == "AllowHeaderMismatch":
        # A path without parameters may be one with parameters too, whose methods count as well.
        return bool(failure.missing_methods) or "{" in case.operation.path
    return True
