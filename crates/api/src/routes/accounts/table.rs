//! Their part of the route table.

use axum::routing::{MethodRouter, delete, get, patch, post};

use super::{availability, invoices, keys, plans, register, sub_accounts, usage, wallet};
use crate::endpoint::{Endpoint, Grid};
use crate::service::Shared;

/// Errors of whatever reads or writes accounts.
const ACCOUNT: &[&str] = &["accounts_unavailable"];
const BELOW: &[&str] = &["accounts_unavailable", "unknown_account", "beyond_key"];
const CREATE: &[&str] =
    &["accounts_unavailable", "unknown_account", "unknown_chain", "beyond_key", "limit_reached"];
const CHANGE: &[&str] = &[
    "accounts_unavailable",
    "unknown_account",
    "unknown_chain",
    "unknown_key",
    "beyond_key",
    "key_not_active",
];
const REVOKE: &[&str] = &["accounts_unavailable", "unknown_account", "unknown_key", "beyond_key"];
const ROTATE: &[&str] = &[
    "accounts_unavailable",
    "unknown_account",
    "unknown_key",
    "beyond_key",
    "key_not_active",
    "limit_reached",
];

const REVOKED: &str =
    "Refused here at once, and on every node in under a second. Again is no error.";
const ONCE: &str = "The key is told this once: only its SHA-256 is kept.";
/// Errors of a message that came back signed.
const SIGNED: &[&str] = &[
    "invalid_signature",
    "unknown_challenge",
    "challenge_expired",
    "challenge_spent",
    "contract_wallet_unavailable",
    "contract_wallet_unsupported",
    "accounts_unavailable",
    "registrations_limited",
];
const PROVE: &[&str] = &[
    "invalid_signature",
    "unknown_challenge",
    "challenge_expired",
    "challenge_spent",
    "contract_wallet_unavailable",
    "contract_wallet_unsupported",
    "accounts_unavailable",
    "beyond_key",
    "limit_reached",
];
const COUNTS: &str = "Counts are written each second: an answer may lack those of the last one. Days \
    and months are in UTC. Every request counts, refused ones too; requests to /health do not.";

pub(crate) fn table() -> Vec<Endpoint> {
    [of_account(), of_keys(), of_billing(), of_integrators()].into_iter().flatten().collect()
}

fn row(
    method: &'static str,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    schema: &'static str,
    handler: MethodRouter<Shared>,
) -> Endpoint {
    Endpoint { method, ..Endpoint::get(path, id, Grid::Account, summary, schema, handler) }
}

fn of_account() -> Vec<Endpoint> {
    vec![
        Endpoint {
            body: Some("RegisterRequest"),
            success: 201,
            ..row(
                "POST",
                "/api/v1/register",
                "register",
                "An account of one's own, and its first key",
                "Registration",
                post(register::register),
            )
        }
        .errors(SIGNED)
        .says(
            "An account that claims the wallet, tier explorer, as often as anyone likes within the \
             limit of its address. What a wallet paid for goes only to keys proven by its \
             signature: with message and signature the wallet is proven at once, and there is an \
             account only if it is. The key is told this once: only its SHA-256 is kept.",
        ),
        row(
            "GET",
            "/api/v1/register/challenge",
            "challenge",
            "A message for a wallet to sign (EIP-4361)",
            "Challenge",
            get(wallet::challenge),
        )
        .query(&["wallet_address", "wallet_chain_id"])
        .errors(&["unknown_chain", "challenges_limited"])
        .says(
            "To be signed with personal_sign as it is, to the byte, and brought back once, in time, \
             to /api/v1/register or /api/v1/wallet.",
        ),
        Endpoint {
            body: Some("WalletRequest"),
            ..row(
                "POST",
                "/api/v1/wallet",
                "wallet",
                "Proof that a wallet is one's own",
                "WalletProof",
                post(wallet::prove),
            )
        }
        .errors(PROVE)
        .says(
            "What the wallet paid for is the presented key's account's from now on, and nobody \
             else's. The key must be confined to nothing and expire at no time. A contract wallet \
             (EIP-1271, EIP-6492) is asked through nodes of its chain.",
        ),
        row(
            "GET",
            "/api/v1/usage",
            "usage",
            "Requests counted for an account, its subscription and its billing tokens",
            "Usage",
            get(usage::usage),
        )
        .errors(ACCOUNT)
        .says(COUNTS),
        row(
            "GET",
            "/api/v1/usage/history",
            "usageHistory",
            "The same by hour, key, route, chain and status",
            "UsageHistory",
            get(usage::history),
        )
        .query(&["from_time", "until_time", "history_cursor", "page_limit"])
        .errors(ACCOUNT)
        .says("Hours that overlap from to until; the last day where neither is given."),
        row(
            "GET",
            "/api/v1/verify",
            "verifyKey",
            "Whether a key is valid, and what it gives",
            "KeyVerification",
            get(usage::verify),
        )
        .errors(ACCOUNT),
    ]
}

