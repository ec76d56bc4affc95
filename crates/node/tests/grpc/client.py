"""A client that was made of nothing of this project: it learns the contract by reflection and holds
each answer against that of REST.

    client.py ADDRESS KEYS FOLDER

KEYS are the keys of the demo, by tier; proofs go to FOLDER as files. Prints what was compared.
"""

import json
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

import grpc
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from grpc_status import rpc_status

ADDRESS, KEYS, FOLDER = sys.argv[1], json.loads(Path(sys.argv[2]).read_text()), Path(sys.argv[3])
KEY = {one["tier"]: one["api_key"] for one in KEYS}
LISTS = {"TwigList", "HashPath", "BloomBits"}
compared = {}

channel = grpc.insecure_channel(ADDRESS)
database = ProtoReflectionDescriptorDatabase(channel)
pool = DescriptorPool(database)


def call(path, tier="protocol", timeout=30, headers=None, **members):
    """One call of a method, by its path alone; its message and its leading metadata."""
    service, method = path.split("/")
    method = pool.FindServiceByName(f"superroot.v5.{service}").FindMethodByName(method)
    request = GetMessageClass(method.input_type)(**members)
    invoke = channel.unary_unary(
        f"/superroot.v5.{path}",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=GetMessageClass(method.output_type).FromString,
    )
    metadata = [] if tier is None else [("x-api-key", KEY[tier])]
    answer, ended = invoke.with_call(request, timeout=timeout, metadata=metadata + (headers or []))
    compared[path] = compared.get(path, 0) + 1
    return answer, dict(ended.initial_metadata())


def refused(expected, word, *args, **members):
    """A call that is refused, with that status, and that code in its details."""
    try:
        answer, _ = call(*args, **members)
    except grpc.RpcError as error:
        assert error.code() == expected, (error.code(), error.details(), expected)
        if word is None:
            return None
        found = {}
        for detail in rpc_status.from_call(error).details:
            for kind in (error_details_pb2.ErrorInfo, error_details_pb2.BadRequest):
                if detail.Is(kind.DESCRIPTOR):
                    found[kind.DESCRIPTOR.name] = kind()
                    detail.Unpack(found[kind.DESCRIPTOR.name])
        info = found["ErrorInfo"]
        assert (info.metadata["code"], info.domain) == (word, "superroot"), info
        return found
    raise AssertionError(f"not refused: {answer}")


def rest(path, **query):
    """The answer of REST to the same key, in snake_case, without what is null or empty."""
    query = {name: value for name, value in query.items() if value is not None}
    url = f"http://{ADDRESS}{path}" + (f"?{urllib.parse.urlencode(query)}" if query else "")
    request = urllib.request.Request(url, headers={"x-api-key": KEY["protocol"]})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return plain_json(json.load(answer))


def snake(name):
    name = name.replace("USD", "Usd")
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)


def plain_json(value):
    if isinstance(value, dict):
        members = ((snake(name), plain_json(member)) for name, member in value.items())
        return {name: member for name, member in members if member is not None and member != []}
    if isinstance(value, list):
        return [plain_json(item) for item in value]
    return value


def plain(message):
    """The message as REST would write it."""
    members = {}
    for field in message.DESCRIPTOR.fields:
        if field.has_presence and not message.HasField(field.name):
            continue
        value = getattr(message, field.name)
        items = [of_field(field, item) for item in value] if field.is_repeated else None
        value = items if field.is_repeated else of_field(field, value)
        if value != []:
            members[field.name] = value
    if message.DESCRIPTOR.name in LISTS:
        return next(iter(members.values()), [])
    return members


def of_field(field, value):
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        return plain(value)
    return "0x" + value.hex() if field.type == FieldDescriptor.TYPE_BYTES else value


def without(body, *names):
    return {name: value for name, value in body.items() if name not in names}


def equal(left, right, what):
    assert left == right, f"{what}:\n{left}\n{right}"


