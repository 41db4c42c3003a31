"""Certificates for servers and clients on 127.0.0.1, and an authority of our own that signs them."""

import datetime
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

Issuer = tuple[x509.Name, ec.EllipticCurvePrivateKey]


def certificate(folder: Path, name: str, issuer: Issuer | None = None) -> Issuer:
    """Write a key and a certificate to NAME.key and NAME.pem, signed by an issuer or, as an authority, by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    signer, signing_key = issuer or (subject, key)
    is_authority = issuer is None
    usage = x509.KeyUsage(not is_authority, False, False, False, False, is_authority, is_authority, False, False)
    extensions: list[tuple[x509.ExtensionType, bool]] = [
        (x509.BasicConstraints(is_authority, None), True),
        (usage, True),
        (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False),
        (x509.AuthorityKeyIdentifier.from_issuer_public_key(signing_key.public_key()), False),
        (x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False),
    ]
    now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
    built = x509.CertificateBuilder(
        signer, subject, key.public_key(), x509.random_serial_number(), now - day, now + day
    )
    for extension, is_critical in extensions:
        built = built.add_extension(extension, is_critical)
    plain = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / f"{name}.key").write_bytes(key.private_bytes(*plain))
    signed = built.sign(signing_key, hashes.SHA256())
    (folder / f"{name}.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    return subject, key


def own_authority(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """Return the path of an authority's certificate, and what a server has whose certificate it signed."""
    certificate(folder, "server", certificate(folder, "ca"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    return folder / "ca.pem", context
