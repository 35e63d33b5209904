"""Google's models and embeddings, `gemini:<model>`, through the Gemini API or Vertex AI.

With a key the Gemini API is called (`GOOGLE_GEMINI_BASE_URL` names another URL). With
`GEMINI_BACKEND=vertex` Vertex AI is called with the function's own identity, in the project and
location that `GOOGLE_CLOUD_PROJECT` and `GOOGLE_CLOUD_LOCATION` name, as for Google's libraries.
The Gemini API is told not to store prompts (`store`, a field that Vertex AI refuses), and nothing
is retried here.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from rollcall.core.context import LiveToken
from rollcall.core.errors import FailedPrecondition, Unavailable
from rollcall.core.messages import Json, Message, ModelMessage, Text, ToolMessage, ToolResult
from rollcall.core.redaction import redacted
from rollcall.models.base import (
    ArgumentsDelta,
    BrokenOff,
    CallEnd,
    CallStart,
    Clock,
    Delta,
    Finish,
    FinishReason,
    ModelRequest,
    TextDelta,
    Usage,
)
from rollcall.models.content import encode_body, finish_reason, unique_id
from rollcall.models.failures import agent_errors, translate_failures
from rollcall.models.json_stream import count, mapping, parse_json, sequence, text
from rollcall.models.provider import provider
from rollcall.models.transport import ProviderError, error_of, post

if TYPE_CHECKING:
    from google import genai

PROVIDER = provider("gemini")
EMBED_LIMIT_S = 60.0
EMBED_BATCH = 100
TOKEN_LIMIT_S = 20.0

# Gemini 3 refuses a call without a signature of its own thinking. For calls that another model
# made, Google documents this text in place of a signature.
_FOREIGN_SIGNATURE = "skip_thought_signature_validator"

_JOINED = ({"text"}, {"text", "thought"})
"""Keys of parts that are joined: such parts are pieces of one text."""


class Model:
    """A Gemini model that streams text and calls tools."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.id = f"{PROVIDER.id}:{name}"

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        """Call the model once; see `rollcall.models.base`."""
        clock = Clock(request.deadline)
        yield from translate_failures(self._stream(request, clock), self.id, clock)

    def _stream(self, request: ModelRequest, clock: Clock) -> Iterator[Delta]:
        url, headers = _place(self.name, streamed=request.streamed)
        with post(url, body_of(request, self.name), headers, clock) as response:
            reply = Reply()
            for chunk in response.events():
                if chunk.get("error"):
                    raise ProviderError(0, error_of(chunk))
                yield from reply.read(chunk)
            yield from reply.finish()


class Embedder:
    """A Gemini embedding model, with vectors of 768 dimensions and length 1."""

    dimensions = 768

    def __init__(self, name: str) -> None:
        self.name = name
        self.id = f"{PROVIDER.id}:{name}"

    def embed(self, texts: list[str], *, task: Literal["query", "document"]) -> list[list[float]]:
        """Turn texts into vectors, in the order of the texts.

        Raises:
            AgentError: As for a model's `stream`.
        """
        from google.genai import types

        config = types.EmbedContentConfig(
            output_dimensionality=self.dimensions,
            http_options=types.HttpOptions(timeout=int(EMBED_LIMIT_S * 1000)),
        )
        lead = ""
        if "embedding-001" in self.name:
            config.task_type = f"RETRIEVAL_{task.upper()}"
        else:  # later models read the task from the text
            lead = "task: search result | query: " if task == "query" else "title: none | text: "
        # Plain strings would be merged into one vector by gemini-embedding-2.
        contents: list[Any] = [
            types.Content(parts=[types.Part(text=lead + redacted(text))]) for text in texts
        ]
        settings = vertex_place() if uses_vertex() else _api_settings()
        vectors: list[list[float]] = []
        for start in range(0, len(texts), EMBED_BATCH):
            some: Any = contents[start : start + EMBED_BATCH]
            with agent_errors(self.id, Clock(None)):
                models = _client(*settings).models
                reply = models.embed_content(model=self.name, contents=some, config=config)
                batch = [_unit(each.values or []) for each in reply.embeddings or []]
                if [len(vector) for vector in batch] != [self.dimensions] * len(some):
                    raise Unavailable("Gemini did not send one vector of 768 numbers for each text")
                vectors += batch
        return vectors


