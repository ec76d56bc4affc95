//! What a checked signature gives.

use superroot_store::{Batch, Store};
use superroot_types::{Address, BlockNumber, ChainId, UnixSeconds};

use super::message::Nonce;
use super::rows::Rows;
use crate::{AccountError, Environment};

/// A wallet whose holder has signed a message of this service, just now. Only
/// [`Wallets::verify`](super::Wallets::verify) makes one. Its challenge is used up by the commit
/// that writes down whose the wallet is
/// ([`Accounts::prove_wallet`](crate::Accounts::prove_wallet),
/// [`AccountService::register_proven`](crate::AccountService::register_proven)): of several with
/// one challenge one is written down.
#[derive(Debug, PartialEq, Eq)]
pub struct ProvenWallet {
    pub(super) environment: Environment,
    pub(super) wallet: Address,
    pub(super) chain: ChainId,
    pub(super) at: UnixSeconds,
    pub(super) by: ProvenBy,
    /// Of the challenge that it rests on.
    pub(super) nonce: Nonce,
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

    /// Puts into `batch` that its challenge is used up.
    ///
    /// # Errors
    /// [`AccountError::UnknownChallenge`] where it was used before, [`AccountError::Store`].
    pub(crate) fn stage_use(
        &self,
        store: &dyn Store,
        batch: &mut Batch,
    ) -> Result<(), AccountError> {
        let rows = Rows { store, environment: self.environment };
        rows.stage_take(batch, &self.nonce).map(drop)
    }

    /// A wallet that counts as proven, on a challenge that stands open in `store`: for tests of
    /// what follows from it.
    #[cfg(test)]
    pub(crate) fn assumed(store: &dyn Store, environment: Environment, wallet: Address) -> Self {
        use super::WalletConfig;
        use super::message::Terms;
        use super::rows::{Open, place_of};
        let (chain, at, nonce) = (ChainId(8_453), UnixSeconds(0), rand::random());
        let terms =
            Terms { wallet, chain, nonce, issued_at: at, expires_at: UnixSeconds(u64::MAX) };
        let place = place_of(std::net::IpAddr::from([192, 0, 2, 1]).into());
        let open = Open::new(&terms, superroot_types::Hash([0; 32]), place, 1);
        let count = std::sync::atomic::AtomicU64::new(0);
        let config = WalletConfig { open_per_prefix_max: 1_000, ..WalletConfig::default() };
        Rows { store, environment }.add(&config, &count, &nonce, &open, at).unwrap();
        Self { environment, wallet, chain, at, by: ProvenBy::OwnKey, nonce }
    }
}