fn of_keys() -> Vec<Endpoint> {
    vec![
        row("GET", "/api/v1/keys", "keys", "Keys of an account", "KeyList", get(keys::list))
            .errors(ACCOUNT),
        Endpoint {
            body: Some("KeyRequest"),
            success: 201,
            ..row(
                "POST",
                "/api/v1/keys",
                "createKey",
                "Another key",
                "IssuedKey",
                post(keys::create),
            )
        }
        .errors(CREATE)
        .says(ONCE),
        Endpoint {
            body: Some("KeyRequest"),
            ..row(
                "PATCH",
                "/api/v1/keys/{id}",
                "changeKey",
                "Label, scope or expiry of a key",
                "Key",
                patch(keys::change),
            )
        }
        .errors(CHANGE)
        .says("What is left out stays; null takes it away."),
        row(
            "DELETE",
            "/api/v1/keys/{id}",
            "revokeKey",
            "A key revoked at once",
            "Key",
            delete(keys::revoke),
        )
        .errors(REVOKE)
        .says(REVOKED),
        Endpoint {
            body: Some("RotateRequest"),
            success: 201,
            ..row(
                "POST",
                "/api/v1/keys/{id}/rotate",
                "rotateKey",
                "A new key for an old one, which goes on for a while",
                "IssuedKey",
                post(keys::rotate),
            )
        }
        .errors(ROTATE)
        .says(ONCE),
    ]
}

fn of_billing() -> Vec<Endpoint> {
    vec![
        row(
            "GET",
            "/api/v1/plans",
            "plans",
            "Tiers, grids, limits, prices and commercial models",
            "Plans",
            get(plans::plans),
        ),
        row(
            "GET",
            "/api/v1/invoices",
            "invoices",
            "Invoices, newest month first, and what the running month comes to",
            "InvoiceList",
            get(invoices::list),
        )
        .query(&["before", "page_limit"])
        .errors(ACCOUNT)
        .says("Credit notes stand on the invoice of the month in which they were entered."),
        row(
            "GET",
            "/api/v1/invoices/{invoice}",
            "invoice",
            "One invoice with its lines; .csv or .html behind its name for a table or a page",
            "Invoice",
            get(invoices::one),
        )
        .errors(&["accounts_unavailable", "unknown_invoice"])
        .says(
            "By month (a draft until it is closed) or by number. Lines add up to the total, and \
             their requests and tokens to those of usage, to the unit.",
        ),
        row(
            "GET",
            "/api/v1/availability",
            "availability",
            "What was measured of a month, against what integrators are promised",
            "Availability",
            get(availability::availability),
        )
        .query(&["month"])
        .errors(ACCOUNT),
    ]
}

fn of_integrators() -> Vec<Endpoint> {
    let mut rows = vec![
        row(
            "GET",
            "/api/v1/sub-accounts",
            "subAccounts",
            "Sub-accounts of an integrator",
            "SubAccountList",
            get(sub_accounts::list),
        )
        .query(&["account_cursor", "page_limit"])
        .errors(&["accounts_unavailable", "integrator_required"]),
        Endpoint {
            body: Some("SubAccountRequest"),
            success: 201,
            ..row(
                "POST",
                "/api/v1/sub-accounts",
                "createSubAccount",
                "Another sub-account, with its first key",
                "IssuedSubAccount",
                post(sub_accounts::create),
            )
        }
        .errors(&[
            "accounts_unavailable",
            "unknown_chain",
            "integrator_required",
            "limit_reached",
            "beyond_key",
        ])
        .says(
            "It has the integrator's tier and shares its limit; its keys and counts are its own.",
        ),
        row(
            "GET",
            "/api/v1/sub-accounts/{account_id}/usage",
            "subAccountUsage",
            "What a sub-account used",
            "Usage",
            get(sub_accounts::usage),
        )
        .errors(&["accounts_unavailable", "unknown_account"])
        .says(COUNTS),
    ];
    rows.extend(of_keys_below());
    rows
}

fn of_keys_below() -> Vec<Endpoint> {
    vec![
        row(
            "GET",
            "/api/v1/sub-accounts/{account_id}/keys",
            "subAccountKeys",
            "Keys of a sub-account",
            "KeyList",
            get(keys::list),
        )
        .errors(BELOW),
        Endpoint {
            body: Some("KeyRequest"),
            success: 201,
            ..row(
                "POST",
                "/api/v1/sub-accounts/{account_id}/keys",
                "createSubAccountKey",
                "Another key of a sub-account",
                "IssuedKey",
                post(keys::create),
            )
        }
        .errors(CREATE)
        .says(ONCE),
        Endpoint {
            body: Some("KeyRequest"),
            ..row(
                "PATCH",
                "/api/v1/sub-accounts/{account_id}/keys/{id}",
                "changeSubAccountKey",
                "Label, scope or expiry of a sub-account's key",
                "Key",
                patch(keys::change),
            )
        }
        .errors(CHANGE),
        row(
            "DELETE",
            "/api/v1/sub-accounts/{account_id}/keys/{id}",
            "revokeSubAccountKey",
            "A sub-account's key revoked at once",
            "Key",
            delete(keys::revoke),
        )
        .errors(REVOKE)
        .says(REVOKED),
        Endpoint {
            body: Some("RotateRequest"),
            success: 201,
            ..row(
                "POST",
                "/api/v1/sub-accounts/{account_id}/keys/{id}/rotate",
                "rotateSubAccountKey",
                "A new key for an old one of a sub-account",
                "IssuedKey",
                post(keys::rotate),
            )
        }
        .errors(ROTATE)
        .says(ONCE),
    ]
}
