"""Values that everybody knows: published examples, reserved names, well-known hosts."""

from functools import lru_cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from guerdon.yaml import parse_yaml


class Published(BaseModel):
    """The lists of ``published.yaml``."""

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)

    version: int
    keys: frozenset[str]
    cards: frozenset[str]
    ibans: frozenset[str]
    identity_numbers: frozenset[str]
    phones: frozenset[str]
    role_addresses: frozenset[str]
    placeholder_domains: frozenset[str]
    shorteners: frozenset[str]
    static_hosts: frozenset[str]
    script_hosts: frozenset[str]
    installer_hosts: frozenset[str]
    download_hosts: frozenset[str]
    harmless_commands: frozenset[str]
    plain_parameters: frozenset[str]
    iban_countries: frozenset[str]
    file_endings: frozenset[str]
    public_dns: frozenset[str]
    brands: dict[str, frozenset[str]]


@lru_cache(maxsize=1)
def published() -> Published:
    """Read the lists, once a process."""
    text = (resources.files(__package__) / "published.yaml").read_text(encoding="utf-8")
    return Published.model_validate(parse_yaml(text, "published.yaml"))
