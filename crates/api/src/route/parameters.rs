//! Parameters of paths and queries: what each holds, with an example.
//!
//! Those of a path are found here by name. A feature may have query parameters of its own beside its
//! routes.

/// A parameter of a path or a query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// What every value matches; empty: it is an integer.
    pub(crate) pattern: &'static str,
    pub(crate) is_required: bool,
}

impl Parameter {
    /// A text that matches a pattern.
    pub(crate) const fn text(
        name: &'static str,
        about: &'static str,
        pattern: &'static str,
    ) -> Self {
        Self { name, about, pattern, is_required: false }
    }

    /// An integer in decimal digits.
    pub(crate) const fn integer(name: &'static str, about: &'static str) -> Self {
        Self { name, about, pattern: "", is_required: false }
    }

    /// One that has to be there.
    pub(crate) const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }
}

const HASH: &str = "^0x[0-9a-fA-F]{64}$";
const CHAIN: &str = "Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1";
const BLOCK: &str = "Block number, or latest for the newest anchored block";
const TRANSACTION: &str =
    "Transaction hash: 0x and 64 hex digits; of Bitcoin also 64 digits as explorers show it";
const TRANSACTION_FORM: &str = "^(0x)?[0-9a-fA-F]{64}$";
const NAME: &str = "^[A-Za-z0-9 ._:-]+$";
const NUMBER: &str = "^([0-9]+|latest)$";
const ID: &str = "^[0-9a-zA-Z-]+$";

/// The SuperRoot that a proof is to end in, by its hash.
pub(crate) const ROOT: Parameter =
    Parameter::text("root", "SuperRoot hash: 0x and 64 hex digits", HASH);
/// The same by its sequence.
pub(crate) const SEQUENCE: Parameter = Parameter::integer("sequence", "Sequence of a SuperRoot");
/// Who signed the SuperRoot.
pub(crate) const NOTE: Parameter = Parameter::text(
    "note",
    "1: with the newest signed note of the log, and the path of the SuperRoot in it",
    "^[01]$",
);
/// How long a proof is waited for.
pub(crate) const WAIT: Parameter = Parameter::integer(
    "wait",
    "Seconds, 0 to 15, to wait for what is not held, final or anchored yet before that is the answer",
);
/// How long something is waited for that changes.
pub(crate) const WAIT_FOR_CHANGE: Parameter = Parameter::integer(
    "wait",
    "Seconds, 0 to 15, to wait until it is seen, or until it changes where it is not terminal",
);
/// Most seconds that a proof is waited for.
pub(crate) const WAIT_SECONDS_MAX: u64 = 15;
/// How much of a proof is wanted.
pub(crate) const LEVEL: Parameter =
    Parameter::text("level", "Highest level wanted, 1 to 5; 1 and 2 need no SuperRoot", "^[1-5]$");

/// Every parameter of a path.
const OF_PATHS: [Parameter; 22] = [
    Parameter::text("chain", CHAIN, NAME),
    Parameter::text("chain_id", CHAIN, NAME),
    Parameter::text("block", BLOCK, NUMBER),
    Parameter::text("block_number", BLOCK, NUMBER),
    Parameter::text("tx_hash", TRANSACTION, TRANSACTION_FORM),
    Parameter::text("hash", TRANSACTION, TRANSACTION_FORM),
    Parameter::text("tx", TRANSACTION, TRANSACTION_FORM),
    Parameter::text("family", "Ledger family, such as evm or bitcoin", "^[a-z]+$"),
    Parameter::text("superroot_hash", "SuperRoot hash: 0x and 64 hex digits", HASH),
    Parameter::integer("tx_index", "Position of the transaction in the block"),
    Parameter::integer("log_index", "Position of the log in the receipt"),
    SEQUENCE,
    Parameter::text(
        "invoice",
        "A month such as 2026-02 or a number such as SR-LIVE-000042; .csv or .html behind it for \
         those forms",
        "^[0-9A-Za-z-]+([.](csv|html))?$",
    ),
    Parameter::integer("level", "Level of a tile, 0 to 63"),
    Parameter::text(
        "index",
        "Index of a tile in groups of three digits, and .p/ with the width of one that is not full",
        "^(x[0-9]{3}/)*[0-9]{3}([.]p/[1-9][0-9]{0,2})?$",
    ),
    Parameter::text("file", "try, or a file of that page", "^[A-Za-z0-9._-]+$"),
    Parameter::text(
        "asset",
        "A file of the page at /, under the version that the page names or alone",
        "^([0-9a-f]{16}/)?[a-z0-9]+[.](js|css)$",
    ),
    Parameter::text("account_id", "Id of a sub-account", ID),
    Parameter::text("id", "Id of a key, a watch or a webhook", ID),
    Parameter::text(
        "order_id",
        "Id of an order, protocol:chain:id, number of a deposit, or transaction of its origin or fill",
        "^[0-9A-Za-z:_]+$",
    ),
    Parameter::text("token", "Address or symbol of a token", "^[0-9A-Za-z.-]+$"),
    Parameter::text("proof_hash", "Hash of a proof, as a signal names it", HASH),
];

/// The parameter of that name in a path.
pub(crate) fn of_path(name: &str) -> Option<Parameter> {
    OF_PATHS.into_iter().find(|parameter| parameter.name == name)
}
