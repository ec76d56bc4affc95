//! Which account a wallet stands behind.

use superroot_store::{Batch, Table};
use superroot_types::{Address, UnixSeconds};

use super::Accounts;
use crate::account::{Holder, WalletLink};
use crate::changes::{Changed, note};
use crate::{AccountError, AccountId, ProvenWallet, place, row};

impl Accounts {
    /// The account that has proven a wallet.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn proven_by(&self, wallet: Address) -> Result<Option<AccountId>, AccountError> {
        let place = place::holder(self.environment(), wallet);
        let held = row::load::<Holder>(&*self.store, Table::Wallet, &place)?;
        Ok(held.map(|held| held.value.account))
    }

    /// Writes down that the holder of `wallet` has signed for an account: what the wallet paid for
    /// is that account's from now on. One wallet lifts one account, the last one it signed for; the
    /// one before falls back to a claim. Only to be called with a signature that was checked.
    ///
    /// # Errors
    /// [`AccountError::UnknownAccount`], [`AccountError::ClosedAccount`], [`AccountError::Full`],
    /// [`AccountError::Contended`], [`AccountError::Store`].
    pub fn prove_wallet(
        &self,
        id: AccountId,
        proven: ProvenWallet,
    ) -> Result<WalletLink, AccountError> {
        let (environment, wallet) = (self.environment(), proven.wallet());
        if proven.environment() != environment {
            return Err(AccountError::UnknownAccount { id });
        }
        self.change(Table::Wallet, || {
            let now = self.now();
            let held = self.load_account(id)?;
            if held.value.closed_at.is_some() {
                return Err(AccountError::ClosedAccount);
            }
            let mut batch = Batch::new();
            let holder_place = place::holder(environment, wallet);
            let holder = row::load::<Holder>(&*self.store, Table::Wallet, &holder_place)?;
            let before =
                holder.as_ref().map(|held| held.value.account).filter(|before| *before != id);
            batch.expect(
                Table::Wallet,
                holder_place.clone(),
                holder.as_ref().map(|held| &held.bytes[..]),
            );
            let new = Holder { account: id, proven_at: now };
            batch.put(Table::Wallet, holder_place, row::encode(&new));
            if let Some(before) = before {
                self.put_link(&mut batch, before, wallet, None, now)?;
            }
            let link = self.put_link(&mut batch, id, wallet, Some(now), now)?;
            self.put_account(&mut batch, &held, held.value.clone());
            let changed: Vec<Changed> =
                [Some(id), before].into_iter().flatten().map(Changed::Account).collect();
            note(&*self.store, &mut batch, &changed)?;
            Ok((batch, link))
        })
    }

    /// Puts the link of an account to a wallet; a new one must have room.
    fn put_link(
        &self,
        batch: &mut Batch,
        id: AccountId,
        wallet: Address,
        proven_at: Option<UnixSeconds>,
        now: UnixSeconds,
    ) -> Result<WalletLink, AccountError> {
        let place = place::link(self.environment(), id, wallet);
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
