//! Account routes.

use superroot_wire::account::{
    Availability, BoughtPass, Challenge, Invoice, InvoiceList, IssuedKey, IssuedSubAccount, Key,
    KeyList, KeyRequest, PassList, PassRequest, Plans, RegisterRequest, Registration,
    RotateRequest, SubAccountList, SubAccountRequest, Usage, UsageCheckpointList, UsageHistory,
    UsageProof, Verification, WalletProof, WalletRequest,
};
use superroot_wire::paths;

use super::{
    availability, checkpoints, invoices, keys, pass, plans, register, sub_accounts, usage, wallet,
};
use crate::error::codes::{
    ACCOUNTS_UNAVAILABLE, AUTHORIZATION_PRESENTED, BEYOND_KEY, CHALLENGE_EXPIRED,
    CONTRACT_WALLET_UNAVAILABLE, CONTRACT_WALLET_UNSUPPORTED, ErrorCode, INTEGRATOR_REQUIRED,
    INVALID_SIGNATURE, KEY_NOT_ACTIVE, LIMIT_REACHED, PASSES_UNAVAILABLE, PAYMENT_REQUIRED,
    REGISTRATIONS_LIMITED, UNKNOWN_ACCOUNT, UNKNOWN_CHAIN, UNKNOWN_CHALLENGE, UNKNOWN_CHECKPOINT,
    UNKNOWN_INVOICE, UNKNOWN_KEY,
};
use crate::route::RouteGroup::Account;
use crate::route::{ApiRoute, RouteOperation, RouteParameter};

/// Errors for sub-account keys and key actions.
const BELOW: &[ErrorCode] = &[UNKNOWN_ACCOUNT, BEYOND_KEY];
const CREATE: &[ErrorCode] = &[UNKNOWN_ACCOUNT, UNKNOWN_CHAIN, BEYOND_KEY, LIMIT_REACHED];
const CHANGE: &[ErrorCode] =
    &[UNKNOWN_ACCOUNT, UNKNOWN_CHAIN, UNKNOWN_KEY, BEYOND_KEY, KEY_NOT_ACTIVE];
const REVOKE: &[ErrorCode] = &[UNKNOWN_ACCOUNT, UNKNOWN_KEY, BEYOND_KEY];
const ROTATE: &[ErrorCode] =
    &[UNKNOWN_ACCOUNT, UNKNOWN_KEY, BEYOND_KEY, KEY_NOT_ACTIVE, LIMIT_REACHED];
const REGISTER: &[ErrorCode] = &[
    INVALID_SIGNATURE,
    UNKNOWN_CHALLENGE,
    CHALLENGE_EXPIRED,
    CONTRACT_WALLET_UNAVAILABLE,
    CONTRACT_WALLET_UNSUPPORTED,
    ACCOUNTS_UNAVAILABLE,
    REGISTRATIONS_LIMITED,
];
const BUY: &[ErrorCode] = &[
    PAYMENT_REQUIRED,
    AUTHORIZATION_PRESENTED,
    PASSES_UNAVAILABLE,
    ACCOUNTS_UNAVAILABLE,
    REGISTRATIONS_LIMITED,
];
const PROVE: &[ErrorCode] = &[
    INVALID_SIGNATURE,
    UNKNOWN_CHALLENGE,
    CHALLENGE_EXPIRED,
    CONTRACT_WALLET_UNAVAILABLE,
    CONTRACT_WALLET_UNSUPPORTED,
    BEYOND_KEY,
    LIMIT_REACHED,
];

const REVOKED: &str =
    "Refused here at once, and on every node in under a second. Again is no error.";
const ONCE: &str = "Shown once: only its SHA-256 is kept.";
const COUNTS: &str = "In UTC. See docs/accounts.md.";

const MONTH: &str = "^[0-9]{4}-[0-9]{2}$";
const WALLET_ADDRESS: RouteParameter = RouteParameter::text(
    "wallet_address",
    "The wallet: 0x and 40 hex digits",
    "^0x[0-9a-fA-F]{40}$",
)
.required();
const WALLET_CHAIN: RouteParameter = RouteParameter::text(
    "chain_id",
    "The chain the message is to name, one of those configured; the first of them if left out",
    "^[A-Za-z0-9 ._:-]+$",
);
const FROM: RouteParameter =
    RouteParameter::integer("from", "Unix seconds; a day before until if left out");
const UNTIL: RouteParameter = RouteParameter::integer("until", "Unix seconds; now if left out");
const HISTORY_CURSOR: RouteParameter =
    RouteParameter::text("cursor", "next_cursor of the page before", "^[0-9A-Za-z._:-]+$");
const ACCOUNT_CURSOR: RouteParameter =
    RouteParameter::text("cursor", "next_cursor of the page before", "^[0-9a-f-]+$");
const LIMIT: RouteParameter =
    RouteParameter::integer("limit", "Rows of a page, 1 to 1000; 100 if left out");
const BEFORE: RouteParameter =
    RouteParameter::text("before", "Only months before this one, such as 2026-02", MONTH);
