use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use rand::TryRng;
use rand::rngs::SysRng;
use subtle::ConstantTimeEq;
use superroot_store::Store;
use superroot_types::{Address, ChainId, UnixSeconds};

use super::contract::{self, ContractCaller, WalletCall};
use super::form::SignatureForm;
use super::message::{self, MessageTerms};
use super::signature::{self, SignatureReading};
use super::used::{self, Nonce, Secret, UsedChallenges};
use super::{ProvenBy, ProvenWallet, WalletConfig};
use crate::{AccountError, Environment};

/// Message awaiting a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingChallenge {
    /// Text for `personal_sign`, to be signed without a change in any byte.
    pub message: String,
    /// Nonce in the message, 32 hex digits.
    pub nonce: String,
    pub chain: ChainId,
    pub issued_at: UnixSeconds,
    /// First second after expiry.
    pub expires_at: UnixSeconds,
}

/// Wallet proofs. Several instances, on several machines, may share one store. Calls block: [`Wallets::verify`] for as
/// long as nodes take.
pub struct Wallets {
    store: Arc<dyn Store>,
    environment: Environment,
    config: WalletConfig,
    /// Loaded on first use.
    secret: OnceLock<Secret>,
    checks_running: AtomicUsize,
}

impl Wallets {
    /// Opens the wallets of one environment.
    ///
    /// # Errors
    /// [`AccountError::Config`], [`AccountError::Bounds`] for a setting out of range.
    pub fn open(
        store: Arc<dyn Store>,
        environment: Environment,
        config: WalletConfig,
    ) -> Result<Self, AccountError> {
        config.validate()?;
        let checks_running = AtomicUsize::new(0);
        Ok(Self { store, environment, config, secret: OnceLock::new(), checks_running })
    }

    fn secret(&self) -> Result<&Secret, AccountError> {
        if let Some(secret) = self.secret.get() {
            return Ok(secret);
        }
        let secret = used::load_or_make_secret(&*self.store)?;
        Ok(self.secret.get_or_init(|| secret))
    }

    /// Issues a message for `wallet` to sign, on the requested chain or the first configured one. Any caller may
    /// request any wallet.
    ///
    /// # Errors
    /// [`AccountError::Message`] for a chain that is not configured, [`AccountError::Overflow`],
    /// [`AccountError::Randomness`], [`AccountError::Contended`], [`AccountError::Store`].
    pub fn challenge(
        &self,
        wallet: Address,
        chain: Option<ChainId>,
        now: UnixSeconds,
    ) -> Result<PendingChallenge, AccountError> {
        let chain = self.config.chain(chain)?;
        let mut nonce = Nonce::default();
        SysRng.try_fill_bytes(&mut nonce).map_err(|_| AccountError::Randomness)?;
        let expires_at = UnixSeconds(now.0.saturating_add(self.config.lifetime_seconds));
        let terms = MessageTerms { wallet, chain, nonce, issued_at: now, expires_at };
        let nonce = terms.marked(self.secret()?, self.environment);
        let message = message::build(&self.config, &MessageTerms { nonce, ..terms })?;
        let nonce = const_hex::encode(nonce);
        Ok(PendingChallenge { message, nonce, chain, issued_at: now, expires_at })
    }

    /// Wallet named in a message that this service could have issued.
    pub fn wallet_named(&self, message: &str) -> Result<Address, AccountError> {
        message::read(&self.config, message).map(|terms| terms.wallet)
    }

    /// Verifies a returned message with its signature. The challenge stays open until the result is recorded: after a
    /// failed proof, a better signature may follow.
    ///
    /// # Errors
    /// - [`AccountError::Message`]: not the issued message.
    /// - [`AccountError::UnknownChallenge`]: never issued, or used before.
    /// - [`AccountError::ExpiredChallenge`]: outside its time.
    /// - [`AccountError::Signature`]: the wallet did not sign.
    /// - [`AccountError::ContractWallet`], of kind `Unavailable`: not the own key, and no answer about the contract.
    /// - [`AccountError::NoContractNodes`]: not the own key, and no node to ask about the contract.
    /// - [`AccountError::NoContracts`]: not the own key, and contracts are not accepted on the chain.
    /// - [`AccountError::Contended`], [`AccountError::Store`].
    pub fn verify(
        &self,
        message: &str,
        signature: &[u8],
        caller: &dyn ContractCaller,
        now: UnixSeconds,
    ) -> Result<ProvenWallet, AccountError> {
        let terms = message::read(&self.config, message)?;
        let MessageTerms { wallet, chain, nonce, expires_at, .. } = terms;
        if !bool::from(terms.marked(self.secret()?, self.environment).ct_eq(&nonce)) {
            return Err(AccountError::UnknownChallenge);
        }
        if now >= expires_at {
            return Err(AccountError::ExpiredChallenge { at: expires_at });
        }
        let challenge = UsedChallenges { environment: self.environment, expires_at, nonce };
        challenge.check_unused(&*self.store)?;
        let hash = signature::message_hash(message);
        let by = match signature::read(wallet, &hash, signature)? {
            SignatureReading::OwnKey => ProvenBy::OwnKey,
            SignatureReading::NotOwnKey(form) => {
                let question = contract::question(wallet, &hash, signature)?;
                self.ask_contract(chain, form, &question, caller)?
            }
        };
        Ok(ProvenWallet { wallet, chain, at: now, by, challenge })
    }

    /// Whether the wallet's contract accepts the signature.
    fn ask_contract(
        &self,
        chain: ChainId,
        form: SignatureForm,
        question: &WalletCall,
        caller: &dyn ContractCaller,
    ) -> Result<ProvenBy, AccountError> {
        if !self.config.contract_chain_ids.contains(&chain.0) {
            return Err(AccountError::NoContracts { chain, form });
        }
        if !caller.asks(chain) {
            return Err(AccountError::NoContractNodes { chain, form });
        }
        let unavailable = AccountError::ContractWallet { chain };
        let Some(_running) = self.begin_check() else { return Err(unavailable) };
        let called = match caller.call(chain, question) {
            Ok(called) => called,
            Err(error) => {
                tracing::warn!(chain.id = %chain, "a contract wallet was not proven: {error}");
                return Err(unavailable);
            }
        };
        if !contract::is_yes(&called.returned) {
            let why = "neither the wallet's own key nor its contract vouches for it";
            return Err(AccountError::Signature { why });
        }
        Ok(ProvenBy::Contract { block: called.block, nodes: called.nodes })
    }

    /// Permit for a node query; `None` at the concurrency limit.
    fn begin_check(&self) -> Option<NodeQuestion<'_>> {
        let max = self.config.contract_checks_at_once_max;
        let more = |running: usize| running.checked_add(1).filter(|running| *running <= max);
        let begun = self.checks_running.fetch_update(Ordering::AcqRel, Ordering::Acquire, more);
        begun.ok().map(|_| NodeQuestion(&self.checks_running))
    }

    /// Removes some used challenges past their expiry. Returns their number.
    pub fn prune(&self, now: UnixSeconds) -> Result<usize, AccountError> {
        used::prune(&*self.store, self.environment, now)
    }
}

/// Running node query, ended by drop.
struct NodeQuestion<'a>(&'a AtomicUsize);

impl Drop for NodeQuestion<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests;
