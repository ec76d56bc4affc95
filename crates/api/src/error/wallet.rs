//! Why a wallet is not proven.

use super::table::*;

/// What stands against a message that came back with a signature. Members `why` are whole
/// sentences.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WalletError {
    /// The wallet did not sign it.
    #[error("{why}")]
    Signature {
        /// What is wrong with the signature.
        why: String,
    },
    /// It was never given out, or was used before.
    #[error("{why}")]
    UnknownChallenge {
        /// The same in words.
        why: String,
    },
    /// It comes too late.
    #[error("{why}")]
    ExpiredChallenge {
        /// Since when.
        why: String,
    },
    /// Nodes were asked about it as often as they may be.
    #[error("{why}")]
    SpentChallenge {
        /// The same in words.
        why: String,
    },
    /// As many messages wait as one address may have.
    #[error("{why}")]
    TooManyChallenges {
        /// How many.
        why: String,
        /// Seconds after which one more may be given out.
        retry_after: u64,
    },
    /// The nodes that would know whether a contract vouches for it do not say so now.
    #[error("{why}")]
    Contract {
        /// Of which chain.
        why: String,
    },
    /// There is no such node.
    #[error("{why}")]
    NoContractNodes {
        /// Of which chain.
        why: String,
    },
}

impl WalletError {
    pub(super) const fn row(&self) -> Row {
        match self {
            Self::Signature { .. } => SIGNATURE,
            Self::UnknownChallenge { .. } => UNKNOWN_CHALLENGE,
            Self::ExpiredChallenge { .. } => EXPIRED_CHALLENGE,
            Self::SpentChallenge { .. } => SPENT_CHALLENGE,
            Self::TooManyChallenges { .. } => CHALLENGES,
            Self::Contract { .. } => CONTRACT_WALLET,
            Self::NoContractNodes { .. } => NO_CONTRACT_NODES,
        }
    }

    pub(super) const fn parameter_name(&self) -> &'static str {
        match self {
            Self::Signature { .. } | Self::Contract { .. } | Self::NoContractNodes { .. } => {
                "signature"
            }
            Self::TooManyChallenges { .. } => "wallet_address",
            _ => "message",
        }
    }
}
