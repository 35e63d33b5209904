"""HTTPS servers of a test's own: real sockets and certificates, on this computer.

    server = HttpsServer(authority, "api.example.com", answer)

`answer(handler)` writes the reply by hand, so that it can be as bad as the test needs it.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Answer = Callable[["Handler"], None]


class Authority:
    """A certificate authority; `file` is what a client must trust."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority of tests")])
        self.file = folder / "authority.pem"
        self.file.write_bytes(self._pem(self._certificate(None, self._key)))

    def context(self, host: str) -> ssl.SSLContext:
        """What a server that is called `host` speaks TLS with."""
        key = ec.generate_private_key(ec.SECP256R1())
        secret = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        file = self._folder / f"{host}.pem"
        file.write_bytes(secret + self._pem(self._certificate(host, key)))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    @staticmethod
    def _pem(certificate: x509.Certificate) -> bytes:
        return certificate.public_bytes(serialization.Encoding.PEM)

    def _certificate(self, host: str | None, key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
        now = datetime.now(UTC)
        name = self._name
        if host:
            name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=host is None, path_length=None), critical=True)
            # These are asked for from Python 3.13 on, as by RFC 5280.
            .add_extension(_usage(signs_certificates=host is None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        )
        if host:
            names = x509.SubjectAlternativeName([x509.DNSName(host)])
            issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
            builder = builder.add_extension(names, False).add_extension(issuer, False)
        return builder.sign(self._key, hashes.SHA256())


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Handler(BaseHTTPRequestHandler):
    """Records a request, then lets the test answer it."""

    protocol_version = "HTTP/1.1"
    server: Any

    def _take(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(length)
        self.server.owner.requests.append(Request(self.command, self.path, headers, body))
        self.close_connection = True
        self.server.owner.answer(self)

    do_GET = do_POST = do_HEAD = do_OPTIONS = _take  # noqa: N815

    def reply(self, status: int, body: bytes = b"", **headers: str) -> None:
        """Write a whole reply; `content_type` and the like become headers."""
        self.send_response(status)
        fields = {"content_type": "application/json", "content_length": str(len(body)), **headers}
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    owner: HttpsServer

    def finish_request(self, request: Any, client_address: Any) -> None:
        self.owner.connections += 1
        if self.owner.context:
            request = self.owner.context.wrap_socket(request, server_side=True)
        with request:
            super().finish_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that hangs up is what many tests are about


class HttpsServer:
    """Answers at 127.0.0.1:`port`; plain HTTP without an authority."""

    def __init__(self, authority: Authority | None, host: str, answer: Answer) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.connections = 0
        self.context = authority.context(host) if authority else None
        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.owner = self
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
