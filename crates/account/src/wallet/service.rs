//! Gives challenges out, and takes them back signed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use rand::TryRng;
use rand::rngs::SysRng;
use subtle::ConstantTimeEq;
use superroot_store::Store;
use superroot_types::{Address, ChainId, UnixSeconds};

use super::contract::{self, ContractCall, ContractCaller};
use super::form::SignatureForm;
use super::message::{self, Terms};
use super::signature::{self, Reading};
use super::used::{self, Nonce, Place, Secret};
use super::{ProvenBy, ProvenWallet, WalletConfig};
use crate::{AccountError, Environment};

/// A message that waits for its signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// The text to sign with `personal_sign`, as it is: not a byte may differ.
    pub message: String,
    /// Its nonce, 32 hex digits, which the message has as well.
    pub nonce: String,
    /// The chain it names.
    pub chain: ChainId,
    /// When it was made.
    pub issued_at: UnixSeconds,
    /// First second it does not count any more.
    pub expires_at: UnixSeconds,
}

/// Proofs that wallets are somebody's. Any number of these, on any number of machines, may stand on
/// one store. Calls block: [`Wallets::verify`] for as long as nodes take.
pub struct Wallets {
    store: Arc<dyn Store>,
    environment: Environment,
    config: WalletConfig,
    /// Once it was needed.
    secret: OnceLock<Secret>,
    checks_running: AtomicUsize,
}

impl Wallets {
    /// Wallets of one environment.
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

    /// A message for `wallet` to sign, on the chain asked for or the first configured one. Anybody
    /// may ask for anybody's.
    ///
    /// # Errors
    /// [`AccountError::Message`] for a chain that is not configured, [`AccountError::Overflow`],
    /// [`AccountError::Randomness`], [`AccountError::Contended`], [`AccountError::Store`].
    pub fn challenge(
        &self,
        wallet: Address,
        chain: Option<ChainId>,
        now: UnixSeconds,
    ) -> Result<Challenge, AccountError> {
        let chain = self.config.chain(chain)?;
        let mut nonce = Nonce::default();
        SysRng.try_fill_bytes(&mut nonce).map_err(|_| AccountError::Randomness)?;
        let expires_at = UnixSeconds(now.0.saturating_add(self.config.lifetime_seconds));
        let terms = Terms { wallet, chain, nonce, issued_at: now, expires_at };
        let nonce = terms.marked(self.secret()?, self.environment);
        let message = message::build(&self.config, &Terms { nonce, ..terms })?;
        let nonce = const_hex::encode(nonce);
        Ok(Challenge { message, nonce, chain, issued_at: now, expires_at })
    }

    /// The wallet that a message names, which could be one of ours.
    ///
    /// # Errors
    /// [`AccountError::Message`], [`AccountError::UnknownChallenge`].
    pub fn wallet_named(&self, message: &str) -> Result<Address, AccountError> {
        message::read(&self.config, message).map(|terms| terms.wallet)
    }

    /// Checks a message that came back with its signature. Its challenge stays open until what is
    /// returned is written down: a signature that proves nothing leaves it for a better one.
    ///
    /// # Errors
    /// - [`AccountError::Message`]: it is not the message that was given out.
    /// - [`AccountError::UnknownChallenge`]: never given out, or used before.
    /// - [`AccountError::ExpiredChallenge`]: out of its time.
    /// - [`AccountError::Signature`]: the wallet did not sign it.
    /// - [`AccountError::ContractWallet`], of kind `Unavailable`: the wallet's own key did not sign
    ///   it, and nodes that would know whether its contract vouches for it did not answer.
    /// - [`AccountError::NoContractNodes`]: the same, and there is no such node to ask.
    /// - [`AccountError::NoContracts`]: the same, and no contract counts on its chain.
    /// - [`AccountError::Contended`], [`AccountError::Store`].
    pub fn verify(
        &self,
        message: &str,
        signature: &[u8],
        caller: &dyn ContractCaller,
        now: UnixSeconds,
    ) -> Result<ProvenWallet, AccountError> {
        let terms = message::read(&self.config, message)?;
        let Terms { wallet, chain, nonce, expires_at, .. } = terms;
        if !bool::from(terms.marked(self.secret()?, self.environment).ct_eq(&nonce)) {
            return Err(AccountError::UnknownChallenge);
        }
        if now >= expires_at {
            return Err(AccountError::ExpiredChallenge { at: expires_at });
        }
        let challenge = Place { environment: self.environment, expires_at, nonce };
        challenge.check_unused(&*self.store)?;
        let hash = signature::message_hash(message);
        let by = match signature::read(wallet, &hash, signature)? {
            Reading::OwnKey => ProvenBy::OwnKey,
            Reading::NotOwnKey(form) => {
                let question = contract::question(wallet, &hash, signature)?;
                self.ask_contract(chain, form, &question, caller)?
            }
        };
        Ok(ProvenWallet { wallet, chain, at: now, by, challenge })
    }

    /// Whether the wallet's contract vouches for the signature.
    fn ask_contract(
        &self,
        chain: ChainId,
        form: SignatureForm,
        question: &ContractCall,
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

    /// Leave to ask nodes; none while as many are asking as may.
    fn begin_check(&self) -> Option<Running<'_>> {
        let max = self.config.contract_checks_at_once_max;
        let more = |running: usize| running.checked_add(1).filter(|running| *running <= max);
        let begun = self.checks_running.fetch_update(Ordering::AcqRel, Ordering::Acquire, more);
        begun.ok().map(|_| Running(&self.checks_running))
    }

    /// Forgets some of the used challenges whose time is over; how many.
    ///
    /// # Errors
    /// [`AccountError::Contended`], [`AccountError::Store`].
    pub fn prune(&self, now: UnixSeconds) -> Result<usize, AccountError> {
        used::prune(&*self.store, self.environment, now)
    }
}

/// One question to nodes, which ends when this is dropped.
struct Running<'a>(&'a AtomicUsize);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests;