def of_event(reference, at):
    """Holds the event at that place against REST; how many there are: none, or one."""
    place = dict(zip(("block", "tx_index", "log_index"), at))
    fixed = {"sequence": sequence}
    try:
        proof, _ = call("Proofs/ProveEvent", chain=reference.name, **place, **fixed)
    except grpc.RpcError as error:
        equal(error.code(), grpc.StatusCode.NOT_FOUND, error.details())
        return 0
    name = urllib.parse.quote(reference.name)
    of_rest = rest("/v5/proof/event/{}/{}/{}/{}".format(name, *at), **fixed)
    kind = proof.event.WhichOneof("kind")
    equal(kind, reference.family, "kind of event")
    said, shown = plain(proof.event)[kind], of_rest["event"]
    for member in set(said) - {"bloom", "state_root"}:
        if kind == "icp" and member in ("from", "to", "spender"):
            assert shown[member] in said[member], (member, shown, said)
        else:
            equal(str(said[member]), str(shown[member]), f"{member} of an event of {name}")
    if "raw_transaction" in of_rest:
        equal("0x" + proof.entry.raw_transaction.hex(), of_rest["raw_transaction"], "transaction")
    file = FOLDER / "{}-{}-{}-{}-{}.srproof".format(kind, reference.chain_id, *at)
    file.write_bytes(proof.proof_blob)
    return 1


# health and reflection: without a key
health = health_pb2_grpc.HealthStub(channel)
said = health.Check(health_pb2.HealthCheckRequest(service="superroot.v5.Proofs"))
equal(said.status, health_pb2.HealthCheckResponse.SERVING, "health")
watch = health.Watch(health_pb2.HealthCheckRequest())
equal(next(watch).status, health_pb2.HealthCheckResponse.SERVING, "watch")
watch.cancel()
names = set(database.get_services())
services = ("Proofs", "SuperRoots", "Finality", "Events", "Market", "Streams")
expected = {f"superroot.v5.{one}" for one in services}
assert expected <= names, names

# SuperRoots
while (newest := call("SuperRoots/GetSuperRoot")[0]).sequence < 2:
    time.sleep(0.2)
_, metadata = call("SuperRoots/GetSuperRoot")
assert {"x-request-id", "x-ratelimit-limit", "x-ratelimit-remaining"} <= set(metadata), metadata
sequence = newest.sequence
page_hash = newest.super_root_hash
page, _ = call("SuperRoots/GetSuperRoot", sequence=sequence)
equal(plain(page), rest(f"/v5/superroot/{sequence}"), "SuperRoot")
blob, _ = call("SuperRoots/GetSuperRootBlob", superroot_hash=page.super_root_hash)
of_rest = rest(f"/kv/blob/0x{page.super_root_hash.hex()}")
blob = plain(blob)
equal({**blob.pop("blob"), **blob}, of_rest, "blob")
for strength in ("history", "full"):
    proof, _ = call("SuperRoots/GetConsistency", **{"from": 0, "to": sequence, "strength": strength})
    path = "/v5/superroot/consistency"
    of_rest = rest(path, **{"from": 0, "to": sequence, "strength": strength})
    paths = of_rest.pop("mini_mmr_paths", None)
    proof = plain(proof)
    equal(proof.pop("mini_mmr_paths", None), paths, "paths")
    equal(without(proof, "appended_twigs"), without(of_rest, "appended_twigs"), strength)
note, _ = call("SuperRoots/GetCheckpoint", sequence=sequence)
with urllib.request.urlopen(f"http://{ADDRESS}/v5/checkpoint?sequence={sequence}") as answer:
    equal(note.note, answer.read().decode(), "checkpoint")

