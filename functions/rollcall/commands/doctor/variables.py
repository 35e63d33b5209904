"""The environment variables that functions read. The table in docs/deploy.md is made of this."""

from __future__ import annotations

from msgspec import Struct

from rollcall.commands.doctor.findings import name_list
from rollcall.core.options import PREFIX
from rollcall.models.provider import Provider, providers

_INSTANCES = r"\s*(?:[A-Za-z0-9_-]+|\*)\s*:\s*\d{1,4}\s*"
_UPLOADER = r"\s*(?:user|student|teacher|admin|claim:[^=,]+=[^,]+)\s*"
_UPLOADERS = (rf"{_UPLOADER}(,{_UPLOADER})*", "of the form teacher,claim:plan=premium")


class Variable(Struct, frozen=True):
    """One variable.

    Attributes:
        does: What its value does, as Markdown for the documentation.
        default: What holds where it is not set.
        form: A regular expression that its value has to match, and the same in words.
    """

    does: str
    default: str = "none"
    form: tuple[str, str] | None = None


def _of_provider(provider: Provider) -> dict[str, Variable]:
    *others, key = provider.keys
    more = f". {name_list(f'`{name}`' for name in others)} is read as well" if others else ""
    return {
        key: Variable(f"Key of {provider.label}{more}"),
        provider.model_variable: Variable(f"{provider.label} model", f"`{provider.model}`"),
        provider.address_variable: Variable(
            f"URL of a server that speaks the protocol of {provider.label}", "its own"
        ),
        **{each.name: Variable(each.does, each.default, each.form) for each in provider.settings},
    }


MODELS: dict[str, Variable] = {
    "ROLLCALL_MODEL": Variable(
        "Model of agents that name none: `<provider>:<model>`, or `offline:planner`",
        f"by the keys: {', then '.join(each.label for each in providers())}, then offline",
        (r"[a-z_]+:.+", "<provider>:<model>"),
    ),
    **{name: each for found in providers() for name, each in _of_provider(found).items()},
    "ROLLCALL_EMBEDDER": Variable(
        "Embedding model for search, of at most 768 dimensions",
        "by the keys; without one, search by words",
        (r"[a-z_]+:.+", "<provider>:<model>"),
    ),
    "ROLLCALL_ALLOW_UNPRICED": Variable(
        "`true` allows models without a known [price](limits.md#prices)",
        "refused",
        (r"true|false", "true or false"),
    ),
    "ROLLCALL_CONTEXT_WINDOW": Variable(
        "Tokens of the models' context window: `32768`, or `openai:qwen3*:32768,openai:phi4:16384`",
        "as the provider's descriptor says",
        (
            r"\s*([^,]+:)?\d{3,8}\s*(,\s*[^,]+:\d{3,8}\s*)*",
            "a number of tokens, or of the form openai:qwen3*:32768",
        ),
    ),
}
"""Which models answer, and with which keys."""

OTHERS: dict[str, Variable] = {
    "ROLLCALL_SECRETS": Variable("Secrets of Secret Manager, by commas, bound to every function"),
    "ENFORCE_APP_CHECK": Variable(
        "`true` refuses calls without a valid App Check token",
        "not enforced",
        (r"true|false", "true or false"),
    ),
    "ROLLCALL_API_HOSTS": Variable(
        "Hosts of HTTP APIs that may be called ([dispatch](dispatch.md#api_endpoint))"
    ),
    "ROLLCALL_API_SECRETS": Variable("JSON: by host, the variable that holds its secret"),
    "ROLLCALL_FUNCTION_HOSTS": Variable(
        "Hosts of functions under other URLs that may be called "
        "([dispatch](dispatch.md#firebase_function))",
        "this project and region",
    ),
    "ROLLCALL_STATEMENT_SECRET": Variable(
        "Signs who the user is for other codebases; at least 32 characters, in Secret Manager",
        "no statements",
    ),
    "ROLLCALL_UPLOADS": Variable(
        "Roles and claims that may [upload documents](knowledge.md#who-may-upload)",
        "`user`",
        _UPLOADERS,
    ),
    "ROLLCALL_TEAM_UPLOADS": Variable("The same, for their team", "`teacher`", _UPLOADERS),
    "ROLLCALL_FILES_BUCKET": Variable(
        "Bucket for [uploaded files](knowledge.md#where-files-are); `none` keeps them in Firestore",
        "the project's bucket, otherwise Firestore",
        (r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]", "a bucket's name, or none"),
    ),
    "ROLLCALL_ERASE_DEPARTED": Variable(
        "`always` erases even if [most accounts seem gone](your_data.md#deleted-accounts)",
        "not then",
        (r"always", "always"),
    ),
    "ROLLCALL_LEASE_S": Variable(
        "Seconds without a sign of life after which a run may be taken over",
        "60",
        (r"[1-9]\d*(\.\d+)?", "a number of seconds"),
    ),
    "THREADS": Variable("Requests that one instance serves at once", "48, in `functions/.env`"),
    "ROLLCALL_REGION": Variable(
        "Region of the functions",
        "us-central1",
        (r"[a-z]+-[a-z]+\d+", "a region, such as europe-west1"),
    ),
    "ROLLCALL_MIN_INSTANCES": Variable(
        "`run_agent:1`: instances of a function that are kept warm",
        form=(rf"{_INSTANCES}(,{_INSTANCES})*", "of the form run_agent:1"),
    ),
    "ROLLCALL_MAX_INSTANCES": Variable(
        "`run_agent:50,*:10`: most instances of a function; `*` is all others",
        "100, by firebase-tools",
        (rf"{_INSTANCES}(,{_INSTANCES})*", "of the form run_agent:50,*:10"),
    ),
    "ROLLCALL_MAX_TASKS": Variable(
        "`continuerun:300`: [tasks of a queue](#11-capacity) that run at once, at most 5,000",
        "50 of `continuerun`",
        (rf"{_INSTANCES}(,{_INSTANCES})*", "of the form continuerun:300"),
    ),
    "ROLLCALL_PREFIX": Variable(
        "Stands before the names of Rollcall's [functions and collections](#the-prefix)",
        form=(PREFIX, "a lower-case letter and up to 15 more letters or digits"),
    ),
    "ROLLCALL_CODEBASE": Variable(
        "This codebase, where several publish to one registry",
        "`default`",
        (r"[a-z0-9_-]{1,63}", "a codebase of firebase.json"),
    ),
    "ROLLCALL_LOGS": Variable(
        "`json` or `text` ([logs](operating.md#logs))",
        "JSON where deployed, text on the emulators",
        (r"json|text", "json or text"),
    ),
    "ROLLCALL_TRACES": Variable(
        "`otel`: spans by OpenTelemetry ([traces](operating.md#traces))", form=(r"otel", "otel")
    ),
}

VARIABLES = MODELS | OTHERS
"""Every variable, by its name."""
