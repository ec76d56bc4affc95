use superroot_store::{Table, WriteBatch};
use superroot_types::{Address, UnixSeconds};

use super::Accounts;
use crate::account::{Account, Holder, WalletLink};
use crate::changes::{Changed, note};
use crate::key::CreatedKey;
use crate::place::AccountKey;
use crate::{AccountError, AccountId, Actor, Entitlement, ProvenWallet, row};

impl Accounts {
    /// Account that has proven a wallet.
    pub fn proven_by(&self, wallet: Address) -> Result<Option<AccountId>, AccountError> {
        let place = AccountKey::Holder(wallet).encode(self.environment());
        let held = row::load::<Holder>(&*self.store, Table::Wallet, &place)?;
        Ok(held.map(|held| held.value.account))
    }

    /// Records that a wallet's owner has signed for the account of the key behind `by`, and uses the challenge up, in
    /// one commit: the wallet's payments now count for that account. One wallet lifts one account, the last signed for;
    /// the previous account keeps a claim.
    ///
    /// # Errors
    /// [`AccountError::Beyond`] for a confined or expiring key, and for a sub-account;
    /// [`AccountError::UnknownChallenge`], [`AccountError::ClosedAccount`], [`AccountError::Full`], errors of the key,
    /// [`AccountError::Contended`], [`AccountError::Store`].
    pub fn prove_wallet(
        &self,
        by: &Entitlement,
        proven: &ProvenWallet,
    ) -> Result<WalletLink, AccountError> {
        let id = by.account;
        self.change(Table::Wallet, || {
            let now = self.now();
            let held = self.load_account(id)?;
            let mut batch = WriteBatch::new();
            let act = ("prove_wallet", "");
            let reach = Actor::Key(by).admit(&*self.store, &mut batch, &held.value, act, now)?;
            reach.check_is_whole(now)?;
            if held.value.parent.is_some() {
                return Err(AccountError::Beyond {
                    what: "a sub-account has what its integrator has, no wallet lifts it",
                });
            }
            let before = self.stage_holder(&mut batch, id, proven, now)?;
            let link = self.put_link(&mut batch, id, proven.wallet(), Some(now), now)?;
            self.put_account(&mut batch, &held, held.value.clone());
            let changed: Vec<Changed> =
                [Some(id), before].into_iter().flatten().map(Changed::Account).collect();
            note(&mut batch, &changed);
            Ok((batch, link))
        })
    }

    /// Opens an account with a proven wallet and a first key, and uses the challenge up, in one commit.
    pub(crate) fn register_proven(
        &self,
        proven: &ProvenWallet,
    ) -> Result<(Account, CreatedKey), AccountError> {
        self.change(Table::Wallet, || {
            let now = self.now();
            let account = self.new_account(Some(proven.wallet()), None, now);
            let (issued, mut batch) =
                self.opening(&account, Some(now), crate::NewKey::default(), now)?;
            let before = self.stage_holder(&mut batch, account.id, proven, now)?;
            if let Some(before) = before {
                note(&mut batch, &[Changed::Account(before)]);
            }
            Ok((batch, (account, issued)))
        })
    }

    /// Puts into `batch` that `id` owns the wallet, the challenge is used up, and the previous account has only a
    /// claim. Returns the previous account, if different.
    fn stage_holder(
        &self,
        batch: &mut WriteBatch,
        id: AccountId,
        proven: &ProvenWallet,
        now: UnixSeconds,
    ) -> Result<Option<AccountId>, AccountError> {
        let environment = self.environment();
        let wallet = proven.wallet();
        if proven.environment() != environment {
            return Err(AccountError::UnknownChallenge);
        }
        proven.stage_use(&*self.store, batch)?;
        let place = AccountKey::Holder(wallet).encode(environment);
        let held = row::load::<Holder>(&*self.store, Table::Wallet, &place)?;
        batch.expect(Table::Wallet, place.clone(), held.as_ref().map(|held| &held.bytes[..]));
        batch.put(Table::Wallet, place, row::encode(&Holder { account: id, proven_at: now }));
        let before = held.map(|held| held.value.account).filter(|before| *before != id);
        if let Some(before) = before {
            self.put_link(batch, before, wallet, None, now)?;
        }
        Ok(before)
    }

    /// Puts the link of an account to a wallet; a new link needs room.
    fn put_link(
        &self,
        batch: &mut WriteBatch,
        id: AccountId,
        wallet: Address,
        proven_at: Option<UnixSeconds>,
        now: UnixSeconds,
    ) -> Result<WalletLink, AccountError> {
        let place = AccountKey::Link(id, wallet).encode(self.environment());
        let held = row::load::<WalletLink>(&*self.store, Table::Wallet, &place)?;
        let max = self.config.keys.wallets_per_account_max;
        if held.is_none() && self.wallets(id)?.len() >= max {
            return Err(AccountError::Full { what: "wallets", expected: max });
        }
        let claimed_at = held.as_ref().map_or(now, |held| held.value.claimed_at);
        let link = WalletLink { wallet, claimed_at, proven_at };
        batch.expect(Table::Wallet, place.clone(), held.as_ref().map(|held| &held.bytes[..]));
        batch.put(Table::Wallet, place, row::encode(&link));
        Ok(link)
    }
}
