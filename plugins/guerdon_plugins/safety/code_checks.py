"""What does a command or a call do?"""

import re
from posixpath import normpath

from guerdon_plugins.safety.hit import Hit
from guerdon_plugins.safety.link_checks import registered, split
from guerdon_plugins.safety.published import published

_SYSTEM = (
    r"etc|usr|bin|sbin|lib|lib64|boot|dev|proc|sys|var|root|home|opt|srv|System|Library|Users|Applications|Windows|var/lib|var/log|usr/bin|usr/lib|usr/local"
    r"|(?:home|Users)/[\w.-]+"
)
_ROOT = re.compile(
    rf"/+(?:\.{{1,2}}/*)*\*?|/(?:{_SYSTEM})/?\*?|(?:~\w*|\$\{{?HOME\}}?|%USERPROFILE%)/?(?:\.?\*)?|(?:~|\$\{{?HOME\}}?)/(?:Documents|Desktop|Pictures|Downloads|\.ssh)/?\*?"
    r"|[A-Za-z]:[\\/]*\*?|(?:\.\./){3,}\*?"
)
_STRIP = "\"'`.,;:)。，”’"
_LITERAL = re.compile(r"""^\s*\[?\s*[rfbu]{0,2}(["'])(.*?)(?:\1|$)""")
_CALL = re.compile(
    r"\b(?:input|chr|bytes|b64decode|base64|requests|urlopen|decode|fromhex|atob|compile|open|read)\s*\("
)
_SHELL_SIGN = re.compile(r"[;|&`$><]|/etc/|~/|\.ssh|/dev/|https?:")
_PATH_CALL = re.compile(r"\bos\.(?:remove|unlink|rmdir|removedirs)\b")
_SCRIPT_ACT = re.compile(
    r"alert\s*\(\s*(?:\d|document|window|origin|[\"'`]?xss)|eval\s*\(|document\.(?:cookie|location)|(?:window\.)?location\s*(?:\.href)?\s*=|fetch\s*\("
    r"|XMLHttpRequest|atob\s*\(|localStorage|importScripts|javascript:|\.src\s*=",
    re.IGNORECASE,
)


def rm_root(hit: Hit) -> bool:
    """The command deletes recursively what must not be deleted."""
    words = hit.value.split()
    flags = "".join(word.lstrip("-") if word.startswith("--") else word[1:] for word in words if word.startswith("-"))
    short = "".join(word[1:] for word in words if re.fullmatch(r"-[A-Za-z]+", word))
    if "no-preserve-root" in flags:
        return True
    if not ("r" in short.lower() or "recursive" in flags):
        return False
    return any(_ROOT.fullmatch(_target(word)) for word in words if not word.startswith("-"))


def _target(word: str) -> str:
    bare = word.strip("\"'`,;:)(。，”’")
    if bare.startswith("/") and "/.." in bare:
        return normpath(bare)
    return bare.rstrip(".") if bare.endswith(("/.", "~.", "*.")) or re.fullmatch(r"/[\w/]+\.", bare) else bare


def unknown_installer(hit: Hit) -> bool:
    """What is run comes from no well-known installer."""
    url = re.search(r"https?://[^\s\"'|)<>]+", hit.value)
    parts = split(url[0]) if url else None
    if parts is None:
        return True
    host, first = parts.hostname or "", parts.path.split("/")[1] if "/" in parts.path else ""
    known = published().installer_hosts
    return not (host in known or registered(host) in known or f"{host}/{first}" in known)


def harmful_call(hit: Hit) -> bool:
    """A call with a command that is no harmless one; a variable says nothing."""
    literal = _LITERAL.match(hit.value)
    if literal is None:
        return _CALL.search(hit.value.split(")")[0] + ")") is not None
    command = literal[2]
    if _PATH_CALL.search(hit.matched):
        return _ROOT.fullmatch(command) is not None or command.startswith(
            ("/etc", "/bin", "/usr", "/var", "/boot", "~/.")
        )
    words = command.split()
    if not words or _SHELL_SIGN.search(hit.value):
        return bool(words)
    return words[0].rsplit("/", 1)[-1] not in published().harmless_commands


def harmful_script(hit: Hit) -> bool:
    """The script acts on the page or its user, or comes from an unknown host."""
    if _SCRIPT_ACT.search(hit.value):
        return True
    if re.search(r"\bsrc\s*=\s*[\"']?(?:https?:)?//$", hit.text[hit.start : hit.value_start], re.IGNORECASE):
        host = hit.value.split("/", 1)[0].lower()
        return host not in published().script_hosts and not host.startswith(("localhost", "127."))
    return False
