"""Values that make sense, for half of the requests: made-up ones alone reach little but 404."""

import os
import zlib

import schemathesis

# The key that asks is not to be revoked or rotated by the run.
OWN_KEY = os.environ.get("SUPERROOT_OWN_KEY", "")
NOBODY = "00000000-0000-4000-8000-000000000000"
BLOCK = os.environ["SUPERROOT_BLOCK"]
TX = os.environ["SUPERROOT_TX"]
ROOT = os.environ["SUPERROOT_ROOT"]
MONTH = os.environ["SUPERROOT_MONTH"]

KNOWN = {
    "chain": "1",
    "chain_id": "ethereum",
    "block": BLOCK,
    "block_number": BLOCK,
    "tx": TX,
    "hash": TX,
    "tx_hash": TX,
    "superroot_hash": ROOT,
    "sequence": "0",
    "tx_index": "0",
    "log_index": "0",
    "invoice": MONTH,
}


@schemathesis.hook
def before_call(context, case, kwargs):
    parameters = case.path_parameters
    if not parameters:
        return
    if OWN_KEY and parameters.get("id") == OWN_KEY:
        parameters["id"] = NOBODY
    # the same requests in each run of one seed
    if zlib.crc32(repr(sorted(parameters.items())).encode()) % 2 == 0:
        for name in parameters:
            if name in KNOWN:
                parameters[name] = KNOWN[name]
