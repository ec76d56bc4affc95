//! Every error of the HTTP face in one table: status, stable code, and whether to ask again.

use axum::response::{IntoResponse, Response};
use http_body_util::Empty;
use superroot_account::Tier;
use superroot_types::{BlockNumber, ChainKey};

use crate::Unavailable;
use crate::dress::Outcome;
use crate::status::ChainStage;

mod table;
mod wallet;
mod words;

use table::*;
pub use table::{Row, TABLE};
pub use wallet::WalletError;
pub(crate) use words::shorten;
use words::{checked, ends_at, in_receipt, levels, newest, temporarily};

/// What the caller of this crate does about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The request is wrong, or asks for what is not there.
    Invalid,
    /// It may work later, or on another service.
    Unavailable,
    /// Our own fault.
    Bug,
}

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

/// Seconds after which to ask again where nothing tells better.
const RETRY_SECONDS: u64 = 5;

impl ApiError {
    /// A malformed parameter; `got` is shortened.
    pub(crate) fn parameter(
        name: impl Into<String>,
        got: &str,
        expected: impl Into<String>,
    ) -> Self {
        Self::Parameter {
            parameter: name.into(),
            got: format!("{:?}", shorten(got)),
            expected: expected.into(),
        }
    }

    /// The store failed: the log says how, the caller does not learn it.
    pub(crate) fn of_store(error: &superroot_store::StoreError) -> Self {
        tracing::error!(%error, "the store could not be read");
        Self::Internal
    }

    /// A body that cannot be read, or its part.
    pub(crate) fn unreadable(parameter: &'static str, why: &impl std::fmt::Display) -> Self {
        Self::Unreadable { parameter, why: shorten(&why.to_string()) }
    }

    /// A parameter that is not there.
    pub(crate) fn missing(name: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Parameter { parameter: name.into(), got: "missing".into(), expected: expected.into() }
    }

    /// The error's row of the table.
    #[must_use]
    pub const fn row(&self) -> Row {
        match self {
            Self::Item { error, .. } => error.row(),
            Self::Parameter { .. } | Self::Unreadable { .. } | Self::Refused { .. } => PARAMETER,
            Self::TwoKeys => TWO_KEYS,
            Self::InvalidKey { .. } => INVALID_KEY,
            Self::NeedsKey => KEY_REQUIRED,
            Self::TierRequired { .. } => TIER_REQUIRED,
            Self::NotAgreed { .. } => NOT_AGREED,
            Self::OutOfScope { .. } => OUT_OF_SCOPE,
            Self::Beyond { .. } => BEYOND_KEY,
            Self::NotIntegrator { .. } => INTEGRATOR_REQUIRED,
            Self::UnknownKeyId { .. } => UNKNOWN_KEY_ID,
            Self::UnknownAccount { .. } => UNKNOWN_ACCOUNT,
            Self::UnknownInvoice { .. } => UNKNOWN_INVOICE,
            Self::KeyState { .. } => KEY_STATE,
            Self::Full { .. } => FULL,
            Self::Registrations { .. } => REGISTRATIONS,
            Self::Wallet(error) => error.row(),
            Self::AccountsUnavailable => ACCOUNTS_UNAVAILABLE,
            Self::UnknownPath => UNKNOWN_PATH,
            Self::UnknownChain { .. } => UNKNOWN_CHAIN,
            Self::NotFound { .. } | Self::LogIndex { .. } | Self::OutputIndex { .. } => NOT_FOUND,
            Self::NotIndexed { .. } => NOT_INDEXED,
            Self::NotProvable { .. } => NOT_PROVABLE,
            Self::UnknownSuperRoot { .. } => UNKNOWN_SUPER_ROOT,
            Self::Method { .. } => METHOD,
            Self::NotAnchored { .. } => NOT_ANCHORED,
            Self::NotUnder { .. } => NOT_UNDER,
            Self::NotFinal { .. } => NOT_FINAL,
            Self::Withdrawn { .. } => WITHDRAWN,
            Self::BodyTooLarge { .. } => BODY_TOO_LARGE,
            Self::MediaType { .. } => MEDIA_TYPE,
            Self::RateLimited { .. } => RATE_LIMITED,
            Self::Internal => INTERNAL,
            Self::NotBuilt => NOT_BUILT,
            Self::ChainPlanned { .. } => PLANNED,
            Self::ChainUnavailable(unavailable) => match unavailable.retry_after {
                _ if matches!(unavailable.stage, ChainStage::Withdrawn) => WITHDRAWN,
                Some(_) => UNAVAILABLE,
                None => PLANNED,
            },
            Self::Starting | Self::CatchingUp => STARTING,
            Self::NothingRecorded => NOTHING_RECORDED,
            Self::Timeout { .. } => TIMEOUT,
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self.row().status {
            500 => ErrorKind::Bug,
            409 | 429 | 503 => ErrorKind::Unavailable,
            _ => ErrorKind::Invalid,
        }
    }

    /// The chain it is about.
    #[must_use]
    pub const fn chain(&self) -> Option<ChainKey> {
        match self {
            Self::Item { error, .. } => error.chain(),
            Self::LogIndex { chain, .. } | Self::OutputIndex { chain, .. } => *chain,
            Self::NotFound { chain, .. }
            | Self::NotIndexed { chain, .. }
            | Self::NotProvable { chain, .. }
            | Self::NotAnchored { chain, .. }
            | Self::NotUnder { chain, .. }
            | Self::NotFinal { chain, .. }
            | Self::Withdrawn { chain, .. }
            | Self::ChainPlanned { chain } => Some(*chain),
            Self::ChainUnavailable(unavailable) => Some(unavailable.chain),
            _ => None,
        }
    }

    /// Name of the parameter at fault.
    #[must_use]
    pub fn parameter_name(&self) -> Option<String> {
        let name = match self {
            Self::Item { position, error } => {
                let inner =
                    error.parameter_name().map_or_else(String::new, |name| format!(".{name}"));
                return Some(format!("items[{position}]{inner}"));
            }
            Self::Parameter { parameter, .. }
            | Self::Refused { parameter, .. }
            | Self::UnknownChain { parameter, .. } => parameter,
            Self::Unreadable { parameter, .. } => *parameter,
            Self::LogIndex { .. } | Self::OutputIndex { .. } => "log_index",
            Self::MediaType { header, .. } => *header,
            Self::Wallet(error) => error.parameter_name(),
            _ => return None,
        };
        Some(name.to_owned())
    }

    /// Seconds after which to ask again; there exactly where asking again may help.
    #[must_use]
    pub const fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Item { error, .. } => error.retry_after(),
            Self::NotAnchored { retry_after, .. }
            | Self::NotFinal { retry_after, .. }
            | Self::Registrations { retry_after, .. }
            | Self::Wallet(WalletError::TooManyChallenges { retry_after, .. })
            | Self::RateLimited { retry_after, .. } => Some(*retry_after),
            Self::ChainUnavailable(unavailable) => unavailable.retry_after,
            _ if self.row().retryable => Some(RETRY_SECONDS),
            _ => None,
        }
    }
}

impl IntoResponse for ApiError {
    /// The status and the error itself as an extension: the body is made by the outermost layer,
    /// which knows the request.
    fn into_response(self) -> Response {
        let mut response = axum::body::Body::new(Empty::new()).into_response();
        *response.status_mut() = axum::http::StatusCode::from_u16(self.row().status)
            .unwrap_or(axum::http::StatusCode::INTERNAL_SERVER_ERROR);
        response.extensions_mut().insert(Outcome::refused(self));
        response
    }
}

#[cfg(test)]
mod tests;