class LiveVoice:
    """A Gemini Live model, to which clients connect directly with tokens created here."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.id = f"{PROVIDER.id}:{name}"

    def create_token(
        self,
        *,
        instructions: str,
        tools: Sequence[Mapping[str, Any]],
        start_before: datetime,
        expires_at: datetime,
    ) -> LiveToken:
        """Create a token for one session; the model and its whole setup are locked.

        Raises:
            AgentError: As for a model's `stream`.
        """
        from google.genai import types

        declared = [
            types.FunctionDeclaration(
                name=each["name"],
                description=each["description"],
                parameters_json_schema=each["parameters"],
            )
            for each in tools
        ]
        setup = types.LiveConnectConfig(
            response_modalities=[types.Modality.AUDIO],
            system_instruction=redacted(instructions),
            tools=[types.Tool(function_declarations=declared)] if declared else None,
            input_audio_transcription=types.AudioTranscriptionConfig(),
            output_audio_transcription=types.AudioTranscriptionConfig(),
            session_resumption=types.SessionResumptionConfig(),
            context_window_compression=types.ContextWindowCompressionConfig(
                sliding_window=types.SlidingWindow()
            ),
        )
        # Without `lock_additional_fields` all of the setup is locked.
        config = types.CreateAuthTokenConfig(
            uses=1,
            new_session_expire_time=start_before,
            expire_time=expires_at,
            live_connect_constraints=types.LiveConnectConstraints(model=self.name, config=setup),
            http_options=types.HttpOptions(
                api_version="v1alpha", timeout=int(TOKEN_LIMIT_S * 1000)
            ),
        )
        with agent_errors(self.id, Clock(None)):
            token = _client(*_api_settings()).auth_tokens.create(config=config)
        if not token.name:
            raise Unavailable("Gemini made no token")
        return LiveToken(token=token.name, model=self.name)


def _unit(vector: list[float]) -> list[float]:
    length = sum(x * x for x in vector) ** 0.5
    return [x / length for x in vector] if length else vector


def uses_vertex() -> bool:
    """Whether Vertex AI is called, with the function's own identity, and not the Gemini API.

    Raises:
        FailedPrecondition: `GEMINI_BACKEND` is invalid.
    """
    backend = os.environ.get("GEMINI_BACKEND", "").strip().lower()
    if backend not in ("", "api", "vertex"):
        raise FailedPrecondition(f"GEMINI_BACKEND is api or vertex, not {backend!r}")
    return backend == "vertex"


def vertex_place() -> tuple[str, str]:
    """Return the project and location at Vertex AI, from the variables that Google's libraries
    read; by default the function's own project and the global endpoint.

    Raises:
        FailedPrecondition: No variable names a project.
    """
    names = ("GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT")
    project = next((value for name in names if (value := os.environ.get(name, "").strip())), "")
    if not project:
        message = "no project for Vertex AI is configured"
        raise FailedPrecondition(message, hint="set GOOGLE_CLOUD_PROJECT")
    return project, os.environ.get("GOOGLE_CLOUD_LOCATION", "").strip() or "global"


def _place(name: str, *, streamed: bool) -> tuple[str, dict[str, str]]:
    """Return the URL of a model's method, and the headers that authorize the call."""
    method = "streamGenerateContent?alt=sse" if streamed else "generateContent"
    if not uses_vertex():
        path = name if "/" in name else f"models/{name}"
        url = f"{PROVIDER.base_url()}/v1beta/{path}:{method}"
        return url, {"x-goog-api-key": PROVIDER.needed_key()}
    project, location = vertex_place()
    base = os.environ.get(PROVIDER.address_variable, "").strip().rstrip("/") or (
        f"https://{'' if location == 'global' else f'{location}-'}aiplatform.googleapis.com"
    )
    path = f"projects/{project}/locations/{location}/publishers/google/models/{name}"
    return f"{base}/v1beta1/{path}:{method}", _identity_headers()


_IDENTITY = Lock()


