//! What a checked signature gives.

use superroot_store::{Batch, Store};
use superroot_types::{Address, BlockNumber, ChainId, UnixSeconds};

use super::used::Place;
use crate::{AccountError, Environment};

/// A wallet whose holder has signed a message of this service, just now. Only
/// [`Wallets::verify`](super::Wallets::verify) makes one. Its challenge is used up by the commit
/// that writes down whose the wallet is
/// ([`Accounts::prove_wallet`](crate::Accounts::prove_wallet),
/// [`AccountService::register_proven`](crate::AccountService::register_proven)): of several with
/// one challenge one is written down.
#[derive(Debug, PartialEq, Eq)]
pub struct ProvenWallet {
    pub(super) wallet: Address,
    pub(super) chain: ChainId,
    pub(super) at: UnixSeconds,
    pub(super) by: ProvenBy,
    /// The challenge that it rests on.
    pub(super) challenge: Place,
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
        self.challenge.environment
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

    /// Puts into `batch` that its challenge is used up.
    ///
    /// # Errors
    /// [`AccountError::UnknownChallenge`] where it was used before, [`AccountError::Store`].
    pub(crate) fn stage_use(
        &self,
        store: &dyn Store,
        batch: &mut Batch,
    ) -> Result<(), AccountError> {
        self.challenge.stage(store, batch)
    }

    /// A wallet that counts as proven, on a challenge that nobody has used: for tests of what follows
    /// from it.
    #[cfg(test)]
    pub(crate) fn assumed(environment: Environment, wallet: Address) -> Self {
        let expires_at = UnixSeconds(u64::MAX);
        let challenge = Place { environment, expires_at, nonce: rand::random() };
        let (chain, at) = (ChainId(8_453), UnixSeconds(0));
        Self { wallet, chain, at, by: ProvenBy::OwnKey, challenge }
    }
}
