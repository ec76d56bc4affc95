//! Gives challenges out, and takes them back signed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rand::TryRng;
use rand::rngs::SysRng;
use superroot_store::Store;
use superroot_types::{Address, ChainId, Hash, UnixSeconds};

use super::contract::{self, ContractCall, ContractCaller};
use super::message::{self, NONCE_BYTES, Nonce, Terms};
use super::rows::{Open, Rows, place_of};
use super::signature::{self, Reading};
use super::{ProvenBy, ProvenWallet, WalletConfig};
use crate::limit::AddressPrefix;
use crate::{AccountError, Environment};

/// Seconds that clocks of nodes on one store may differ by.
const CLOCKS_DIFFER_MAX: u64 = 60;

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
    /// Challenges that are open, as far as this process knows.
    open_count: AtomicU64,
    checks_running: AtomicUsize,
}

impl Wallets {
    /// Wallets of one environment.
    ///
    /// # Errors
    /// [`AccountError::Config`] for a setting out of range, [`AccountError::Store`].
    pub fn open(
        store: Arc<dyn Store>,
        environment: Environment,
        config: WalletConfig,
    ) -> Result<Self, AccountError> {
        config.validate()?;
        let open_count = Rows { store: &*store, environment }.count()?;
        let (open_count, checks_running) = (AtomicU64::new(open_count), AtomicUsize::new(0));
        Ok(Self { store, environment, config, open_count, checks_running })
    }

    fn rows(&self) -> Rows<'_> {
        Rows { store: &*self.store, environment: self.environment }
    }

    /// A message for `wallet` to sign, on the chain asked for or the first configured one. Anybody
    /// may ask for anybody's.
    ///
    /// # Errors
    /// [`AccountError::Message`] for a chain that is not configured,
    /// [`AccountError::ChallengesOpen`] where `from` has as many open as it may have,
    /// [`AccountError::Randomness`], [`AccountError::Contended`], [`AccountError::Store`].
    pub fn challenge(
        &self,
        from: AddressPrefix,
        wallet: Address,
        chain: Option<ChainId>,
        now: UnixSeconds,
    ) -> Result<Challenge, AccountError> {
        let chain = self.config.chain(chain)?;
        let mut nonce: Nonce = [0; NONCE_BYTES];
        SysRng.try_fill_bytes(&mut nonce).map_err(|_| AccountError::Randomness)?;
        let expires_at = UnixSeconds(now.0.saturating_add(self.config.lifetime_seconds));
        let terms = Terms { wallet, chain, nonce, issued_at: now, expires_at };
        let message = message::build(&self.config, &terms)?;
        let checks = self.config.contract_checks_per_challenge_max;
        let hash = signature::message_hash(&message);
        let open = Open::new(&terms, hash, place_of(from), checks);
        self.rows().add(&self.config, &self.open_count, &nonce, &open, now)?;
        let nonce = const_hex::encode(nonce);
        Ok(Challenge { message, nonce, chain, issued_at: now, expires_at })
    }

    /// The wallet that a message names, which could be one of ours.
    ///
    /// # Errors
    /// [`AccountError::Message`], [`AccountError::UnknownChallenge`].
    pub fn wallet_named(&self, message: &str) -> Result<Address, AccountError> {
        message::read(&self.config, message).map(|(_, _, wallet)| wallet)
    }

    /// Checks a message that came back with its signature. Its challenge stays open until what is
    /// returned is written down: a signature that proves nothing leaves it for a better one.
    ///
    /// # Errors
    /// - [`AccountError::Message`]: it is not the message that was given out.
    /// - [`AccountError::UnknownChallenge`]: never given out, or used before.
    /// - [`AccountError::ExpiredChallenge`], [`AccountError::EarlyChallenge`]: out of its time.
    /// - [`AccountError::Signature`]: the wallet did not sign it.
    /// - [`AccountError::ContractWallet`], of kind `Unavailable`: the wallet's own key did not sign
    ///   it, and nodes that would know whether its contract vouches for it did not answer.
    /// - [`AccountError::NoContractNodes`]: the same, and there is no such node to ask.
    /// - [`AccountError::Tries`]: nodes were asked about it as often as they may be.
    /// - [`AccountError::Contended`], [`AccountError::Store`].
    pub fn verify(
        &self,
        message: &str,
        signature: &[u8],
        caller: &dyn ContractCaller,
        now: UnixSeconds,
    ) -> Result<ProvenWallet, AccountError> {
        let (nonce, chain, wallet) = message::read(&self.config, message)?;
        let hash = signature::message_hash(message);
        self.check_given_out(&nonce, &hash, (wallet, chain), now)?;
        let by = match signature::read(wallet, &hash, signature)? {
            Reading::OwnKey => ProvenBy::OwnKey,
            Reading::NotOwnKey => {
                let question = contract::question(wallet, &hash, signature)?;
                self.ask_contract(&nonce, chain, &question, caller)?
            }
        };
        Ok(ProvenWallet { environment: self.environment, wallet, chain, at: now, by, nonce })
    }

    /// Whether that very message was given out, did not come back before, and comes in time.
    fn check_given_out(
        &self,
        nonce: &Nonce,
        hash: &Hash,
        names: (Address, ChainId),
        now: UnixSeconds,
    ) -> Result<(), AccountError> {
        let held = self.rows().load(nonce)?.ok_or(AccountError::UnknownChallenge)?;
        let open = held.value;
        if open.hash != *hash || (open.wallet, open.chain()) != names {
            return Err(AccountError::Message { why: "it is not the one that was given out" });
        }
        if now >= open.expires_at {
            // gone for good: a clock set back does not revive it
            match self.rows().take(nonce) {
                Ok(_) | Err(AccountError::UnknownChallenge) => {}
                Err(error) => return Err(error),
            }
            return Err(AccountError::ExpiredChallenge { at: open.expires_at });
        }
        if now.0.saturating_add(CLOCKS_DIFFER_MAX) < open.issued_at.0 {
            return Err(AccountError::EarlyChallenge { at: open.issued_at });
        }
        Ok(())
    }

    /// Whether the wallet's contract vouches for the signature.
    fn ask_contract(
        &self,
        nonce: &Nonce,
        chain: ChainId,
        question: &ContractCall,
        caller: &dyn ContractCaller,
    ) -> Result<ProvenBy, AccountError> {
        if !self.config.contract_chain_ids.contains(&chain.0) {
            let why = "the wallet's own key did not make it, and no contract counts on that chain";
            return Err(AccountError::Signature { why });
        }
        if !caller.asks(chain) {
            return Err(AccountError::NoContractNodes { chain });
        }
        let unavailable = AccountError::ContractWallet { chain };
        let Some(_running) = self.begin_check() else { return Err(unavailable) };
        self.rows().count_check(nonce)?;
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

    /// Drops challenges whose time is over, at most a few hundred of them; how many. Called now and
    /// then until it says 0: then those that are left are counted anew.
    ///
    /// # Errors
    /// [`AccountError::Contended`], [`AccountError::Store`].
    pub fn prune(&self, now: UnixSeconds) -> Result<u64, AccountError> {
        let dropped = self.rows().prune(now)?;
        if dropped == 0 {
            self.open_count.store(self.rows().count()?, Ordering::Relaxed);
        }
        Ok(dropped)
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
