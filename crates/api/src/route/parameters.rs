//! Path and query parameters, with content and example.
//!
//! Path parameters are looked up here by name. A feature may define query parameters next to its routes.

#[derive(Clone, Copy, Debug)]
pub(crate) struct RouteParameter {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Pattern for all values; empty for an integer.
    pub(crate) pattern: &'static str,
    pub(crate) is_required: bool,
}

impl RouteParameter {
    /// Text with a pattern.
    pub(crate) const fn text(
        name: &'static str,
        about: &'static str,
        pattern: &'static str,
    ) -> Self {
        Self { name, about, pattern, is_required: false }
    }

    /// Decimal integer.
    pub(crate) const fn integer(name: &'static str, about: &'static str) -> Self {
        Self { name, about, pattern: "", is_required: false }
    }

    /// Marks a required parameter.
    pub(crate) const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }
}

const HASH: &str = "^0x[0-9a-fA-F]{64}$";
const CHAIN: &str = "Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1";
const BLOCK: &str = "Block number, or latest for the newest anchored block";
const TRANSACTION: &str = "0x and 64 hex digits; for Bitcoin also as explorers show it";
const TRANSACTION_FORM: &str = "^(0x)?[0-9a-fA-F]{64}$";
const NAME: &str = "^[A-Za-z0-9 ._:-]+$";
const NUMBER: &str = "^([0-9]+|latest)$";
const ID: &str = "^[0-9a-zA-Z-]+$";

/// SuperRoot for a proof, by hash.
pub(crate) const ROOT: RouteParameter =
    RouteParameter::text("root", "SuperRoot hash: 0x and 64 hex digits", HASH);
/// SuperRoot for a proof, by sequence.
pub(crate) const SEQUENCE: RouteParameter =
    RouteParameter::integer("sequence", "Sequence of a SuperRoot");
/// Signatures on the SuperRoot.
pub(crate) const NOTE: RouteParameter = RouteParameter::text(
    "note",
    "1: with the newest signed note of the log, and the path of the SuperRoot in it",
    "^[01]$",
);
/// Waiting time for a proof.
pub(crate) const WAIT: RouteParameter = RouteParameter::integer(
    "wait",
    "Seconds, 0 to 15, to wait for what is not held, final or anchored yet before that is the answer",
);
/// Waiting time for a change.
pub(crate) const WAIT_FOR_CHANGE: RouteParameter = RouteParameter::integer(
    "wait",
    "Seconds, 0 to 15, to wait until it is seen, or until it changes where it is not terminal",
);
/// Longest waiting time for a proof in seconds.
pub(crate) const WAIT_SECONDS_MAX: u64 = 15;
/// Proof level.
pub(crate) const LEVEL: RouteParameter = RouteParameter::text(
    "level",
    "Highest level wanted, 1 to 5; 1 and 2 need no SuperRoot",
    "^[1-5]$",
);

const OF_PATHS: [RouteParameter; 22] = [
    RouteParameter::text("chain", CHAIN, NAME),
    RouteParameter::text("chain_id", CHAIN, NAME),
    RouteParameter::text("block", BLOCK, NUMBER),
    RouteParameter::text("block_number", BLOCK, NUMBER),
    RouteParameter::text("tx_hash", TRANSACTION, TRANSACTION_FORM),
    RouteParameter::text("hash", TRANSACTION, TRANSACTION_FORM),
    RouteParameter::text("tx", TRANSACTION, TRANSACTION_FORM),
    RouteParameter::text("family", "Ledger family, such as evm or bitcoin", "^[a-z]+$"),
    RouteParameter::text("superroot_hash", "SuperRoot hash: 0x and 64 hex digits", HASH),
    RouteParameter::integer("tx_index", "Position of the transaction in the block"),
    RouteParameter::integer("log_index", "Position of the log in the receipt"),
    SEQUENCE,
    RouteParameter::text(
        "invoice",
        "A month such as 2026-02 or a number such as SR-LIVE-000042; .csv or .html behind it for \
         those forms",
        "^[0-9A-Za-z-]+([.](csv|html))?$",
    ),
    RouteParameter::integer("level", "Level of a tile, 0 to 63"),
    RouteParameter::text(
        "index",
        "Index of a tile in groups of three digits, and .p/ with the width of one that is not full",
        "^(x[0-9]{3}/)*[0-9]{3}([.]p/[1-9][0-9]{0,2})?$",
    ),
    RouteParameter::text("file", "try, or a file of that page", "^[A-Za-z0-9._-]+$"),
    RouteParameter::text(
        "asset",
        "A file of the page at /, under the version that the page names or alone",
        "^([0-9a-f]{16}/)?[a-z0-9]+[.](js|css)$",
    ),
    RouteParameter::text("account_id", "Id of a sub-account", ID),
    RouteParameter::text("id", "Id of a key, a watch or a webhook", ID),
    RouteParameter::text(
        "order_id",
        "Id of an order, protocol:chain:id, number of a deposit, or transaction of its origin or fill",
        "^[0-9A-Za-z:_]+$",
    ),
    RouteParameter::text("token", "Address or symbol of a token", "^[0-9A-Za-z.-]+$"),
    RouteParameter::text("proof_hash", "Hash of a proof, as a signal names it", HASH),
];

pub(crate) fn of_path(name: &str) -> Option<RouteParameter> {
    OF_PATHS.into_iter().find(|parameter| parameter.name == name)
}
