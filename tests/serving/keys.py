"""Elliptic keys for signatures."""

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec


def write_keys(folder, password=None):
    key = ec.generate_private_key(ec.SECP256R1())
    lock = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    private, public = folder / "key.pem", folder / "key.pub"
    private.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, lock))
    public.write_bytes(
        key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    return private, public
