//! Every error of the HTTP face in one table: status, stable code, and whether to ask again.

use superroot_account::Tier;
use superroot_account::limit::Bound;
use superroot_types::{BlockNumber, ChainKey};

use crate::Unavailable;

mod accounts;
mod answer;
mod table;
mod wallet;
mod words;

pub(crate) use accounts::{of_account, of_billing};
pub use table::{Row, TABLE};
pub use wallet::WalletError;
pub(crate) use words::shorten;
use words::{checked, ends_at, in_receipt, levels, newest, temporarily};

/// Why a request gets no answer of its own. Messages are what the caller reads as `detail`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApiError {
    /// A parameter, header or member of the body is malformed.
    #[error("{parameter} is {got}, expected {expected}")]
    Parameter {
        /// Its name; for a member of a body its path.
        parameter: String,
        /// What was found, shortened.
        got: String,
        /// What it must be.
        expected: String,
    },
    /// An item of a batch gets no answer, and so the batch gets none.
    #[error("items[{position}]: {error}")]
    Item {
        /// Which item, counted from 0.
        position: usize,
        /// Why.
        error: Box<Self>,
    },
    /// A body, or a part of it, cannot be read.
    #[error("{parameter} cannot be read: {why}")]
    Unreadable {
        /// The body or the part.
        parameter: &'static str,
        /// What is wrong with it, shortened.
        why: String,
    },
    /// A log index past the receipt's logs.
    #[error("log_index {log_index} is past the {count} logs of the receipt{}", in_receipt(*.meant))]
    LogIndex {
        /// The chain.
        chain: Option<ChainKey>,
        /// Position asked for.
        log_index: u32,
        /// Logs of the receipt.
        count: usize,
        /// The position meant, if the index counts logs of the whole block.
        meant: Option<u32>,
    },
    /// An output index past the transaction's outputs.
    #[error("log_index {log_index} is past the {count} outputs of the transaction")]
    OutputIndex {
        /// The chain.
        chain: Option<ChainKey>,
        /// Position asked for.
        log_index: u32,
        /// Outputs of the transaction.
        count: usize,
    },
    /// Two different keys in one request.
    #[error("the request carries different keys, expected one")]
    TwoKeys,
    /// A key that gives nothing: it was not issued here, or is over.
    #[error("{why}; expected a key in force of this service, or none")]
    InvalidKey {
        /// In one word: malformed, other_environment, unknown, revoked, rotated, expired or closed.
        reason: &'static str,
        /// The same as a sentence.
        why: String,
    },
    /// The route is not open without a key.
    #[error("this route needs a key, see /api/v1/register")]
    NeedsKey,
    /// The key's tier does not have the route.
    #[error("this route needs tier {needed}, the key has {tier}; see /api/v1/plans")]
    TierRequired {
        /// The lowest tier that has it.
        needed: Tier,
        /// The key's.
        tier: Tier,
    },
    /// What was agreed for the account, or granted to it, leaves the route's grid out.
    #[error("grid {} is not in what was agreed for the account; its keys cannot have it", grid.name())]
    NotAgreed {
        /// The grid.
        grid: superroot_account::Grid,
    },
    /// The key is confined to other things.
    #[error("{outside} is outside what the key is confined to")]
    OutOfScope {
        /// What was asked for.
        outside: String,
    },
    /// The key may not do that to a key.
    #[error("{why}")]
    Beyond {
        /// What goes beyond.
        why: String,
    },
    /// Only an integrator has sub-accounts.
    #[error("{why}; sub-accounts are for integrators, see /api/v1/plans")]
    NotIntegrator {
        /// What is in the way.
        why: String,
    },
    /// The account has no such key.
    #[error("{why}")]
    UnknownKeyId {
        /// Which.
        why: String,
    },
    /// No such account, or not one that the key may see.
    #[error("{why}")]
    UnknownAccount {
        /// Which.
        why: String,
    },
    /// The account has no such invoice.
    #[error("the account has no invoice {asked}")]
    UnknownInvoice {
        /// Which.
        asked: String,
    },
    /// Only a key in force can be changed or rotated.
    #[error("{why}")]
    KeyState {
        /// Where it stands.
        why: String,
    },
    /// The account has as many as it may have.
    #[error("{why}")]
    Full {
        /// Of what.
        why: String,
    },
    /// A member of a body is refused by the rules of accounts.
    #[error("{why}")]
    Refused {
        /// Its name.
        parameter: String,
        /// What is wrong with it.
        why: String,
    },
    /// Too many accounts were opened from there.
    #[error("{why}")]
    Registrations {
        /// With the bounds.
        why: String,
        /// Seconds after which one more may be opened.
        retry_after: u64,
        /// The limit that refused it: its headers are the answer's.
        refused: Bound,
    },
    /// A wallet is not proven by what was sent.
    #[error(transparent)]
    Wallet(#[from] WalletError),
    /// Accounts cannot be read or written now; nobody is let in by that.
    #[error("accounts are not available at the moment")]
    AccountsUnavailable,
    /// No route has this path.
    #[error("no route has this path, see /docs")]
    UnknownPath,
    /// The registry has no such chain.
    #[error("chain {got} is not in the registry, see /api/v1/chains")]
    UnknownChain {
        /// Name of the parameter.
        parameter: String,
        /// What was asked for.
        got: String,
    },
    /// The chain has no such block or transaction, as far as was checked.
    #[error("{what} does not exist on chain {chain}, {}", checked(*.checked_to))]
    NotFound {
        /// The chain.
        chain: ChainKey,
        /// What was asked for.
        what: String,
        /// Checked up to this number.
        checked_to: Option<BlockNumber>,
    },
    /// It may exist, but is not held here.
    #[error("not indexed on chain {chain}: {why}")]
    NotIndexed {
        /// The chain.
        chain: ChainKey,
        /// First and last number that was scanned.
        scanned: Option<(BlockNumber, BlockNumber)>,
        /// What is not indexed, and how to have it indexed.
        why: String,
    },
    /// The block or the ledger does not commit to what was asked for.
    #[error("not provable on chain {chain}: {why}")]
    NotProvable {
        /// The chain.
        chain: ChainKey,
        /// The reason.
        why: String,
    },
    /// The log has no such SuperRoot.
    #[error("this log has no SuperRoot {asked}")]
    UnknownSuperRoot {
        /// What was asked for.
        asked: String,
    },
    /// The path is there, the method is not.
    #[error("method {got} is not allowed on this path")]
    Method {
        /// Method of the request.
        got: String,
    },
    /// The block is above the SuperRoot in which the proof was to end.
    #[error("{what} of chain {chain} is not anchored yet{}", newest(*.held, *.head))]
    NotAnchored {
        /// The chain.
        chain: ChainKey,
        /// What was asked for.
        what: String,
        /// Last anchored number.
        anchored: Option<BlockNumber>,
        /// Newest block held.
        head: Option<BlockNumber>,
        /// Whether levels 1 and 2 can be had.
        held: bool,
        /// Seconds after which to ask again.
        retry_after: u64,
    },
    /// The SuperRoot that the request names does not have the block, and never will.
    #[error("{what} of chain {chain} is not in SuperRoot {sequence}{}", ends_at(*.anchored))]
    NotUnder {
        /// The chain.
        chain: ChainKey,
        /// What was asked for.
        what: String,
        /// Sequence of the SuperRoot.
        sequence: u64,
        /// Last number that it has.
        anchored: Option<BlockNumber>,
    },
    /// The block is held but not final.
    #[error("{what} of chain {chain} is not final yet{}", levels(*.held))]
    NotFinal {
        /// The chain.
        chain: ChainKey,
        /// What was asked for.
        what: String,
        /// Last anchored number.
        anchored: Option<BlockNumber>,
        /// Newest block held.
        head: Option<BlockNumber>,
        /// Whether levels 1 and 2 can be had.
        held: bool,
        /// Seconds after which to ask again.
        retry_after: u64,
    },
    /// The log withdrew the block: it was taken as final and was not.
    #[error("block {number} of chain {chain} was withdrawn by the log")]
    Withdrawn {
        /// The chain.
        chain: ChainKey,
        /// The block.
        number: BlockNumber,
    },
    /// Path and query are past the limit.
    #[error("path and query are longer than {max} bytes")]
    UriTooLong {
        /// Bytes read at most.
        max: usize,
    },
    /// The header fields are past the limit.
    #[error("there are more than {count} header fields, or more than {bytes} bytes of them")]
    HeadersTooLarge {
        /// Fields at most.
        count: usize,
        /// Bytes of names and values at most.
        bytes: usize,
    },
    /// The body is past the limit.
    #[error("the body is larger than {max} bytes")]
    BodyTooLarge {
        /// Bytes read at most.
        max: usize,
    },
    /// The body is not of the type that the route reads.
    #[error("{header} is {got}, expected {expected}")]
    MediaType {
        /// The header that says so.
        header: &'static str,
        /// Its value, shortened.
        got: String,
        /// What the route reads.
        expected: &'static str,
    },
    /// The client's requests of this minute are used up.
    #[error("rate limit of {limit} requests a minute exceeded")]
    RateLimited {
        /// Requests a minute.
        limit: u32,
        /// Seconds after which one request is let through again.
        retry_after: u64,
    },
    /// Something of ours failed; the log says what.
    #[error("internal error, the request id leads to its cause")]
    Internal,
    /// The route is specified, and this build does not have it.
    #[error("this build does not have this route yet")]
    NotBuilt,
    /// This build does not read the chain.
    #[error("chain {chain} is planned, this build does not read it")]
    ChainPlanned {
        /// The chain.
        chain: ChainKey,
    },
    /// Nothing new can be had of the chain at the moment.
    #[error("chain {} is {}unavailable: {}{}", .0.chain, temporarily(.0), .0.why, .0.still())]
    ChainUnavailable(Box<Unavailable>),
    /// No SuperRoot stands yet.
    #[error("the service is starting: the first SuperRoot does not stand yet")]
    Starting,
    /// A SuperRoot stands, and not all that was final as the service began is anchored.
    #[error("the service is starting: not all that was final when it began is anchored yet")]
    CatchingUp,
    /// All recordings were read, and none of their blocks can be recomputed.
    #[error(
        "none of the recorded blocks could be recomputed, so there is nothing to prove and no \
             SuperRoot will come; /api/v1/status says why"
    )]
    NothingRecorded,
    /// The request took too long.
    #[error("the request took longer than {limit_ms} ms")]
    Timeout {
        /// Time it may take.
        limit_ms: u64,
    },
}

#[cfg(test)]
mod tests;
