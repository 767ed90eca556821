"""Loading plugins: installed packages through entry points, and single files by path."""

import hashlib
import inspect
import logging
import sys
import types
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

import pluggy

from guerdon.errors import ConfigError, PluginError
from guerdon.hookspecs import PROJECT, Hooks
from guerdon.reward import API_VERSION, Reward

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class InlineFile:
    """A plugin in one file. It travels to workers by content, under a module name from its hash."""

    path: str
    source: bytes

    @property
    def digest(self) -> str:
        """The sha256 of the source, hexadecimal."""
        return hashlib.sha256(self.source).hexdigest()

    @property
    def module_name(self) -> str:
        """The name under which every process imports it, so that its objects pickle."""
        return f"guerdon_inline_{self.digest[:16]}"

    def load(self) -> types.ModuleType:
        """Import the file, once a process.

        Raises:
            PluginError: the file does not compile or its import fails.
        """
        if loaded := sys.modules.get(self.module_name):
            return loaded
        module = types.ModuleType(self.module_name)
        module.__file__ = self.path
        sys.modules[self.module_name] = module
        try:
            exec(compile(self.source, self.path, "exec"), module.__dict__)  # noqa: S102 - a file the user named
        except (Exception, SystemExit) as error:
            del sys.modules[self.module_name]
            raise PluginError(f"plugin file {self.path} fails to import: {type(error).__name__}: {error}") from error
        return module


@dataclass(frozen=True, slots=True)
class RewardEntry:
    """A reward class that is ready for use, and where it came from."""

    reward: type[Reward]
    origin: str
    """The distribution's name, or the file's path."""
    version: str
    code_hash: str
    """sha256 of the source file that defines the class, hexadecimal."""


@dataclass(frozen=True, slots=True)
class LoadFailure:
    """An installed plugin that could not be loaded."""

    entry_point: str
    origin: str
    error: str


@dataclass(frozen=True, slots=True)
class Plugins:
    """What `load_plugins` found."""

    rewards: Mapping[str, RewardEntry]
    manager: pluggy.PluginManager = field(compare=False)
    files: tuple[InlineFile, ...] = ()
    failures: tuple[LoadFailure, ...] = ()

    def entry(self, name: str) -> RewardEntry:
        """Return the reward named `name`.

        Raises:
            ConfigError: no plugin registers it; the message lists what is installed.
        """
        if name in self.rewards:
            return self.rewards[name]
        from difflib import get_close_matches

        near = get_close_matches(name, self.rewards, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        broken = "".join(f" Plugin {f.entry_point!r} of {f.origin} failed to load: {f.error}." for f in self.failures)
        raise ConfigError(f"no reward named {name!r}.{hint} Installed: {', '.join(sorted(self.rewards))}.{broken}")


def load_plugins(files: Iterable[str | Path] = ()) -> Plugins:
    """Load every installed plugin, then the given files.

    Raises:
        PluginError: a file is missing or fails to import; two plugins claim one name; a hook is
            misspelt. An installed package that fails is kept in `Plugins.failures` with a warning.
    """
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(Hooks)
    failures = tuple(_load_entry_points(manager))
    inline = tuple(_read(Path(path)) for path in files)
    _register_files(manager, inline)
    try:
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        known = ", ".join(name for name in vars(Hooks) if not name.startswith("_"))
        raise PluginError(f"plugin with an unknown hook: {error}. Hooks: {known}") from error
    return Plugins(_collect(manager, {f.module_name: f for f in inline}), manager, inline, failures)


def _read(path: Path) -> InlineFile:
    try:
        return InlineFile(str(path), path.read_bytes())
    except OSError as error:
        raise PluginError(f"plugin file {path} cannot be read: {error.strerror}; `plugins:` lists files") from error


def _register_files(manager: pluggy.PluginManager, files: Iterable[InlineFile]) -> None:
    paths: dict[str, str] = {}
    for file in files:
        if file.digest in paths:
            raise PluginError(f"plugin file {file.path} is listed twice, also as {paths[file.digest]}; remove one")
        paths[file.digest] = file.path
        module = file.load()
        try:
            manager.register(module, name=file.path)
        except pluggy.PluginValidationError as error:
            raise PluginError(f"plugin file {file.path}: {error}") from error
        if not manager.get_hookcallers(module):
            raise PluginError(
                f"plugin file {file.path} implements no hook; write `@hookimpl` above `def register_rewards(register)`"
            )


def _load_entry_points(manager: pluggy.PluginManager) -> Iterable[LoadFailure]:
    for point in sorted(metadata.entry_points(group=PROJECT), key=lambda p: (p.name, p.value)):
        origin = point.dist.name if point.dist else point.value
        try:
            manager.register(point.load(), name=f"{origin}:{point.name}")
        except Exception as error:  # noqa: BLE001 - whatever somebody else's package raises
            failure = LoadFailure(point.name, origin, f"{type(error).__name__}: {error}")
            log.warning("plugin %r of %s failed to load: %s", point.name, origin, failure.error)
            yield failure


def _collect(manager: pluggy.PluginManager, inline: Mapping[str, InlineFile]) -> dict[str, RewardEntry]:
    found: dict[str, RewardEntry] = {}
    for hook in manager.hook.register_rewards.get_hookimpls():
        origin = hook.plugin_name
        for cls in _classes(hook):
            _check(cls, origin)
            if cls.name in found:
                first = found[cls.name].origin
                raise PluginError(f"two plugins register the reward {cls.name!r}: {first} and {origin}")
            found[cls.name] = _entry(cls, origin, inline.get(cls.__module__))
    return found


def _classes(hook: pluggy.HookImpl) -> list[type[Reward]]:
    classes: list[type[Reward]] = []
    try:
        hook.function(**dict.fromkeys(hook.argnames, classes.append))
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise PluginError(f"plugin {hook.plugin_name}: register_rewards fails: {what}") from error
    return classes


def _check(cls: object, origin: str) -> None:
    if not (isinstance(cls, type) and issubclass(cls, Reward)):
        raise PluginError(f"plugin {origin} registers {cls!r}, which is no subclass of guerdon.Reward")
    if not isinstance(getattr(cls, "name", None), str) or not cls.name:
        raise PluginError(f"plugin {origin}: {cls.__name__} has no name; add `name: ClassVar[str] = ...`")
    if cls.api_version != API_VERSION:
        raise PluginError(
            f"plugin {origin}: {cls.__name__} is for API version {cls.api_version}, this guerdon has {API_VERSION}"
        )


def _entry(cls: type[Reward], plugin_name: str, file: InlineFile | None) -> RewardEntry:
    if file is not None:
        return RewardEntry(cls, file.path, f"file@{file.digest[:12]}", file.digest)
    origin = plugin_name.partition(":")[0]
    try:
        source = Path(inspect.getfile(cls)).read_bytes()
    except (OSError, TypeError):
        source = cls.__qualname__.encode()
    return RewardEntry(cls, origin, _version(origin), hashlib.sha256(source).hexdigest())


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "unknown"
