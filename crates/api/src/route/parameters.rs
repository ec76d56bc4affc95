//! Parameters of paths and queries: what each holds, with an example.
//!
//! Those of a path are found here by name. A feature may have query parameters of its own beside its
//! routes.

/// A parameter of a path or a query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// A value that is well formed.
    pub(crate) example: &'static str,
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
        example: &'static str,
    ) -> Self {
        Self { name, about, example, pattern, is_required: false }
    }

    /// An integer in decimal digits.
    pub(crate) const fn integer(
        name: &'static str,
        about: &'static str,
        example: &'static str,
    ) -> Self {
        Self { name, about, example, pattern: "", is_required: false }
    }

    /// One that has to be there.
    pub(crate) const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }
}

const HASH: &str = "^0x[0-9a-fA-F]{64}$";
const A_HASH: &str = "0x9f1c2f0e5d8a4b6c7e3d2a1b0c9f8e7d6c5b4a39281706f5e4d3c2b1a0f9e8d7";
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
    Parameter::text("root", "SuperRoot hash: 0x and 64 hex digits", HASH, A_HASH);
/// The same by its sequence.
pub(crate) const SEQUENCE: Parameter =
    Parameter::integer("sequence", "Sequence of a SuperRoot", "7");
/// Who signed the SuperRoot.
pub(crate) const NOTE: Parameter = Parameter::text(
    "note",
    "1: with the newest signed note of the log, and the path of the SuperRoot in it",
    "^[01]$",
    "1",
);
/// How long a proof is waited for.
pub(crate) const WAIT: Parameter = Parameter::integer(
    "wait",
    "Seconds, 0 to 15, to wait for what is not held, final or anchored yet before that is the answer",
    "10",
);
/// How long something is waited for that changes.
pub(crate) const WAIT_FOR_CHANGE: Parameter = Parameter::integer(
    "wait",
    "Seconds, 0 to 15, to wait until it is seen, or until it changes where it is not terminal",
    "10",
);
/// Most seconds that a proof is waited for.
pub(crate) const WAIT_SECONDS_MAX: u64 = 15;
/// How much of a proof is wanted.
pub(crate) const LEVEL: Parameter = Parameter::text(
    "level",
    "Highest level wanted, 1 to 5; 1 and 2 need no SuperRoot",
    "^[1-5]$",
    "2",
);

/// Every parameter of a path.
const OF_PATHS: [Parameter; 22] = [
    Parameter::text("chain", CHAIN, NAME, "ethereum"),
    Parameter::text("chain_id", CHAIN, NAME, "1"),
    Parameter::text("block", BLOCK, NUMBER, "latest"),
    Parameter::text("block_number", BLOCK, NUMBER, "latest"),
    Parameter::text("tx_hash", TRANSACTION, TRANSACTION_FORM, A_HASH),
    Parameter::text("hash", TRANSACTION, TRANSACTION_FORM, A_HASH),
    Parameter::text("tx", TRANSACTION, TRANSACTION_FORM, A_HASH),
    Parameter::text("family", "Ledger family, such as evm or bitcoin", "^[a-z]+$", "evm"),
    Parameter::text("superroot_hash", "SuperRoot hash: 0x and 64 hex digits", HASH, A_HASH),
    Parameter::integer("tx_index", "Position of the transaction in the block", "0"),
    Parameter::integer("log_index", "Position of the log in the receipt", "0"),
    SEQUENCE,
    Parameter::text(
        "invoice",
        "A month such as 2026-02 or a number such as SR-LIVE-000042; .csv or .html behind it for \
         those forms",
        "^[0-9A-Za-z-]+([.](csv|html))?$",
        "2026-02",
    ),
    Parameter::integer("level", "Level of a tile, 0 to 63", "0"),
    Parameter::text(
        "index",
        "Index of a tile in groups of three digits, and .p/ with the width of one that is not full",
        "^(x[0-9]{3}/)*[0-9]{3}([.]p/[1-9][0-9]{0,2})?$",
        "x001/x234/067.p/8",
    ),
    Parameter::text("file", "try, or a file of that page", "^[A-Za-z0-9._-]+$", "try"),
    Parameter::text(
        "asset",
        "A file of the page at /, under the version that the page names or alone",
        "^([0-9a-f]{16}/)?[a-z0-9]+[.](js|css)$",
        "hash.js",
    ),
    Parameter::text("account_id", "Id of a sub-account", ID, A_UUID),
    Parameter::text("id", "Id of a key, a watch or a webhook", ID, A_UUID),
    Parameter::text(
        "order_id",
        "Id of an order, protocol:chain:id, number of a deposit, or transaction of its origin or fill",
        "^[0-9A-Za-z:_]+$",
        "across:8453:1142258",
    ),
    Parameter::text("token", "Address or symbol of a token", "^[0-9A-Za-z.-]+$", "USDC"),
    Parameter::text("proof_hash", "Hash of a proof, as a signal names it", HASH, A_HASH),
];

pub(crate) const A_UUID: &str = "0190b2f4-7c1e-7d3a-9b5c-2e8f4a6d1c30";

/// The parameter of that name in a path.
pub(crate) fn of_path(name: &str) -> Option<Parameter> {
    OF_PATHS.into_iter().find(|parameter| parameter.name == name)
}
