"""The requests that are understood. Unknown fields are refused: nobody's setting is dropped in silence."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

MAX_STOPS = 4


class Wire(BaseModel):
    """A frozen part of a request."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class TextPart(Wire):
    """Text."""

    type: Literal["text"]
    text: str


class ImageUrl(Wire):
    """Where the picture is."""

    url: str
    """``data:image/png;base64,...``; PNG, JPEG or WebP. Nothing is fetched."""
    detail: Literal["auto", "low", "high"] = "auto"
    """Accepted as OpenAI's clients send it; the processor alone decides on the resolution."""


class ImagePart(Wire):
    """A picture."""

    type: Literal["image_url"]
    image_url: ImageUrl


type Part = Annotated[TextPart | ImagePart, Field(discriminator="type")]


class Message(Wire):
    """One message of the conversation."""

    role: Literal["system", "user", "assistant"]
    content: str | list[Part]


class StreamOptions(Wire):
    """How a stream ends."""

    include_usage: bool = False
    """Send a last chunk with the token counts."""


class ChatRequest(Wire):
    """``POST /v1/chat/completions`` and ``POST /invocations``."""

    messages: list[Message] = Field(min_length=1, max_length=1000)
    model: str | None = Field(None, max_length=300)
    """``alias@digest12`` is that bundle and no other; ``alias`` the one it points to now; unset, the one that the
    server was started with."""
    max_tokens: int | None = Field(None, ge=1, le=1_000_000)
    """Limit of the completion. Unset: as in training."""
    max_completion_tokens: int | None = Field(None, ge=1, le=1_000_000)
    """OpenAI's newer name of it."""
    temperature: float | None = Field(None, ge=0, le=5, allow_inf_nan=False)
    """0 is greedy. Unset: what the server was started with, 0 by default."""
    top_p: float = Field(1.0, gt=0, le=1)
    seed: int | None = Field(None, ge=-(2**63), lt=2**63)
    """The same request with the same seed draws the same."""
    stop: str | list[Annotated[str, Field(min_length=1, max_length=200)]] | None = None
    n: Literal[1] = 1
    stream: bool = False
    stream_options: StreamOptions | None = None
    logprobs: bool = False
    """Return the log-probability of each token over the whole vocabulary, at temperature 1."""
    top_logprobs: int = Field(0, ge=0, le=20)
    user: str | None = None
    """Not used."""

    @model_validator(mode="after")
    def _consistent(self) -> "ChatRequest":
        if self.max_tokens is not None and self.max_completion_tokens is not None:
            raise ValueError("give max_tokens or max_completion_tokens, not both")
        if self.top_logprobs and not self.logprobs:
            raise ValueError("top_logprobs needs logprobs: true")
        if len(self.stops) > MAX_STOPS:
            raise ValueError(f"at most {MAX_STOPS} stop texts")
        return self

    @property
    def limit(self) -> int | None:
        """The completion's limit in tokens."""
        return self.max_tokens or self.max_completion_tokens

    @property
    def stops(self) -> list[str]:
        """Texts that end the completion and are cut off."""
        return [self.stop] if isinstance(self.stop, str) else list(self.stop or ())

    def images(self) -> list[str]:
        """Return the URLs of all pictures in order."""
        return [
            part.image_url.url
            for message in self.messages
            if not isinstance(message.content, str)
            for part in message.content
            if isinstance(part, ImagePart)
        ]

    def chat(self) -> list[dict[str, Any]]:
        """Return the messages as the prompter takes them, without the pictures."""
        return [{"role": message.role, "content": _content(message)} for message in self.messages]


class AdapterRequest(Wire):
    """``POST /adapters``, as SageMaker sends it."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
    """The alias."""
    src: str = Field(min_length=1, max_length=1000)
    """The bundle's folder, relative to the folder that the server may load from."""
    preload: Literal[True] = True
    """It is always loaded and probed before the answer."""
    pin: bool = False
    """It cannot be removed."""


def _content(message: Message) -> Any:
    if isinstance(message.content, str):
        return message.content
    return [
        {"type": "image"} if isinstance(part, ImagePart) else {"type": "text", "text": part.text}
        for part in message.content
    ]