# blocks and events of every chain that is anchored
events = {}
anchored = {one.name: one.number for one in page.block_references}
for reference in page.block_references:
    if not reference.HasField("number"):
        continue
    chain, number = str(reference.chain_id), reference.number
    name = reference.name
    fixed = {"sequence": sequence}
    proof, _ = call("Proofs/ProveBlock", chain=name, block=number, **fixed)
    of_rest = rest(f"/api/v5/proof/blob/{urllib.parse.quote(name)}/{number}", **fixed)
    equal("0x" + proof.proof_blob.hex(), of_rest["proof_blob"], f"block of {name}")
    equal(proof.family, reference.family, "family")
    checked, _ = call("Proofs/VerifyProof", proof_blob=proof.proof_blob)
    assert checked.valid, checked
    (FOLDER / f"{reference.family}-{chain}-block.srproof").write_bytes(proof.proof_blob)
    finality, _ = call("Finality/GetFinality", chain=name)
    equal(finality.chain_id, reference.chain_id, "finality")
    places = []
    try:
        query = {"chain": name, "limit": 40, "order": "desc", "finality": "anchored"}
        logs, _ = call("Events/ListLogs", to_block=number, **query)
        of_rest = rest("/v5/logs", toBlock=number, **query)
        equal(without(plain(logs), "v5_anchor"), without(of_rest, "v5_anchor"), f"logs of {name}")
        if reference.family == "evm":
            blocks = {"from_block": max(number - 9, 0), "to_block": number}
            page, _ = call("Events/Scan", chain=name, **blocks, **fixed)
            of_rest = rest(f"/v5/scan/{chain}", fromBlock=blocks["from_block"], toBlock=number, **fixed)
            equal("0x" + page.scan_blob.hex(), of_rest["scan_blob"], f"scan of {name}")
            whole, _ = call("Events/ListLogs", chain=name, complete=True, **blocks)
            assert whole.scan_blob, f"complete logs of {name}"
        for log in logs.logs[:3]:
            places.append((log.block_number, log.transaction_index, log.log_index))
            by_hash = {"chain": name, "tx_hash": log.transaction_hash, **fixed}
            proof, _ = call("Proofs/ProveTransaction", wait_seconds=1, **by_hash)
            equal(proof.entry.transaction_hash, log.transaction_hash, "transaction")
    except grpc.RpcError as error:
        equal(error.code(), grpc.StatusCode.NOT_FOUND, error.details())
        # events of this ledger cannot be searched, and some can be proven by their place
        places = [(number - back, index, 0) for back in range(3) for index in range(4)]
    for at in places:
        events[reference.family] = events.get(reference.family, 0) + of_event(reference, at)

# where a hash stands
logs, _ = call("Events/ListLogs", chain="ethereum", limit=1, finality="anchored")
transaction = logs.logs[0].transaction_hash
for hash in (transaction, page_hash):
    found, _ = call("Events/Find", hash=hash)
    of_rest = rest("/v5/find/0x" + hash.hex())
    equal(without(plain(found), "v5_anchor"), without(of_rest, "v5_anchor"), "find")

# fees: what changes from second to second is left out
fees, _ = call("Market/GetGas")
of_rest = {one["chain_id"]: one for one in rest("/search-api/v5/gas")["chains"]}
equal({one.chain_id for one in fees.chains}, set(of_rest), "chains with fees")
for one in fees.chains:
    said, shown = plain(one), of_rest[one.chain_id]
    if said.get("block", {}).get("hash") != shown.get("block", {}).get("hash"):
        continue
    if "next_base_fee" in said:
        said["next_base_fee"].update(said["next_base_fee"].pop("amount"))
    for body in (said, shown):
        body.get("block", {}).pop("age_seconds", None)
        body.get("block", {}).pop("finality", None)
    equal(said, shown, f"fees of {one.name}")
    compared["fees"] = compared.get("fees", 0) + 1
assert compared["fees"] > 2, compared

# a price, with its proofs
question = {"chain": "ethereum", "token": "WETH", "block": anchored["Ethereum"]}
price, _ = call("Market/GetPrice", proof=True, **question)
of_rest = rest("/price/ethereum/WETH", block=question["block"], proof=1)
said = without(plain(price), "v5_anchor", "proof")
equal(said, without(of_rest, "v5_anchor", "proof"), "price")
equal({one["event"]["proof_url"] for one in plain(price)["proof"]},
      {one["event"]["proof_url"] for one in of_rest["proof"]}, "events behind a price")
for place, one in enumerate(price.proof):
    (FOLDER / f"price-{place}.srproof").write_bytes(one.proof_blob)

