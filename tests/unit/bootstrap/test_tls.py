"""The certificate of the API: when one is needed, which one is taken, and when it is read again."""

import os
import ssl
from dataclasses import replace
from pathlib import Path

import pytest
import structlog
from certificates import Authority, Pair

from tenuto.bootstrap.serving.tls import ServerTls, server_tls
from tenuto.errors import UserError
from tenuto.kit.address import Address, is_loopback
from tenuto.settings import Settings


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def settings(listen: str, pair: Pair | None = None, **environ: str) -> Settings:
    found = Settings.from_environment({"TENUTO_LISTEN": listen, **environ})
    return replace(found, tls_cert=pair.certificate, tls_key=pair.key) if pair else found


@pytest.mark.parametrize("listen", ["0.0.0.0:1", "[::]:1", "10.0.0.5:1", "tenuto.internal:1"])
def test_beyond_this_machine_a_conductor_wants_tls_or_the_word_that_it_needs_none(
    authority: Authority, listen: str
) -> None:
    with pytest.raises(UserError, match=r"--tls-cert and --tls-key.*--insecure.*docs/guide/tls.md"):
        server_tls(settings(listen))
    with structlog.testing.capture_logs() as logs:
        assert server_tls(settings(listen, TENUTO_INSECURE="1")) is None
    assert [one["event"] for one in logs] == ["api.insecure"]
    assert server_tls(settings(listen, authority.sign("tenuto.internal"))) is not None


@pytest.mark.parametrize("listen", ["127.0.0.1:1", "localhost:1", "[::1]:1", "127.8.8.8:1"])
def test_on_this_machine_plain_http_is_enough(listen: str) -> None:
    with structlog.testing.capture_logs() as logs:
        assert server_tls(settings(listen)) is None
        assert server_tls(settings(listen, TENUTO_INSECURE="1")) is None
    assert logs == []


@pytest.mark.parametrize("host", ["2130706433", "127.1", "localhost.example.org", "::ffff:10.0.0.1", ""])
def test_a_host_that_only_looks_like_this_machine_is_another_one(host: str) -> None:
    assert not is_loopback(host)


def test_half_a_pair_names_the_other_half(authority: Authority) -> None:
    pair = authority.sign("localhost")
    with pytest.raises(UserError, match="--tls-key"):
        server_tls(Settings.from_environment({"TENUTO_TLS_CERT": str(pair.certificate)}))
    with pytest.raises(UserError, match="--tls-cert"):
        server_tls(Settings.from_environment({"TENUTO_TLS_KEY": str(pair.key)}))


def test_files_that_cannot_be_used_are_told_with_what_to_do(authority: Authority, tmp_path: Path) -> None:
    good, other = authority.sign("localhost"), authority.sign("localhost", file="other")
    hidden, nameless = authority.sign("a", file="hidden", password="x"), authority.sign(file="nameless")
    garbage = tmp_path / "garbage"
    garbage.touch(mode=0o600)
    garbage.write_text("no key")
    for certificate, key, told in (
        (good.certificate, other.key, "another one's"),
        (hidden.certificate, hidden.key, "without a password"),
        (good.certificate, garbage, "no key in PEM form"),
        (good.certificate, tmp_path / "none", "cannot be read: No such file"),
        (tmp_path / "none", good.key, "cannot be read: No such file"),
        (garbage, good.key, "no certificate in PEM form"),
        (nameless.certificate, nameless.key, "no subject alternative name"),
    ):
        with pytest.raises(UserError, match=told):
            ServerTls(certificate, key)
    good.key.chmod(0o640)
    with pytest.raises(UserError, match=r"read by others \(mode 0640\): close it with 'chmod 600"):
        ServerTls(good.certificate, good.key)


@pytest.mark.parametrize(
    ("listen", "names", "url"),
    [
        ("0.0.0.0:1", ("tenuto.example.org", "localhost"), "https://localhost:1"),
        ("0.0.0.0:1", ("tenuto.example.org", "127.0.0.1"), "https://127.0.0.1:1"),
        ("[::]:1", ("10.0.0.5", "*.example.org", "tenuto.example.org"), "https://tenuto.example.org:1"),
        ("10.0.0.5:1", ("tenuto.example.org", "10.0.0.5"), "https://10.0.0.5:1"),
        ("10.0.0.5:1", ("tenuto.example.org", "localhost"), "https://tenuto.example.org:1"),
        ("a.example.org:1", ("*.example.org",), "https://a.example.org:1"),
        ("[fd00::5]:1", ("fd00::5",), "https://[fd00::5]:1"),
        ("10.0.0.5:1", ("*.example.org",), "https://10.0.0.5:1"),
    ],
)
def test_the_url_has_a_name_that_the_certificate_is_for(
    authority: Authority, listen: str, names: tuple[str, ...], url: str
) -> None:
    pair = authority.sign(*names)
    assert ServerTls(pair.certificate, pair.key).url(Address.parse(listen)) == url


def test_a_renewed_certificate_is_taken_and_half_of_one_is_not(authority: Authority) -> None:
    pair = authority.sign("localhost")
    tls = ServerTls(pair.certificate, pair.key)
    first = tls.context()
    assert tls.context() is first
    new = authority.sign("localhost", "new", file="new")
    with structlog.testing.capture_logs() as logs:
        os.replace(new.certificate, pair.certificate)
        assert tls.context() is first
        assert tls.context() is first
        os.replace(new.key, pair.key)
        second = tls.context()
    assert second is not first
    assert isinstance(second, ssl.SSLContext)
    assert tls.certificate.names == ("localhost", "new")
    assert [one["event"] for one in logs] == ["api.certificate_refused", "api.certificate_renewed"]


@pytest.mark.parametrize(("days", "is_told"), [(90, False), (13, True), (-1, True)])
def test_the_end_of_a_certificate_is_told_and_does_not_stop_a_conductor(
    authority: Authority, days: int, is_told: bool
) -> None:
    pair = authority.sign("localhost", ends_in_days=days)
    with structlog.testing.capture_logs() as logs:
        ServerTls(pair.certificate, pair.key)
    assert [one["event"] for one in logs] == ["api.certificate_ends"] * is_told
