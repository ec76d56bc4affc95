//! What a checked signature gives.

use superroot_types::{Address, BlockNumber, ChainId, UnixSeconds};

use crate::Environment;

/// A wallet whose holder has signed a message of this service, just now. Only
/// [`Wallets::verify`](super::Wallets::verify) makes one; it is used up where it is written down
/// ([`Accounts::prove_wallet`](crate::Accounts::prove_wallet)).
#[derive(Debug, PartialEq, Eq)]
pub struct ProvenWallet {
    pub(super) environment: Environment,
    pub(super) wallet: Address,
    pub(super) chain: ChainId,
    pub(super) at: UnixSeconds,
    pub(super) by: ProvenBy,
}

/// Who vouches for a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProvenBy {
    /// The wallet's own key: nobody had to be asked.
    OwnKey,
    /// The wallet's contract, as nodes executed it.
    Contract {
        /// The block after which it was asked.
        block: BlockNumber,
        /// The nodes that agree.
        nodes: Vec<String>,
    },
}

impl ProvenWallet {
    /// The world it was proven in.
    #[must_use]
    pub const fn environment(&self) -> Environment {
        self.environment
    }

    /// The wallet.
    #[must_use]
    pub const fn wallet(&self) -> Address {
        self.wallet
    }

    /// The chain that the message names; a contract was asked there.
    #[must_use]
    pub const fn chain(&self) -> ChainId {
        self.chain
    }

    /// When it was proven.
    #[must_use]
    pub const fn at(&self) -> UnixSeconds {
        self.at
    }

    /// Who vouches for it.
    #[must_use]
    pub const fn by(&self) -> &ProvenBy {
        &self.by
    }

    /// A wallet that counts as proven, for tests of what follows from it.
    #[cfg(test)]
    pub(crate) const fn assumed(environment: Environment, wallet: Address) -> Self {
        let (chain, at) = (ChainId(8_453), UnixSeconds(0));
        Self { environment, wallet, chain, at, by: ProvenBy::OwnKey }
    }
}
