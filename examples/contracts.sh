#!/usr/bin/env bash
# Pays for a subscription by a wallet, and checks on-chain and offline what the service says: against a demo with contracts.
#
#   superroot demo --contracts --data DATA
#   examples/contracts.sh URL DATA
#
# Needs curl, python3, cast (npm: @foundry-rs/cast) and superroot; CAST and SUPERROOT name others than those on the path.
set -euo pipefail
URL=${1:?the URL of a demo with contracts} DATA=${2:?its data folder}
CAST=${CAST:-cast} SUPERROOT=${SUPERROOT:-superroot}
export ETH_RPC_URL=$URL/rpc/84532
WORK=$(mktemp -d) && trap 'rm -rf "$WORK"' EXIT

step() { printf '\n== %s\n' "$*"; }
# member of a JSON text: .a.b[0]
get() { python3 -c 'import json, sys
value = json.load(sys.stdin)
for part in sys.argv[1].replace("[", ".").replace("]", "").strip(".").split("."):
    value = value[int(part)] if isinstance(value, list) else value[part]
print(value if isinstance(value, str) else json.dumps(value))' "$1"; }
ask() { curl -sSf -H "X-API-Key: $KEY" "$URL$1"; }
# asks again until a member has a value
until_is() { # path member value
  for _ in $(seq 120); do
    [ "$(ask "$1" | get "$2" 2>/dev/null)" = "$3" ] && return
    sleep 0.5
  done
  echo "$2 of $1 is not $3: $(ask "$1")" >&2 && return 1
}
send() { "$CAST" send --private-key "$(cat "$DATA/demo-customer.key")" --json "$@"; }
verify() { "$SUPERROOT" --chains "$DATA/chains.toml" verify "$@" --superroot "$(get .v5_anchor.super_root_hash < "$1" 2>/dev/null || get .v5Anchor.superRootHash < "$1")"; }

STATUS=$(curl -sSf "$URL/api/v1/status")
REGISTRY=$(get '.registries[0].contract' <<< "$STATUS")
USDC=$("$CAST" call "$REGISTRY" 'USDC()(address)')
LENS=$(get .lens < "$DATA/demo-contracts.json")
WALLET=$("$CAST" wallet address --private-key "$(cat "$DATA/demo-customer.key")")

step "register the wallet $WALLET"
MESSAGE=$(curl -sSf "$URL/api/v1/register/challenge?wallet_address=$WALLET" | get .message)
SIGNATURE=$("$CAST" wallet sign --private-key "$(cat "$DATA/demo-customer.key")" "$MESSAGE")
KEY=$(python3 -c 'import json, sys
print(json.dumps(dict(zip(("wallet_address", "message", "signature"), sys.argv[1:]))))' "$WALLET" "$MESSAGE" "$SIGNATURE" |
  curl -sSf -H 'Content-Type: application/json' -d @- "$URL/api/v1/register" | get .api_key)
echo "tier: $(ask /api/v1/usage | get .tier)"

step "pay for a month of builder with USDC"
send "$USDC" 'approve(address,uint256)' "$REGISTRY" "$(printf '%d' 1000000000)" | get .status
send "$REGISTRY" 'activateWithUsdc(uint8)' 1 | get .status
until_is /api/v1/usage '.subscription.payments[0].tier' builder
echo "tier: $(ask /api/v1/usage | get .tier), $(ask /api/v1/usage | get .subscription.status)"

step "pay for a month of protocol with ETH, with too much: the rest comes back"
BEFORE=$("$CAST" balance "$WALLET")
send --value 1ether "$REGISTRY" 'activateWithEth(uint8)' 2 | get .status
AFTER=$("$CAST" balance "$WALLET")
python3 -c 'import sys
paid = int(sys.argv[1]) - int(sys.argv[2])
print("paid:", paid / 1e18, "ether of 1")
assert paid < 2 * 10**17' "$BEFORE" "$AFTER"
until_is /api/v1/usage '.subscription.payments[0].tier' protocol
until_is /api/v1/usage .tier protocol

step "both payments are final, anchored and proven"
until_is /api/v1/usage '.subscription.payments[0].state' counted
until_is /api/v1/usage '.subscription.payments[1].state' counted
curl -sSf "$URL$(ask /api/v1/usage | get '.subscription.payments[0].proof_url')" > "$WORK/payment.json"
verify "$WORK/payment.json" | tail -1

step "a transfer on another chain, proven to a contract that pays its sender as many wei, once"
SEQUENCE=$(curl -sSf "$URL/api/v1/status" | get '.anchors[0].sequence')
ask "/v5/logs?chain=1&fromBlock=2048&toBlock=2100&limit=200" > "$WORK/logs.json"
TRANSFER=$(python3 -c 'import json, sys
transfer = sys.argv[2]
for log in json.load(open(sys.argv[1]))["logs"]:
    if len(log["topics"]) == 3 and log["topics"][0] == transfer and int(log["data"], 16) < 10**9:
        sender, payee = ("0x" + topic[-40:] for topic in log["topics"][1:])
        print(log["proofUrl"], log["address"], sender, payee, int(log["data"], 16))
        break' "$WORK/logs.json" "$("$CAST" sig-event 'Transfer(address,address,uint256)')")
read -r EVENT TOKEN SENDER PAYEE AMOUNT <<< "$TRANSFER"
PROOF=0x$(curl -sSf "$URL$EVENT?form=calldata&sequence=$SEQUENCE" | od -An -v -tx1 | tr -d ' \n')
"$CAST" call "$LENS" 'verifyEvent(bytes)(uint256,uint256,uint256,uint256,address)' "$PROOF" | paste -sd' '
CODE=$(get .bytecode < "$(dirname "$0")/../contracts/artifacts/Release.json")
RELEASE=$(send --value 1ether --create "$CODE" 'constructor(address,uint256,address,address)' "$LENS" 1 "$TOKEN" "$PAYEE" |
  get .contractAddress)
BEFORE=$("$CAST" balance "$SENDER")
GAS=$(printf '%d' "$(send "$RELEASE" 'release(bytes)' "$PROOF" | get .gasUsed)")
PAID=$(python3 -c 'import sys; print(int(sys.argv[2]) - int(sys.argv[1]))' "$BEFORE" "$("$CAST" balance "$SENDER")")
[ "$PAID" = "$AMOUNT" ] || { echo "paid $PAID wei, expected $AMOUNT" >&2 && exit 1; }
echo "released: $PAID wei to $SENDER, for $GAS gas"
if "$CAST" call "$RELEASE" 'release(bytes)' "$PROOF" 2> "$WORK/again"; then echo "released twice" >&2 && exit 1; fi
echo "again: refused"

step "the usage of yesterday is at the registry, and its bill is checked offline"
KEY=$(python3 -c 'import json, sys
print(next(one["api_key"] for one in json.load(open(sys.argv[1])) if one["tier"] == "builder"))' "$DATA/demo-keys.json")
until_is /api/v1/usage/checkpoints '.checkpoints[0].state' proven
"$CAST" call "$REGISTRY" 'checkpointRoot(uint64)(bytes32)' 0
ask /api/v1/usage/checkpoints/0 > "$WORK/bill.srusage"
verify "$WORK/bill.srusage" | tail -1