# launches, and the proofs behind one that is anchored
until = time.time() + 60
while True:
    launches, _ = call("Market/ListLaunches", limit=500)
    of_rest = rest("/signals/launches", format="json", limit=500)
    said = without(plain(launches), "v5_anchor")
    if said == without(of_rest, "v5_anchor"):
        break
    assert time.time() < until, f"launches:\n{str(said)[:2000]}\n{str(of_rest)[:2000]}"
assert launches.launches, "no launch"
oldest = launches.launches[-1]
behind, _ = call("Proofs/ProveSignal", proof_hash=oldest.proof_hash)
equal([one.role for one in behind.events], ["creation", "liquidity"], "events behind a launch")
for one in behind.events:
    (FOLDER / f"launch-{one.role}.srproof").write_bytes(one.proof_blob)

# an order, by the number of its deposit
deposited = "FundsDeposited(bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,uint32,bytes32,bytes32,bytes32,bytes)"
topic = bytes.fromhex(rest("/v5/logs", chain="ethereum", topic0=deposited, limit=1)["logs"][0]["topics"][0][2:])
until = time.time() + 60
while True:
    logs, _ = call("Events/ListLogs", chain="ethereum", topic0=[topic], limit=1, finality="anchored")
    number = str(int.from_bytes(logs.logs[0].topics[2], "big"))
    order, _ = call("Events/GetOrder", order_id=number)
    said, shown = plain(order), rest(f"/events/{number}")
    for body in [said, shown]:
        body.pop("v5_anchor")
    for one in said["legs"] + [said["origin"]]:
        one.update(one.pop("event") if isinstance(one.get("event"), dict) else {})
    if said == shown:
        break
    assert time.time() < until, f"order {number}:\n{said}\n{shown}"
assert [one.kind for one in order.legs][0] == "opened", order

# differences of prices: looked for each second
while True:
    found, _ = call("Market/ListOpportunities", min_net_usd=0)
    of_rest = rest("/signals/arb", min_net_usd=0)
    if found.computed_at == of_rest["computed_at"]:
        equal(without(plain(found), "v5_anchor"), without(of_rest, "v5_anchor"), "differences")
        break

# refusals
code = grpc.StatusCode
refused(code.NOT_FOUND, "not_found", "Events/Find", hash=b"\7" * 32)
refused(code.NOT_FOUND, "not_found", "Events/GetOrder", order_id="0x" + "07" * 32)
refused(code.NOT_FOUND, "not_found", "Proofs/ProveSignal", proof_hash=b"\7" * 32)
refused(code.NOT_FOUND, "no_price", "Market/GetPrice", chain="ethereum", token="0x" + "07" * 20)
refused(code.INVALID_ARGUMENT, "invalid_parameter", "Market/ListLaunches", limit=501)
refused(code.INVALID_ARGUMENT, "invalid_parameter", "Events/GetOrder")
refused(code.UNAUTHENTICATED, "api_key_required", "SuperRoots/GetSuperRoot", tier=None)
refused(code.PERMISSION_DENIED, "tier_required", "SuperRoots/GetSuperRoot", tier="builder")
refused(code.NOT_FOUND, "unknown_chain", "Proofs/ProveBlock", chain="atlantis")
found = refused(code.INVALID_ARGUMENT, "invalid_parameter", "Proofs/ProveTransaction", chain="1")
equal(found["BadRequest"].field_violations[0].field, "tx_hash", "field")
refused(code.DEADLINE_EXCEEDED, None, "SuperRoots/GetSuperRoot", timeout=1e-7)
large = b"x" * (2 << 20)
refused(code.RESOURCE_EXHAUSTED, "body_too_large", "Proofs/VerifyProof", proof_blob=large)
for path, body, expected in (
    ("/superroot.v5.Proofs/ProveBlock", b"\xff" * 40, code.INVALID_ARGUMENT),
    ("/superroot.v5.Proofs/Nothing", b"", code.UNIMPLEMENTED),
    ("/superroot.v9.Proofs/ProveBlock", b"", code.UNIMPLEMENTED),
):
    try:
        channel.unary_unary(path)(body, metadata=[("x-api-key", KEY["protocol"])], timeout=30)
        raise AssertionError(path)
    except grpc.RpcError as error:
        equal(error.code(), expected, path)

print(json.dumps({"events": events, "compared": compared}))
