"""HTTP requests with bounds and tries, over ``urllib``.

``urllib`` is in the standard library: a verifier with one dependency less, and nothing here needs a pool of connections
or asyncio. Its two traps are closed: redirects are refused, so that a key never goes to another host, and a body is
read up to a limit.
"""

from __future__ import annotations

import email.utils
import http.client
import json
import time
import urllib.error
import urllib.request
from typing import Any, Callable, Dict, Mapping, Optional
from urllib.parse import urlencode, urlsplit

from ._member import bounded_integer

BODY_BYTES_MAX = 32 << 20
_PAUSE_SECONDS_MAX = 60.0
_TEXT_CHARS_MAX = 1_000


class ServiceError(Exception):
    """The service did not answer, or refused. Says nothing about the truth of anything.

    ``status`` is 0 without an answer. ``code`` is the problem's stable code, ``retryable`` whether the same request may
    succeed later, ``retry_after`` the seconds until then if the service named them.
    """

    def __init__(
        self, status: int, code: str, detail: str, retryable: bool = False, retry_after: Optional[float] = None
    ) -> None:
        super().__init__(f"{code}: {detail}" if detail else code)
        self.status = status
        self.code = code
        self.detail = detail
        self.retryable = retryable
        self.retry_after = retry_after


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _plain(text: object) -> str:
    """Text of the service, without control characters and of bounded length."""
    shown = str(text)[:_TEXT_CHARS_MAX]
    return "".join(letter if letter.isprintable() else " " for letter in shown)


def check_base(url: str) -> str:
    """Address of a service, without the last slash. Raises :class:`ValueError`."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise ValueError("the address of a service is http:// or https:// with a host, and without a password")
    if parts.query or parts.fragment:
        raise ValueError("the address of a service has no query and no fragment")
    return url.rstrip("/")


def retry_after(value: Optional[str], now: float) -> Optional[float]:
    """Seconds of a ``Retry-After``: a number, or a date."""
    if value is None:
        return None
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
    except (TypeError, ValueError, OverflowError):
        return None


class Transport:
    """GET requests to one service."""

    def __init__(self, base: str, api_key: Optional[str], timeout: float, tries: int) -> None:
        self.base = check_base(base)
        if api_key is not None and not (api_key.isascii() and api_key.isprintable()):
            raise ValueError("an API key is printable ASCII")
        self._api_key = api_key
        self._timeout = timeout
        self._tries = max(1, tries)
        self._opener = urllib.request.build_opener(_NoRedirect)
        self.sleep: Callable[[float], None] = time.sleep

    def get(self, path: str, query: Mapping[str, object], accept: str) -> bytes:
        """Body of a successful answer; tries again where the service says that it may help.

        Raises :class:`ServiceError`.
        """
        for attempt in range(1, self._tries + 1):
            try:
                return self._get_once(path, query, accept)
            except ServiceError as error:
                if not error.retryable or attempt == self._tries:
                    raise
                pause = error.retry_after if error.retry_after is not None else float(2 ** min(attempt - 1, 5))
                self.sleep(min(max(pause, 0.1), _PAUSE_SECONDS_MAX))
        raise ServiceError(0, "no_answer", "no try was made")

    def _get_once(self, path: str, query: Mapping[str, object], accept: str) -> bytes:
        encoded = urlencode({name: str(value) for name, value in query.items() if value is not None})
        headers: Dict[str, str] = {"Accept": accept, "User-Agent": "superroot-python"}
        if self._api_key is not None:
            headers["X-API-Key"] = self._api_key
        url = self.base + path + ("?" + encoded if encoded else "")
        request = urllib.request.Request(url, headers=headers)
        deadline = time.monotonic() + self._timeout
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return _read(response, deadline)
        except urllib.error.HTTPError as error:
            with error:
                raise _problem(error, deadline) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ServiceError(0, "unavailable", _plain(error), retryable=True) from None


def _read(response: Any, deadline: float) -> bytes:
    """The whole body: neither cut, nor above the limit, nor slower than the time limit."""
    pieces = []
    length = 0
    while True:
        piece: bytes = response.read1(1 << 16)
        if not piece:
            break
        pieces.append(piece)
        length += len(piece)
        if length > BODY_BYTES_MAX:
            raise ServiceError(200, "too_large", f"an answer above {BODY_BYTES_MAX} bytes")
        if time.monotonic() > deadline:
            raise OSError("the answer took longer than the time limit")
    if getattr(response, "length", None):
        raise OSError("the answer is cut short")
    return b"".join(pieces)


def _problem(error: urllib.error.HTTPError, deadline: float) -> ServiceError:
    """RFC 9457 problem of a refusal; without one, 429 and 5xx are retryable."""
    status = error.code
    pause = retry_after(error.headers.get("Retry-After"), time.time())
    try:
        body = parse_object(_read(error, deadline))
    except (ValueError, OSError, http.client.HTTPException, ServiceError):
        body = {}
    if not isinstance(body.get("code"), str):
        is_retryable = status == 429 or status in (502, 503, 504)
        return ServiceError(status, f"http_{status}", "", is_retryable, pause)
    said = body.get("retry_after")
    if isinstance(said, (int, float)) and not isinstance(said, bool) and 0 <= said < 1e9:
        pause = float(said)
    is_retryable = body.get("retryable") is True
    return ServiceError(status, _plain(body["code"]), _plain(body.get("detail", "")), is_retryable, pause)


def parse_object(body: bytes) -> Dict[str, Any]:
    """A JSON object. Raises :class:`ValueError` for anything else."""
    try:
        value = json.loads(body.decode("utf-8"), parse_int=bounded_integer)
    except RecursionError:
        raise ValueError("JSON is nested too deep") from None
    if not isinstance(value, dict):
        raise ValueError("the answer is no JSON object")
    return value


