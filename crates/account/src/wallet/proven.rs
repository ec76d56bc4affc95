use superroot_store::{Store, WriteBatch};
use superroot_types::{Address, BlockNumber, ChainId, UnixSeconds};

use super::used::UsedChallenges;
use crate::{AccountError, Environment};

/// Wallet whose owner has just signed a message of this service, made only by
/// [`Wallets::verify`](super::Wallets::verify). The commit that records the owner uses the challenge up
/// ([`Accounts::prove_wallet`](crate::Accounts::prove_wallet),
/// [`AccountService::register_proven`](crate::AccountService::register_proven)): only one proof per challenge is
/// recorded.
#[derive(Debug, PartialEq, Eq)]
pub struct ProvenWallet {
    pub(super) wallet: Address,
    pub(super) chain: ChainId,
    pub(super) at: UnixSeconds,
    pub(super) by: ProvenBy,
    pub(super) challenge: UsedChallenges,
}

/// A proof's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProvenBy {
    /// The wallet's own key, without node queries.
    OwnKey,
    /// The wallet's contract, executed by nodes.
    Contract {
        /// Block after which the contract was executed.
        block: BlockNumber,
        /// Agreeing nodes.
        nodes: Vec<String>,
    },
}

impl ProvenWallet {
    #[must_use]
    pub const fn environment(&self) -> Environment {
        self.challenge.environment
    }

    #[must_use]
    pub const fn wallet(&self) -> Address {
        self.wallet
    }

    /// Chain in the message, also of a contract query.
    #[must_use]
    pub const fn chain(&self) -> ChainId {
        self.chain
    }

    /// The proof's time.
    #[must_use]
    pub const fn at(&self) -> UnixSeconds {
        self.at
    }

    #[must_use]
    pub const fn by(&self) -> &ProvenBy {
        &self.by
    }

    /// Puts the used challenge into `batch`.
    ///
    /// # Errors
    /// [`AccountError::UnknownChallenge`] if the challenge was used before, [`AccountError::Store`].
    pub(crate) fn stage_use(
        &self,
        store: &dyn Store,
        batch: &mut WriteBatch,
    ) -> Result<(), AccountError> {
        self.challenge.stage(store, batch)
    }

    /// Assumed proof with an unused challenge, for tests.
    #[cfg(test)]
    pub(crate) fn assumed(environment: Environment, wallet: Address) -> Self {
        let expires_at = UnixSeconds(u64::MAX);
        let challenge = UsedChallenges { environment, expires_at, nonce: rand::random() };
        let chain = ChainId(8_453);
        let at = UnixSeconds(0);
        Self { wallet, chain, at, by: ProvenBy::OwnKey, challenge }
    }
}