def _identity_headers() -> dict[str, str]:
    """Return headers with an access token of the function's service account and, if its credentials
    name one, the project that pays.

    Raises:
        FailedPrecondition: There are no credentials.
    """
    import google.auth.transport.requests
    from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError

    with _IDENTITY:  # one thread refreshes the token, the others wait for it
        try:
            credentials = _credentials()
            if not credentials.valid:
                credentials.refresh(google.auth.transport.requests.Request())
        except DefaultCredentialsError:
            message = "there are no Google credentials to call Vertex AI with"
            hint = (
                "deployed functions have their own; here run gcloud auth application-default login"
            )
            raise FailedPrecondition(message, hint=hint) from None
        except GoogleAuthError as error:
            message = f"no access token for Vertex AI: {type(error).__name__}"
            raise Unavailable(message) from None
        headers = {"authorization": f"Bearer {credentials.token}"}
        if project := credentials.quota_project_id:
            headers["x-goog-user-project"] = project
    return headers


@cache
def _credentials() -> Any:
    import google.auth

    return google.auth.default(scopes=["https://www.googleapis.com/auth/cloud-platform"])[0]


def _api_settings() -> tuple[str, ...]:
    """Return the arguments of `_client` for the Gemini API, the only one with tokens for live
    voice."""
    address = os.environ.get(PROVIDER.address_variable, "").strip()
    return "", "", PROVIDER.needed_key(), address


@cache
def _client(project: str, location: str, key: str = "", address: str = "") -> genai.Client:
    from google import genai
    from google.genai import types

    if project:
        http = types.HttpOptions(api_version="v1beta1")
        return genai.Client(enterprise=True, project=project, location=location, http_options=http)
    http = types.HttpOptions(api_version="v1beta", base_url=address or None)
    return genai.Client(enterprise=False, api_key=key, http_options=http)


def parts_fit(parts: Sequence[dict[str, Json]], reply: ModelMessage) -> bool:
    """Whether provider parts hold a reply's calls, by their order, since ids may have been
    replaced."""
    calls = [mapping(part["functionCall"]).get("name") for part in parts if "functionCall" in part]
    return not parts or calls == [call.name for call in reply.tool_calls]


def body_of(request: ModelRequest, model: str) -> bytes:
    """Write a request as the JSON body of `:generateContent`."""
    generation: dict[str, Json] = {"maxOutputTokens": request.max_output_tokens}
    if request.response_schema is not None:
        generation["responseMimeType"] = "application/json"
        generation["responseJsonSchema"] = request.response_schema
    body: dict[str, Json] = {
        "contents": contents_of(request.messages, model),
        "generationConfig": generation,
    }
    if not uses_vertex():
        body["store"] = False
    if request.instructions:
        body["systemInstruction"] = {"role": "user", "parts": [{"text": request.instructions}]}
    if not request.tools:
        return encode_body(body, ())
    body["toolConfig"] = {"functionCallingConfig": {"mode": request.tool_choice.upper()}}
    declared = ",".join(tool.json_form("parametersJsonSchema") for tool in request.tools)
    return encode_body(body, [f'{{"functionDeclarations":[{declared}]}}'])


def contents_of(messages: Sequence[Message], model: str) -> list[Json]:
    """Return a history as Gemini's `contents`. Gemini's own replies are sent back unchanged."""
    contents: list[Json] = []
    its_ids: dict[str, str | None] = {}
    for message in messages:
        if isinstance(message, ModelMessage):
            parts = _model_parts(message, model)
            sent = [mapping(part["functionCall"]) for part in parts if "functionCall" in part]
            pairs = zip(message.tool_calls, sent, strict=True)
            its_ids = {call.id: each.get("id") for call, each in pairs}
        elif isinstance(message, ToolMessage):
            parts = [_result_part(r, its_ids.get(r.call_id)) for r in message.results]
        else:
            parts = []
            for part in message.parts:
                if isinstance(part, Text):
                    parts.append({"text": part.text})
                elif part.url is not None:
                    parts.append({"fileData": {"fileUri": part.url}})
                else:
                    data = {"mimeType": part.media_type, "data": part.data}
                    parts.append({"inlineData": data})
        if parts:
            role = "model" if isinstance(message, ModelMessage) else "user"
            contents.append({"role": role, "parts": parts})
    return contents


