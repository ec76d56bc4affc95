//! Path parameters, by name.

use crate::route::RouteParameter;
use crate::route::parameters::{HASH, SEQUENCE};

const CHAIN: &str = "Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1";
const BLOCK: &str = "Block number, or latest for the newest anchored block";
const TRANSACTION: &str = "0x and 64 hex digits; for Bitcoin also as explorers show it";
const TRANSACTION_FORM: &str = "^(0x)?[0-9a-fA-F]{64}$";
const NAME: &str = "^[A-Za-z0-9 ._:-]+$";
const NUMBER: &str = "^([0-9]+|latest)$";
const ID: &str = "^[0-9a-zA-Z-]+$";

const PARAMETERS: [RouteParameter; 26] = [
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
    RouteParameter::integer("set", "Number of a set: a period or an epoch"),
    RouteParameter::text(
        "invoice",
        "A month such as 2026-02 or a number such as SR-LIVE-000042; .csv or .html behind it for \
         those forms",
        "^[0-9A-Za-z-]+([.](csv|html))?$",
    ),
    RouteParameter::text(
        "checkpoint",
        "Sequence at the registry contract, or a day such as 2026-02-28",
        "^([0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2})$",
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
    RouteParameter::text(
        "sender",
        "Contract that asks: 0x and 40 hex digits",
        "^0x[0-9a-fA-F]{40}$",
    ),
    RouteParameter::text(
        "data",
        "Call of eventProof, 164 bytes",
        "^0x[eE][cC]6[cC]887[dD]([0-9a-fA-F]{64}){5}$",
    ),
    RouteParameter::text("proof_hash", "Hash of a proof, as a signal names it", HASH),
];

pub(super) fn find_parameter(name: &str) -> Option<RouteParameter> {
    PARAMETERS.into_iter().find(|parameter| parameter.name == name)
}
