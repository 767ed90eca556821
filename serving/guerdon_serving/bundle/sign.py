"""Signing a bundle, and checking who signed it: OpenSSF model signing with an elliptic key.

The hashes in a bundle say that it is whole; only a signature says from whom it comes. The signature lies
outside the folder that it covers.
"""

from pathlib import Path
from types import ModuleType
from typing import Any, Final

from guerdon import BundleError
from guerdon_serving.bundle.read import Bundle
from guerdon_serving.codes import Code, RefusedError

SUFFIX: Final = ".sig"
INSTALL: Final = "signatures need model-signing: pip install 'guerdon[sign]'"


def signature_path(bundle: Bundle) -> Path:
    """Return where the signature lies by default: beside the bundle's folder."""
    folder = bundle.folder.resolve()
    return folder.with_name(folder.name + SUFFIX)


def sign(bundle: Bundle, key: Path, signature: Path | None = None, *, password: str | None = None) -> Path:
    """Sign a verified bundle; return the signature's path.

    Args:
        bundle: every file in its folder is covered.
        key: an elliptic private key in PEM (P-256, P-384 or P-521).
        signature: the file to write, not below the bundle's folder.
        password: the key's, if it is encrypted.

    Raises:
        RefusedError: the key cannot be used, or the signature would lie in what it covers.
    """
    target = _outside(bundle, signature or signature_path(bundle))
    signing = _library("signing")
    secret: Any = None if password is None else password.encode()  # annotated as text, and used as bytes
    try:
        config = signing.Config().use_elliptic_key_signer(private_key=key, password=secret)
        config.set_hashing_config(_hashing()).sign(bundle.folder, target)
    except (OSError, ValueError, TypeError) as error:
        raise RefusedError(Code.SIGNATURE_KEY, f"{key} cannot sign: {error}") from error
    return target


def check_signature(bundle: Bundle, public_key: Path, signature: Path | None = None) -> Path:
    """Hold a bundle's folder to its signature; return the signature's path.

    Args:
        bundle: an opened bundle.
        public_key: of whom it must come from, PEM.
        signature: its file; by default beside the folder.

    Raises:
        RefusedError: there is no signature, it is by another key, or the folder is not what was signed.
    """
    source = _outside(bundle, signature or signature_path(bundle))
    if not source.is_file():
        raise RefusedError(Code.SIGNATURE_WRONG, f"there is no signature {source}")
    if not public_key.is_file():
        raise RefusedError(Code.SIGNATURE_KEY, f"there is no public key {public_key}")
    verifying = _library("verifying")
    try:
        config = verifying.Config().use_elliptic_key_verifier(public_key=public_key)
    except (OSError, ValueError, TypeError) as error:
        raise RefusedError(Code.SIGNATURE_KEY, f"{public_key} is no public key: {error}") from error
    try:
        config.set_hashing_config(_hashing()).verify(bundle.folder, source)
    except Exception as error:  # its libraries raise many kinds, down to KeyError on a damaged file
        raise RefusedError(
            Code.SIGNATURE_WRONG, f"{source} does not sign {bundle.folder} with {public_key}: {error!r:.300}"
        ) from error
    return source


def _outside(bundle: Bundle, signature: Path) -> Path:
    if signature.resolve().is_relative_to(bundle.folder.resolve()):
        raise RefusedError(Code.BUNDLE_OUTPUT, f"{signature} lies in the bundle, which its signature covers")
    return signature


def _hashing() -> Any:
    """Cover everything: by default the library would leave out .gitignore and the like."""
    return _library("hashing").Config().set_ignored_paths(paths=[], ignore_git_paths=False)


def _library(name: str) -> ModuleType:
    import importlib

    try:
        return importlib.import_module(f"model_signing.{name}")
    except ImportError as error:
        raise BundleError(INSTALL) from error