const BEFORE_DAY: RouteParameter = RouteParameter::text(
    "before",
    "Only days before this one, such as 2026-02-28",
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
);
const OF_MONTH: RouteParameter = RouteParameter::text(
    "month",
    "A month in UTC such as 2026-02; the running one if left out",
    MONTH,
);

pub(crate) fn routes() -> Vec<ApiRoute> {
    [
        of_wallets(),
        of_passes(),
        of_usage(),
        of_keys(),
        of_billing(),
        of_integrators(),
        of_keys_below(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn of_wallets() -> Vec<ApiRoute> {
    vec![
        ApiRoute::open(38, "/api/v1/register", Account).serves(
            RouteOperation::post(
                "register",
                "Open an account and get its first key",
                register::register,
            )
            .errors(REGISTER)
            .says(
                "An account of tier explorer that claims the wallet; with message and signature, one that has \
                 proven it. Shown once: only its SHA-256 is kept.",
            )
            .reads::<RegisterRequest>()
            .returns::<Registration>()
            .creates(),
        ),
        ApiRoute::open(39, paths::CHALLENGE, Account).serves(
            RouteOperation::get(
                "challenge",
                "A message for a wallet to sign (EIP-4361)",
                wallet::challenge,
            )
            .query(&[WALLET_ADDRESS, WALLET_CHAIN])
            .errors(&[UNKNOWN_CHAIN])
            .says(
                "To be signed with personal_sign as it is, to the byte, and brought back once, in \
                 time, to /api/v1/register or /api/v1/wallet.",
            )
            .returns::<Challenge>(),
        ),
        ApiRoute::keyed(40, paths::WALLET, Account).serves(
            RouteOperation::post("wallet", "Proof that a wallet is one's own", wallet::prove)
                .errors(PROVE)
                .says(
                    "What the wallet paid for is the presented key's account's from now on. The key must \
                     be confined to nothing and expire at no time. See docs/accounts.md.",
                )
                .reads::<WalletRequest>()
                .returns::<WalletProof>(),
        ),
    ]
}

fn of_passes() -> Vec<ApiRoute> {
    vec![
        ApiRoute::open(133, paths::PASS, Account).serves(
            RouteOperation::post("pass", "Billing tokens or a tier, bought by x402", pass::buy)
                .errors(BUY)
                .says(
                    "402 with the terms (x402 version 2) without PAYMENT-SIGNATURE. Counts once the transfer is proven. See docs/passes.md.",
                )
                .reads::<PassRequest>()
                .returns::<BoughtPass>(),
        ),
        ApiRoute::keyed(134, "/api/v1/passes", Account).serves(
            RouteOperation::get("passes", "Passes of an account, newest first", pass::list)
                .says("At most 100, each with its state.")
                .returns::<PassList>(),
        ),
    ]
}

fn of_usage() -> Vec<ApiRoute> {
    vec![
        ApiRoute::keyed(41, "/api/v1/usage", Account).serves(
            RouteOperation::get(
                "usage",
                "Requests counted for an account, its subscription and its billing tokens",
                usage::usage,
            )
            .says(COUNTS)
            .returns::<Usage>(),
        ),
        ApiRoute::keyed(42, "/api/v1/usage/history", Account).serves(
            RouteOperation::get(
                "usageHistory",
                "The same by hour, key, route, chain and status",
                usage::history,
            )
            .query(&[FROM, UNTIL, HISTORY_CURSOR, LIMIT])
            .says("Hours that overlap from to until; the last day where neither is given.")
            .returns::<UsageHistory>(),
        ),
        ApiRoute::keyed(43, "/api/v1/usage/checkpoints", Account).serves(
            RouteOperation::get(
                "usageCheckpoints",
                "Roots over each day's usage of all accounts, newest first",
                checkpoints::list,
            )
            .query(&[BEFORE_DAY, LIMIT])
            .says("Written to the registry contract, a day an hour after its end.")
            .returns::<UsageCheckpointList>(),
        ),
        ApiRoute::keyed(131, "/api/v1/usage/checkpoints/{checkpoint}", Account).serves(
            RouteOperation::get(
                "usageCheckpoint",
                "Proof of one's own usage on a day, for superroot verify",
                checkpoints::one,
            )
            .errors(&[UNKNOWN_CHECKPOINT])
            .says("By sequence at the newest contract, or by day. See docs/billing.md.")
            .returns::<UsageProof>(),
        ),
        ApiRoute::keyed(44, "/api/v1/verify", Account).serves(
            RouteOperation::get(
                "verifyKey",
                "Whether a key is valid, and what it gives",
                usage::verify,
            )
            .says("Of the key that the request presents.")
            .returns::<Verification>(),
        ),
    ]
}

fn list_keys(id: &'static str, about: &'static str) -> RouteOperation {
    RouteOperation::get(id, about, keys::list)
        .says("With state, scope and expiry; of a key itself its first characters alone.")
        .returns::<KeyList>()
}

fn create_key(id: &'static str, about: &'static str) -> RouteOperation {
    let operation = RouteOperation::post(id, about, keys::create).errors(CREATE).says(ONCE);
    operation.reads::<KeyRequest>().returns::<IssuedKey>().creates()
}

fn change_key(id: &'static str, about: &'static str) -> RouteOperation {
    let operation = RouteOperation::patch(id, about, keys::change).errors(CHANGE);
    operation
        .says("What is left out stays; null takes it away.")
        .reads::<KeyRequest>()
        .returns::<Key>()
}

fn revoke_key(id: &'static str, about: &'static str) -> RouteOperation {
    RouteOperation::delete(id, about, keys::revoke).errors(REVOKE).says(REVOKED).returns::<Key>()
}

fn rotate_key(id: &'static str, about: &'static str) -> RouteOperation {
    let operation = RouteOperation::post(id, about, keys::rotate).errors(ROTATE).says(ONCE);
    operation.reads::<RotateRequest>().returns::<IssuedKey>().creates()
}

fn of_keys() -> Vec<ApiRoute> {
    vec![
        ApiRoute::keyed(45, paths::KEYS, Account)
            .serves(list_keys("keys", "Keys of an account"))
            .serves(create_key("createKey", "Another key")),
        ApiRoute::keyed(46, "/api/v1/keys/{id}", Account)
            .serves(change_key("changeKey", "Label, scope or expiry of a key"))
            .serves(revoke_key("revokeKey", "A key revoked at once")),
        ApiRoute::keyed(47, "/api/v1/keys/{id}/rotate", Account)
            .serves(rotate_key("rotateKey", "A new key for an old one, which goes on for a while")),
    ]
}

fn of_billing() -> Vec<ApiRoute> {
    vec![
        ApiRoute::open(48, "/api/v1/plans", Account).serves(
            RouteOperation::get(
                "plans",
                "Tiers, grids, limits, prices and commercial models",
                plans::plans,
            )
            .says("The same for every caller; a price is in US dollars.")
            .returns::<Plans>(),
        ),
        ApiRoute::keyed(49, "/api/v1/invoices", Account).serves(
            RouteOperation::get(
                "invoices",
                "Invoices, newest month first, and what the running month comes to",
                invoices::list,
            )
            .query(&[BEFORE, LIMIT])
            .says("What comes late stands on the invoice of the month in which it was entered.")
            .returns::<InvoiceList>(),
        ),
        ApiRoute::keyed(50, "/api/v1/invoices/{invoice}", Account).serves(
            RouteOperation::get(
                "invoice",
                "One invoice with its lines; .csv or .html behind its name for a table or a page",
                invoices::one,
            )
            .errors(&[UNKNOWN_INVOICE])
            .says("By month (a draft until it is closed) or by number. See docs/billing.md.")
            .returns::<Invoice>(),
        ),
        ApiRoute::open(56, "/api/v1/availability", Account).serves(
            RouteOperation::get(
                "availability",
                "What was measured of a month, against what integrators are promised",
                availability::availability,
            )
            .says("The running month, or that of month=.")
            .query(&[OF_MONTH])
            .returns::<Availability>(),
        ),
    ]
}

fn of_integrators() -> Vec<ApiRoute> {
    vec![
        ApiRoute::keyed(51, "/api/v1/sub-accounts", Account)
            .serves(
                RouteOperation::get("subAccounts", "Sub-accounts of an integrator", sub_accounts::list).says("Of the key's own account alone.")
                    .query(&[ACCOUNT_CURSOR, LIMIT])
                    .errors(&[INTEGRATOR_REQUIRED])
                    .returns::<SubAccountList>(),
            )
            .serves(
                RouteOperation::post(
                    "createSubAccount",
                    "Another sub-account, with its first key",
                    sub_accounts::create,
                )
                .errors(&[UNKNOWN_CHAIN, INTEGRATOR_REQUIRED, LIMIT_REACHED, BEYOND_KEY])
                .says(
                    "It has the integrator's tier and shares its limit; its keys and counts are its \
                     own.",
                )
                .may_read::<SubAccountRequest>()
                .returns::<IssuedSubAccount>()
                .creates(),
            ),
        ApiRoute::keyed(55, "/api/v1/sub-accounts/{account_id}/usage", Account).serves(
            RouteOperation::get("subAccountUsage", "What a sub-account used", sub_accounts::usage)
                .errors(&[UNKNOWN_ACCOUNT])
                .says(COUNTS)
                .returns::<Usage>(),
        ),
    ]
}

fn of_keys_below() -> Vec<ApiRoute> {
    vec![
        ApiRoute::keyed(52, paths::KEYS_BELOW, Account)
            .serves(list_keys("subAccountKeys", "Keys of a sub-account").errors(BELOW))
            .serves(create_key("createSubAccountKey", "Another key of a sub-account")),
        ApiRoute::keyed(53, "/api/v1/sub-accounts/{account_id}/keys/{id}", Account)
            .serves(change_key(
                "changeSubAccountKey",
                "Label, scope or expiry of a sub-account's key",
            ))
            .serves(revoke_key("revokeSubAccountKey", "A sub-account's key revoked at once")),
        ApiRoute::keyed(54, "/api/v1/sub-accounts/{account_id}/keys/{id}/rotate", Account)
            .serves(rotate_key("rotateSubAccountKey", "A new key for an old one of a sub-account")),
    ]
}