def _model_parts(message: ModelMessage, model: str) -> list[dict[str, Json]]:
    parts = list(message.provider_parts) if message.provider == PROVIDER.id else []
    if sum("functionCall" in part for part in parts) != len(message.tool_calls) or not parts:
        parts = [{"text": message.text}] if message.text else []
        for call in message.tool_calls:
            function_call = {"id": call.id, "name": call.name, "args": call.arguments or {}}
            parts.append({"functionCall": function_call})
    first = next((i for i, part in enumerate(parts) if "functionCall" in part), None)
    signed = any("thoughtSignature" in part for part in parts)
    if first is not None and not signed and not re.match(r"(models/)?gemini-[12]\b", model):
        parts[first] = {**parts[first], "thoughtSignature": _FOREIGN_SIGNATURE}
    return parts


def _result_part(result: ToolResult, its_id: str | None) -> dict[str, Json]:
    """Return a tool's result as a part, with the call's id as Gemini sent it, if any."""
    value = parse_json(result.content, result.content)
    if not (isinstance(value, dict) and value.keys() & {"output", "error"}):
        value = {"error" if result.is_error else "output": value}
    response: dict[str, Json] = {"name": result.name, "response": value}
    return {"functionResponse": {"id": its_id, **response} if its_id else response}


class Reply:
    """Reads the chunks of one reply, or a whole one, and yields its deltas."""

    def __init__(self) -> None:
        self.parts: list[dict[str, Json]] = []
        self._reason = ""
        self._blocked = ""
        self._usage = Usage()
        self._ids: set[str] = set()

    def read(self, chunk: dict[str, Json]) -> Iterator[Delta]:
        """Read one chunk.

        Raises:
            BrokenOff: The chunk calls a tool without a name, or with arguments in pieces.
        """
        feedback = mapping(chunk.get("promptFeedback"))
        self._blocked = text(feedback.get("blockReason")) or self._blocked
        if usage := mapping(chunk.get("usageMetadata")):
            # These are running totals, and a chunk need not have all of them.
            prompt = count(usage.get("promptTokenCount"))
            prompt += count(usage.get("toolUsePromptTokenCount"))
            output = count(usage.get("candidatesTokenCount"))
            output += count(usage.get("thoughtsTokenCount"))
            self._usage = Usage(
                prompt or self._usage.input_tokens,
                count(usage.get("cachedContentTokenCount")) or self._usage.cached_input_tokens,
                output or self._usage.output_tokens,
            )
        for candidate in map(mapping, sequence(chunk.get("candidates"))[:1]):
            self._reason = text(candidate.get("finishReason")) or self._reason
            for part in sequence(mapping(candidate.get("content")).get("parts")):
                if part := mapping(part):
                    yield from self._read_part(part)

    def finish(self) -> Iterator[Delta]:
        """End the reply.

        Raises:
            BrokenOff: The stream stopped without a finish reason.
        """
        if not self._reason and not self._blocked:
            raise BrokenOff("Gemini's answer broke off")
        has_text = any(part.get("text") for part in self.parts)
        reason, detail = FinishReason.BLOCKED, self._blocked
        if not self._blocked:
            has_calls = bool(self._ids)
            reason = finish_reason(self._reason, PROVIDER, has_calls=has_calls, has_text=has_text)
            detail = self._reason if self._reason != "STOP" else ""
        yield Finish(reason, self._usage, tuple(self.parts), detail=detail)

    def _read_part(self, part: dict[str, Json]) -> Iterator[Delta]:
        if "functionCall" not in part:
            # Pieces of a text are joined, as in a reply without streaming; a part with other keys,
            # such as a signature, stays separate.
            last = self.parts[-1] if self.parts else {}
            alike = part.keys() == last.keys() and part.get("thought") == last.get("thought")
            if alike and part.keys() in _JOINED:
                self.parts[-1] = {**last, "text": text(last["text"]) + text(part["text"])}
            else:
                self.parts.append(part)
            if (words := text(part.get("text"))) and not part.get("thought"):
                yield TextDelta(words)
            return
        call = mapping(part["functionCall"])
        name = text(call.get("name"))
        if not name or call.get("partialArgs") or call.get("willContinue"):
            # Arguments only arrive in pieces if the request asks for that, which ours does not.
            raise BrokenOff("Gemini called a tool without a name, or without all of its arguments")
        self.parts.append(part)
        id = unique_id(text(call.get("id")), self._ids)
        yield CallStart(id, name)
        yield ArgumentsDelta(id, json.dumps(call.get("args") or {}, ensure_ascii=False))
        yield CallEnd(id)
