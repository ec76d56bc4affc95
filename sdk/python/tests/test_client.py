"""The client against a hostile and a busy service."""

from __future__ import annotations

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Tuple

import worlds
from superroot import (
    Client,
    NotAnchored,
    ProofError,
    ServiceError,
    TrustedSuperRoot,
    UnknownChain,
    read_proof,
    verify,
    verify_scan,
)
from superroot._http import retry_after
from superroot.client import transaction_hash
from vectors import one_of_each_ledger, rows

Answer = Tuple[int, Dict[str, str], bytes]


class Service(ThreadingHTTPServer):
    """Gives the scripted answers, the last one again and again."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: List[Answer] = []
        self.seen: List[Tuple[str, Dict[str, str]]] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Service

    def do_GET(self) -> None:
        self.server.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        answers = self.server.answers
        status, headers, body = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def problem(status: int, code: str, retryable: bool, pause: Optional[int] = None) -> Answer:
    body: Dict[str, Any] = {"code": code, "detail": "why", "status": status, "retryable": retryable}
    if pause is not None:
        body["retry_after"] = pause
    return status, {"Content-Type": "application/problem+json"}, json.dumps(body).encode()


class Clients(unittest.TestCase):
    def setUp(self) -> None:
        self.service = Service()
        thread = threading.Thread(target=self.service.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.service.server_close)
        self.addCleanup(self.service.shutdown)
        self.data, _, self.hash = worlds.proof()
        self.file: Answer = (200, {}, self.data)
        self.pauses: List[float] = []

    def client(self, key: Optional[str] = None, hashed: Optional[bytes] = None) -> Client:
        client = Client(self.service.url, key, TrustedSuperRoot(hashed or self.hash), timeout=5)
        client._transport.sleep = self.pauses.append
        return client

    def prove(self, client: Client) -> Any:
        transaction = verify(self.data, TrustedSuperRoot(self.hash)).transaction
        statement = read_proof(self.data).statement
        asked = b"" if transaction is None else transaction.hash
        return client.prove_transaction(statement.chain_id, "0x" + asked.hex())

    def test_a_proof_is_checked_and_asks_for_its_note(self) -> None:
        self.service.answers = [self.file]
        facts = self.prove(self.client("svc_test_key"))
        self.assertEqual(facts.level, 5)
        path, headers = self.service.seen[0]
        self.assertIn("note=1", path)
        self.assertEqual((headers["x-api-key"], headers["accept"]), ("svc_test_key", "application/octet-stream"))

    def test_what_is_not_trusted_or_not_asked_for_is_no_answer(self) -> None:
        self.service.answers = [self.file]
        with self.assertRaises(ProofError) as caught:
            self.prove(self.client(hashed=bytes(32)))
        self.assertEqual(caught.exception.step, "anchor")
        calls: List[Callable[[], object]] = [
            lambda: self.client().prove_block(1, 7),
            lambda: self.client().prove_event(1, block=4099, tx_index=3, log_index=0),
            lambda: self.client().prove_transaction(1, "0x" + "11" * 32),
            lambda: self.client().prove_transaction("bitcoin", "11" * 32),
        ]
        for call in calls:
            with self.assertRaises(ProofError) as caught:
                call()
            self.assertEqual(caught.exception.step, "statement")
        seen = len(self.service.seen)
        with self.assertRaises(UnknownChain):
            self.client().prove_block("nochain", 7)
        self.assertEqual(len(self.service.seen), seen)

    def test_an_event_by_its_transaction_and_an_absence(self) -> None:
        found: Dict[str, Any] = {}
        for row in rows("valid/ledgers.json"):
            data, trusted = bytes.fromhex(row["proof"]), bytes.fromhex(row["trusted"][2:])
            facts = verify(data, TrustedSuperRoot(trusted))
            kind = facts.statement.subject.kind
            has_hash = facts.transaction is not None or (facts.event is not None and facts.event.kind == "move_event")
            if kind == "absence" or (kind == "event" and has_hash):
                found.setdefault(f"{facts.statement.family_name} {kind}", (data, trusted, facts, row))
        self.assertGreaterEqual(len(found), 10)
        for data, trusted, facts, row in found.values():
            self.service.answers = [(200, {}, data)]
            client, statement = self.client(hashed=trusted), facts.statement
            chain, index = statement.chain_id, statement.subject.tx_index
            if statement.subject.kind == "absence":
                self.assertEqual(client.prove_absence(chain, statement.number, index).level, 5)
                with self.assertRaises(ProofError):
                    client.prove_absence(chain, statement.number, index + 1)
                continue
            hashed = facts.transaction.hash if facts.transaction else facts.event["transaction_hash"]
            log_index = statement.subject.log_index
            proven = client.prove_event(chain, tx="0x" + hashed.hex(), log_index=log_index)
            self.assertEqual(proven.event, facts.event)
            for tx, other in (("0x" + "55" * 32, log_index), ("0x" + hashed.hex(), log_index + 1)):
                with self.assertRaises(ProofError) as caught:
                    client.prove_event(chain, tx=tx, log_index=other)
                self.assertEqual(caught.exception.step, "statement")
        for wrong in ({"tx": "0x" + "55" * 32, "block": 1}, {"block": 1}, {}):
            with self.assertRaises(ValueError):
                self.client().prove_event(1, log_index=0, **wrong)

    def test_a_damaged_proof_is_no_answer(self) -> None:
        for body in (b"", self.data[:-1], b"{}", self.data[:500] + b"\x00" + self.data[501:]):
            self.service.answers = [(200, {}, body)]
            with self.assertRaises(ProofError):
                self.prove(self.client())
        without = read_proof(self.data)
        self.assertIsNotNone(without.entry)

    def test_a_proof_below_level_5_is_not_anchored(self) -> None:
        end = worlds.head_end(self.data)
        length = 4 + 4 + 1
        read = read_proof(self.data)
        entry_end = self.data.index((read.header or b"")) - 4
        level_1 = self.data[: end + 4] + bytes([self.data[end + 4] & 3]) + self.data[end + length - 4 : entry_end]
        self.service.answers = [(200, {}, level_1)]
        with self.assertRaises(NotAnchored):
            self.prove(self.client())

    def test_retryable_problems_are_tried_again_after_the_named_pause(self) -> None:
        self.service.answers = [
            problem(503, "busy", True, 3),
            (429, {"Retry-After": "7"}, b""),
            (502, {}, b"<html>"),
            self.file,
        ]
        self.assertEqual(self.prove(self.client()).level, 5)
        self.assertEqual(self.pauses, [3.0, 7.0, 4.0])

    def test_other_problems_are_not(self) -> None:
        for answer in (problem(404, "not_indexed", False), problem(503, "not_followed", False), (401, {}, b"no")):
            self.service.answers = [answer]
            with self.assertRaises(ServiceError) as caught:
                self.prove(self.client())
            self.assertEqual((caught.exception.status, caught.exception.retryable), (answer[0], False))
        self.assertEqual((len(self.service.seen), self.pauses), (3, []))

    def test_tries_end(self) -> None:
        self.service.answers = [problem(503, "busy", True, 100_000)]
        with self.assertRaises(ServiceError) as caught:
            self.prove(self.client())
        self.assertEqual((caught.exception.code, len(self.service.seen)), ("busy", 4))
        self.assertTrue(all(pause <= 60 for pause in self.pauses))

    def test_a_redirect_gets_no_key(self) -> None:
        self.service.answers = [(302, {"Location": self.service.url + "/elsewhere"}, b"")]
        with self.assertRaises(ServiceError) as caught:
            self.prove(self.client("svc_test_key"))
        self.assertEqual((caught.exception.status, len(self.service.seen)), (302, 1))

    def test_a_cut_answer_and_no_service_are_service_errors(self) -> None:
        self.service.answers = [(200, {"Content-Length": str(len(self.data) + 9)}, self.data)]
        with self.assertRaises(ServiceError) as caught:
            self.prove(Client(self.service.url, trust=TrustedSuperRoot(self.hash), timeout=5, tries=1))
        self.assertIn("cut", caught.exception.detail)
        client = Client("http://127.0.0.1:9", trust=TrustedSuperRoot(self.hash), tries=1)
        with self.assertRaises(ServiceError) as caught:
            self.prove(client)
        self.assertEqual((caught.exception.status, caught.exception.retryable), (0, True))

    def test_a_scan_is_of_what_was_asked_for(self) -> None:
        row = next(row for row in rows("hostile/scans.json") if row["refused_at"] is None and row["events"])
        data, trusted = bytes.fromhex(row["scan"]), bytes.fromhex(row["trusted"][2:])
        self.service.answers = [(200, {}, data)]
        own = verify_scan(data, TrustedSuperRoot(trusted))
        addresses = ["0x" + address.hex() for address in own.filter.addresses]
        topics = [["0x" + topic.hex() for topic in listed] for listed in own.filter.topics]
        anywhere = ["0x" + topic.hex() for topic in own.filter.anywhere]
        client = self.client(hashed=trusted)
        facts = client.scan(own.chain_id, own.first, own.last + 9, addresses=addresses, topics=topics, anywhere=anywhere)
        self.assertEqual(facts.events, own.events)
        self.assertIn(f"fromBlock={own.first}", self.service.seen[-1][0])
        calls: List[Callable[[], object]] = [
            lambda: client.scan(own.chain_id, own.first, own.last, addresses=["0x" + "77" * 20]),
            lambda: client.scan(own.chain_id, own.first + 1, own.last, addresses=addresses, topics=topics),
            lambda: client.scan(own.chain_id, own.first, own.last - 1, addresses=addresses, topics=topics),
            lambda: client.scan("base", own.first, own.last, addresses=addresses, topics=topics),
        ]
        for call in calls:
            with self.assertRaises(ProofError) as caught:
                call()
            self.assertEqual(caught.exception.step, "statement")
        for wrong in (["77" * 20], ["0x77"], ["0xzz"]):
            with self.assertRaises(ValueError):
                client.scan(1, 1, 2, addresses=wrong)

    def test_plain_answers_are_labelled(self) -> None:
        self.service.answers = [(200, {}, b'{"price_usd": "1"}')]
        client = self.client()
        answers = [client.price(1, "WETH", window=60), client.order("across:1:2"), client.logs(1), client.gas(1)]
        answers.append(client.status())
        self.assertEqual([answer.proven for answer in answers], [False] * 5)
        self.assertEqual(answers[0]["price_usd"], "1")
        paths = [path for path, _ in self.service.seen]
        self.assertEqual(paths[:2], ["/price/1/WETH?window=60", "/events/across:1:2"])
        for body in (b"", b"[]", b"[" * 100_000, b"\xff", b"nul"):
            self.service.answers = [(200, {}, body)]
            with self.assertRaises(ServiceError):
                client.status()

    def test_paths_are_not_left(self) -> None:
        client = self.client()
        self.service.answers = [(200, {}, b"{}")]
        client.order("../../x?y#z")
        self.assertEqual(self.service.seen[-1][0], "/events/..%2F..%2Fx%3Fy%23z")
        calls: List[Callable[[], object]] = [
            lambda: client.order(".."), lambda: client.price(1, ""), lambda: client.prove_block(1, -1),
        ]
        for call in calls:
            with self.assertRaises(ValueError):
                call()

    def test_addresses_and_keys_are_checked(self) -> None:
        for url in ("ftp://a", "http://u:p@a", "http://", "a", "http://a?b=c", "file:///etc/passwd"):
            with self.subTest(url=url), self.assertRaises(ValueError):
                Client(url)
        with self.assertRaises(ValueError):
            Client("http://a", "key\r\nX-Other: 1")
        with self.assertRaises(ValueError):
            Client("http://a").prove_block(1, 1)
        with self.assertRaises(ValueError):
            self.client().prove_block(1, 1, wait=16)

    def test_pauses_are_read(self) -> None:
        self.assertEqual(retry_after("12", 0.0), 12.0)
        self.assertEqual(retry_after("Thu, 01 Jan 1970 00:01:40 GMT", 40.0), 60.0)
        self.assertEqual(retry_after("Thu, 01 Jan 1970 00:01:40 GMT", 400.0), 0.0)
        for text in (None, "", "soon", "-5"):
            self.assertIsNone(retry_after(text, 0.0), text)

    def test_hashes_are_read_as_explorers_write_them(self) -> None:
        bitcoin = bytes(range(32))
        self.assertEqual(transaction_hash(bitcoin[::-1].hex(), 1), bitcoin)
        self.assertEqual(transaction_hash("0x" + bitcoin.hex(), 1), bitcoin)
        self.assertEqual(transaction_hash(bitcoin.hex(), 0), bitcoin)
        sui = next(row for row in rows("sui/synthetic.json"))["transactions"][0]
        self.assertEqual(len(transaction_hash(sui["digest"], 6)), 32)
        data, trusted = one_of_each_ledger()["solana"]
        proven = verify(data, TrustedSuperRoot(trusted)).transaction
        signature = b"" if proven is None else proven.fields["signature"]
        self.assertEqual(transaction_hash(_base58(signature), 2), proven and proven.hash)
        for text in ("", "0x12", "0x" + "zz" * 32, "0" * 60, "1" * 200):
            with self.subTest(text=text), self.assertRaises(ValueError):
                transaction_hash(text, 0)


def _base58(raw: bytes) -> str:
    value, text = int.from_bytes(raw, "big"), ""
    while value:
        value, digit = divmod(value, 58)
        text = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[digit] + text
    return "1" * (len(raw) - len(raw.lstrip(b"\x00"))) + text


if __name__ == "__main__":
    unittest.main()
