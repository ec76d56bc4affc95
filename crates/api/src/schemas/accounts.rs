//! Accounts, keys, usage, invoices.

use super::Kind::{
    Any, Bool, Int, List, MaybeInt, MaybeInts, MaybeText, MaybeTexts, MaybeWhole, Number, Text,
    Texts, Whole,
};
use super::{ANCHOR, Member, Object};

const KEY_SCOPE: &[Member] = &[
    ("chains", MaybeInts, true, "Chain ids it is confined to; null where it is not"),
    ("routes", MaybeTexts, true, "Routes it is confined to; null where it is not"),
    ("expires_at", MaybeInt, true, "First second it is refused; null: never by time"),
];
const KEY: &[Member] = &[
    ("id", Text, true, "Its name, a UUID; no secret"),
    ("key_prefix", Text, true, "Its first characters"),
    ("label", MaybeText, true, "What its owner calls it"),
    ("state", Text, true, "active, retiring, rotated, expired or revoked"),
    ("created_at", Int, true, "Unix seconds"),
    ("retires_at", MaybeInt, true, "First second it is refused after a rotation"),
    ("revoked_at", MaybeInt, true, "When it was revoked"),
    ("replaced_by", MaybeText, true, "Id of the key that took its place"),
    ("is_presented", Bool, true, "Whether the request was made with it"),
];
const ISSUED: &[Member] = &[
    ("api_key", Text, true, "The key, told this once"),
    ("key", Whole("KeyOfAccount"), true, "What is kept of it"),
];
const INVOICE: &[Member] = &[
    ("number", MaybeText, true, "SR-LIVE-000042; null for a draft"),
    ("is_closed", Bool, true, "Whether it is closed, and will never change"),
    ("user_id", Text, true, "The account"),
    ("month", Text, true, "2026-02, in UTC"),
    ("billed_to", Text, true, "Who is billed"),
    ("issued_at", Int, true, "When it was closed; for a draft, now"),
    ("total_usdc", Number, true, "Sum of the lines; negative where the service owes"),
    ("requests", Int, true, "Requests of all lines"),
    ("billing_tokens", Int, true, "Billing tokens of all lines"),
];
const PROVE: &str = "Where to sign, where a claimed wallet has paid or a paid tier was asked for";

