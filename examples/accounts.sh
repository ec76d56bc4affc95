#!/bin/sh
# Walks through an account's life: register, sign with a wallet, use, hit the limit, rotate, revoke,
# usage, invoice. Against a service of yours, such as `make demo`:
#
#     examples/accounts.sh http://127.0.0.1:8080
#
# Needs curl, and the program `superroot` (SUPERROOT=path names another one) for the wallet.
set -eu

url=${1:?"the address of a service is missing, such as http://127.0.0.1:8080"}
url=${url%/} # paths begin with a slash
superroot=${SUPERROOT:-superroot}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '\n== %s\n' "$1"; }
fail() { printf 'error: %s\n' "$1" >&2; exit 1; }

for program in curl "$superroot"; do
  command -v "$program" >/dev/null || fail "there is no $program: put it into PATH, or name the \
program superroot by SUPERROOT=target/release/superroot"
done

# ask STATUS METHOD PATH [curl's flags]: the body, once the status is the one expected; where it is
# 429 or 503, once more after the time that the answer names. The flags hold the key in a file, since
# others can read command lines.
ask() {
  expected=$1 method=$2 path=$3
  shift 3
  for try in 1 2 3; do
    status=$(curl -sS -X "$method" -o "$work/body" -D "$work/head" \
      -w '%{http_code}' "$@" "$url$path") || fail "$url does not answer"
    case $status in 429 | 503) ;; *) break ;; esac
    [ "$status" != "$expected" ] && [ "$try" -lt 3 ] || break
    seconds=$(tr -d '\r' <"$work/head" | sed -n 's/^[Rr]etry-[Aa]fter: *//p')
    [ "${seconds:-1}" -le 60 ] || break
    printf '%s: asked again in %s s\n' "$status" "${seconds:=1}" >&2
    sleep "$seconds"
  done
  if [ "$status" != "$expected" ]; then
    fail "$method $path: $status, expected $expected: $(cat "$work/body")"
  fi
  cat "$work/body"
}

# field NAME: the first text of that name in the JSON that comes in.
field() { grep -o "\"$1\": *\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }

# key FILE TEXT: keeps a key in a file of curl's settings, for its owner alone.
key() { (umask 077 && printf 'header = "X-API-Key: %s"\n' "$2" >"$work/$1"); }

say "a wallet, as a program's own: its key is in a file"
wallet=$("$superroot" wallet new --key-file "$work/wallet.key")
echo "$wallet"

say "register: an account that claims the wallet, and its first key, told once"
ask 201 POST /api/v1/register -H 'Content-Type: application/json' \
  -d "{\"wallet_address\": \"$wallet\"}" >"$work/registration"
key first "$(field api_key <"$work/registration")"
echo "account $(field user_id <"$work/registration"), key $(field key_prefix <"$work/registration")..."

say "sign: the wallet is proven, and what it pays for is this account's"
ask 200 GET "/api/v1/register/challenge?wallet_address=$wallet" >"$work/challenge"
# the message has line ends, and nothing else that JSON writes in another way
message=$(field message <"$work/challenge")
printf '%b' "$message" >"$work/message"
cat "$work/message"
echo
signature=$("$superroot" wallet sign --key-file "$work/wallet.key" <"$work/message")
printf '{"message": "%s", "signature": "%s"}' "$message" "$signature" >"$work/proof"
ask 200 POST /api/v1/wallet -K "$work/first" -H 'Content-Type: application/json' -d "@$work/proof"
echo
echo "the same message once more proves nothing:"
ask 404 POST /api/v1/wallet -K "$work/first" -H 'Content-Type: application/json' \
  -d "@$work/proof" | field detail

say "use: every answer says what is left"
ask 200 GET /finality/ethereum -K "$work/first" >"$work/answer"
grep -i '^x-ratelimit' "$work/head"
ask 200 GET /api/v1/verify -K "$work/first"

say "a second key, for one purpose alone"
ask 201 POST /api/v1/keys -K "$work/first" -H 'Content-Type: application/json' \
  -d '{"label": "finality only", "routes": ["G2"], "chains": [1]}' >"$work/issued"
key second "$(field api_key <"$work/issued")"
second=$(field id <"$work/issued")
ask 200 GET /finality/ethereum -K "$work/second" >"$work/answer"
ask 403 GET /v5/superroot -K "$work/second" | field detail

say "the limit: one of the account, whichever key asks"
# what stands behind # is not sent: the same question 150 times, over one connection
statuses=$(curl -sS -K "$work/first" -o "$work/last" -w '%{http_code}\n' "$url/v5/superroot#[1-150]")
echo "$statuses" | sort | uniq -c
echo "$statuses" | grep -q 429 || fail "150 requests at once were not limited"
field detail <"$work/last"

say "rotate: a new key in the place of the first, which is refused at once"
ask 200 GET /api/v1/verify -K "$work/first" >"$work/verified"
first=$(field id <"$work/verified")
ask 201 POST "/api/v1/keys/$first/rotate" -K "$work/first" -H 'Content-Type: application/json' \
  -d '{"grace_seconds": 0}' >"$work/issued"
key third "$(field api_key <"$work/issued")"
ask 401 GET /api/v1/usage -K "$work/first" | field detail

say "revoke: the second key is refused at once, on every node within a second"
ask 200 DELETE "/api/v1/keys/$second" -K "$work/third" >"$work/revoked"
ask 401 GET /finality/ethereum -K "$work/second" | field detail

say "usage: counts are written twice a second"
sleep 1.2
ask 200 GET /api/v1/usage -K "$work/third"

say "invoice: what this month comes to so far"
ask 200 GET "/api/v1/invoices/$(date -u +%Y-%m).csv" -K "$work/third"

say "done"