/// Whole bodies, and objects inside them.
pub(super) const OBJECTS: &[Object] = &[
    Object::snake(
        "RegisterRequest",
        "An account that claims a wallet, or proves it.",
        &[&[
            ("wallet_address", Text, true, "0x and 40 hex digits"),
            ("tier", Text, false, "explorer if left out; others come with a payment"),
            ("message", Text, false, "The text of a challenge for that wallet; with signature"),
            ("signature", Text, false, "The wallet's signature of it: 0x and hex digits"),
        ]],
    ),
    Object::snake(
        "Challenge",
        "A message that waits for a wallet's signature.",
        &[
            ANCHOR,
            &[
                ("wallet_address", Text, true, "The wallet"),
                ("message", Text, true, "What to sign with personal_sign, to the byte"),
                ("nonce", Text, true, "Its nonce, 32 hex digits: it counts once"),
                ("chain_id", Int, true, "The chain it names"),
                ("issued_at", Int, true, "Unix seconds"),
                ("expires_at", Int, true, "First second it does not count any more"),
                (
                    "contract_wallets",
                    Bool,
                    true,
                    "Whether the signature of a contract of that chain can be checked here",
                ),
            ],
        ],
    ),
    Object::snake(
        "WalletRequest",
        "A message that came back signed.",
        &[&[
            ("message", Text, true, "The text of a challenge, to the byte"),
            (
                "signature",
                Text,
                true,
                "0x and hex digits: r, s and v (65 bytes, s in the lower half), or what the \
                 wallet's contract takes (EIP-1271, EIP-6492)",
            ),
        ]],
    ),
    Object::snake(
        "WalletProof",
        "A wallet proven, and what its account has by that.",
        &[
            ANCHOR,
            &[
                ("user_id", Text, true, "The account"),
                ("wallet_address", Text, true, "The wallet"),
                ("wallet_proven", Bool, true, "true"),
                ("proven_by", Text, true, "own_key or contract"),
                ("chain_id", Int, true, "The chain that the message names"),
                ("tier", Text, true, "The account's tier now"),
                ("rate_limit_rpm", Int, true, "Requests a minute"),
                ("subscription_status", Text, true, "Status of the subscription"),
                ("expires_at", MaybeText, true, "End of the subscription, ISO 8601"),
            ],
        ],
    ),
    Object::snake(
        "Registration",
        "An account just opened. The only time its key is told.",
        &[
            ANCHOR,
            &[
                ("api_key", Text, true, "The key, told this once"),
                ("tier", Text, true, "The tier granted"),
                ("rate_limit", Int, true, "Requests a minute"),
                ("user_id", Text, true, "The account, a UUID"),
                ("key_prefix", Text, true, "The key's first characters"),
                ("key_id", Text, true, "The key's id"),
                ("environment", Text, true, "live or test"),
                ("wallet_address", Text, true, "The wallet"),
                ("wallet_proven", Bool, true, "Whether its signature stands behind that"),
                ("subscription_status", Text, true, "Status of what was paid"),
                ("prove_wallet", MaybeWhole("ProveWallet"), true, PROVE),
            ],
        ],
    ),
    Object::snake(
        "ProveWallet",
        "How what a wallet paid for comes to an account.",
        &[&[
            ("wallet_address", Text, true, "The wallet"),
            ("challenge", Text, true, "Path that gives the message to sign"),
            ("submit", Text, true, "Path that takes it signed, with the key to be lifted"),
        ]],
    ),
    Object::snake(
        "Subscription",
        "A subscription as its account sees it.",
        &[&[
            ("status", Text, true, "none, pending, active, grace, expired or revoked"),
            ("expires_at", MaybeText, true, "ISO 8601; null where there never was one, or no end"),
            ("amount_paid_usdc", Number, true, "Everything paid, less what was paid back"),
            ("prove_wallet", MaybeWhole("ProveWallet"), true, PROVE),
        ]],
    ),
    Object::snake(
        "Billing",
        "Billing tokens of a month, and what is owed.",
        &[&[
            ("month", Text, true, "2026-02, in UTC"),
            ("tokens_used", Int, true, "Tokens used"),
            ("tokens_free", MaybeInt, true, "Tokens free of charge; null: all are in a fee"),
            (
                "tokens_left",
                MaybeInt,
                true,
                "How many of those are left; sub-accounts take of them too",
            ),
            (
                "owes_usdc",
                Number,
                true,
                "What was entered so far comes to, less what was paid; negative where the service owes",
            ),
        ]],
    ),
    Object::snake(
        "EndpointCount",
        "Requests of one route.",
        &[&[
            ("endpoint", Text, true, "Its path, with names for what varies"),
            ("count", Int, true, "Requests"),
        ]],
    ),
    Object::snake(
        "Usage",
        "What was used.",
        &[
            ANCHOR,
            &[
                ("user_id", Text, true, "The account"),
                ("tier", Text, true, "Its tier"),
                ("requests_today", Int, true, "Requests since midnight UTC"),
                ("requests_this_month", Int, true, "Requests since the first of the month, UTC"),
                ("rate_limit_rpm", Int, true, "Requests a minute"),
                ("top_endpoints", List("EndpointCount"), true, "Routes with the most requests"),
                ("subscription", Whole("Subscription"), true, "Its subscription"),
                ("billing", Whole("Billing"), true, "Billing tokens"),
            ],
        ],
    ),
    Object::snake(
        "UsageHistory",
        "Hours of usage.",
        &[
            ANCHOR,
            &[
                ("from", Int, true, "Unix seconds"),
                ("until", Int, true, "Unix seconds"),
                ("hours", List("HourlyUsage"), true, "Earliest first"),
                ("next_cursor", MaybeText, true, "Where the next page begins; null at the end"),
            ],
        ],
    ),
    Object::snake(
        "HourlyUsage",
        "Requests of one hour that agree in all of this.",
        &[&[
            ("hour", Int, true, "First second of the hour"),
            ("key_id", MaybeText, true, "The key"),
            ("endpoint", Text, true, "Path of the route"),
            ("chain_id", MaybeInt, true, "The chain asked about, if the path names one"),
            ("status", Text, true, "2xx and the like"),
            ("requests", Int, true, "Requests"),
            ("billing_tokens", Int, true, "Billing tokens they weigh"),
        ]],
    ),
    Object::snake(
        "KeyVerification",
        "What a valid key gives; an invalid one is 401.",
        &[
            ANCHOR,
            &[
                ("valid", Bool, true, "true"),
                ("tier", Text, true, "The tier"),
                ("rate_limit_rpm", Int, true, "Requests a minute"),
                ("expires_at", MaybeText, true, "End of the subscription, ISO 8601"),
                ("subscription_status", Text, true, "Status of the subscription"),
                ("user_id", Text, true, "The account"),
                ("key", Whole("PresentedKey"), true, "The key"),
                ("billing", Whole("Billing"), true, "Billing tokens"),
            ],
        ],
    ),
    Object::snake(
        "PresentedKey",
        "The presented key.",
        &[
            &[
                ("id", Text, true, "Its id"),
                ("key_prefix", Text, true, "Its first characters"),
                ("environment", Text, true, "live or test"),
            ],
            KEY_SCOPE,
        ],
    ),
    Object::snake("Key", "A key.", &[ANCHOR, KEY, KEY_SCOPE]),
    Object::snake("KeyOfAccount", "A key.", &[KEY, KEY_SCOPE]),
    Object::snake(
        "KeyList",
        "Keys, the newest first; with those that are over, as far as they are kept.",
        &[ANCHOR, &[("keys", List("KeyOfAccount"), true, "The keys")]],
    ),
    Object::snake(
        "KeyRequest",
        "What a key is to be.",
        &[&[
            ("label", MaybeText, false, "1 to 64 printable characters"),
            ("chains", Any, false, "List of chain ids or names; null: every chain"),
            (
                "routes",
                Any,
                false,
                "List of grids (G1), paths (/finality/{chain_id}) or all below one \
                 (/v5/proof/*); null: every route",
            ),
            ("expires_at", MaybeInt, false, "Unix seconds; null: never"),
        ]],
    ),
    Object::snake(
        "SubAccountRequest",
        "What a sub-account is called, and what its first key is to be. No body: neither.",
        &[&[
            ("label", MaybeText, false, "1 to 64 printable characters, of account and key"),
            ("chains", Any, false, "As of any key: chain ids or names; null: every chain"),
            ("routes", Any, false, "As of any key: grids and paths; null: every route"),
            ("expires_at", MaybeInt, false, "Unix seconds; null: never"),
        ]],
    ),
    Object::snake("IssuedKey", "A key just made.", &[ANCHOR, ISSUED]),
    Object::snake(
        "RotateRequest",
        "How a key is replaced.",
        &[&[(
            "grace_seconds",
            Int,
            false,
            "How long the old one goes on, and up to a second more; a day if left out",
        )]],
    ),
    Object::snake(
        "InvoiceList",
        "Invoices.",
        &[
            ANCHOR,
            &[
                ("invoices", List("InvoiceShown"), true, "Newest month first"),
                ("current", Whole("InvoiceShown"), true, "The running month so far"),
                ("next_before", MaybeText, true, "before of the next page; null at the end"),
            ],
        ],
    ),
    Object::snake("InvoiceShown", "An invoice without its lines.", &[INVOICE]),
    Object::snake(
        "Invoice",
        "An invoice or a draft.",
        &[ANCHOR, INVOICE, &[("lines", List("InvoiceLine"), true, "The lines")]],
    ),
    Object::snake(
        "InvoiceLine",
        "A line.",
        &[&[
            (
                "kind",
                Text,
                true,
                "usage, fee, subscription, paid, refund, charge, revenue_share or credit_note",
            ),
            ("label", Text, true, "In words; for usage the path of the route"),
            ("chain_id", MaybeInt, true, "The chain, for usage of one"),
            ("requests", Int, true, "Requests"),
            ("billing_tokens", Int, true, "Billing tokens"),
            ("free_tokens", Int, true, "How many of those are free"),
            ("amount_usdc", Number, true, "What it comes to"),
        ]],
    ),
    Object::snake(
        "SubAccountList",
        "Sub-accounts of an integrator.",
        &[
            ANCHOR,
            &[
                ("sub_accounts", List("SubAccount"), true, "In order of their ids"),
                ("next_cursor", MaybeText, true, "Where the next page begins; null at the end"),
            ],
        ],
    ),
    Object::snake(
        "SubAccount",
        "An account of an integrator's customer.",
        &[&[
            ("user_id", Text, true, "The account"),
            ("label", MaybeText, true, "What its integrator calls it"),
            ("created_at", Int, true, "When it was opened"),
            ("closed_at", MaybeInt, true, "Since when it is closed"),
        ]],
    ),
    Object::snake(
        "IssuedSubAccount",
        "A sub-account just opened.",
        &[
            ANCHOR,
            &[
                ("user_id", Text, true, "The account"),
                ("label", MaybeText, true, "What its integrator calls it"),
                ("created_at", Int, true, "When it was opened"),
            ],
            ISSUED,
        ],
    ),
    Object::snake(
        "Availability",
        "What was measured of a month.",
        &[
            ANCHOR,
            &[
                ("month", Text, true, "2026-02, in UTC"),
                ("measured_minutes", Int, true, "Minutes measured"),
                ("up_minutes", Int, true, "Of those, minutes up"),
                ("availability_percent", Any, true, "Their part; null where nothing was measured"),
                ("promised_percent", Number, true, "What integrators are promised"),
            ],
        ],
    ),
    Object::snake(
        "Plans",
        "Tiers, prices and models, from configuration.",
        &[
            ANCHOR,
            &[
                ("environment", Text, true, "live or test"),
                ("key_pattern", Text, true, "Regular expression that every key matches"),
                ("keyless", Whole("KeylessPlan"), true, "What holds without a key"),
                ("subscription", Any, true, "How subscriptions run, and what they are paid in"),
                ("tiers", List("TierPlan"), true, "Lowest first"),
                ("grids", List("GridPlan"), true, "The grids, and the routes of each"),
                ("routes", List("RoutePlan"), true, "What every route asks and weighs"),
                ("commercial_models", Any, true, "Pay-as-you-go, integrator, enterprise"),
            ],
        ],
    ),
    Object::snake(
        "KeylessPlan",
        "What holds without a key.",
        &[&[
            ("rate_limit_rpm", MaybeInt, true, "Requests a minute; null: no limit"),
            ("counted_by", Text, true, "What they are counted by: address"),
        ]],
    ),
    Object::snake(
        "TierPlan",
        "What a tier gives and costs.",
        &[&[
            ("tier", Text, true, "Its name"),
            ("rate_limit_rpm", MaybeInt, true, "Requests a minute; null: by agreement"),
            ("price_usdc", Any, true, "Price of a period; null: by agreement"),
            ("is_custom", Bool, true, "Whether it is by agreement"),
            ("grids", Texts, true, "Grids that are open whole"),
            ("keys_max", Int, true, "Keys in force at one time"),
            ("transports", Texts, true, "rest, sse, grpc"),
        ]],
    ),
    Object::snake(
        "GridPlan",
        "A group of routes.",
        &[&[("grid", Text, true, "Its name"), ("routes", Texts, true, "Paths of its routes")]],
    ),
    Object::snake(
        "RoutePlan",
        "What a route asks and weighs.",
        &[&[
            ("path", Text, true, "Its path"),
            ("grid", MaybeText, true, "Its grid"),
            ("access", Text, true, "anyone, any_key, or the lowest tier"),
            ("billing_weight", Int, true, "Billing tokens of a successful answer"),
        ]],
    ),
];
