//! What is held for an account, and what it owes.

use superroot_types::Address;

use super::AccountService;
use crate::{AccountError, AccountId, Book, Subscriber, Waiting};

/// An account's own money: what it and the wallets that it has proven paid and have not used, and
/// what it owes. A sub-account's is its own, never its integrator's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Money {
    /// Received, and nothing bought with it yet.
    pub credit_usdc_e6: u128,
    /// What a short payment waits for, and the wallet that paid it; where several do, the one that
    /// misses least.
    pub waiting: Option<(Waiting, Option<Address>)>,
    /// What closed invoices and charges of an integrator come to, less what was paid; negative
    /// where the service owes.
    pub owes_usdc_e6: i128,
}

impl AccountService {
    /// The money of an account now.
    ///
    /// # Errors
    /// [`AccountError::Overflow`], [`AccountError::Store`].
    pub fn money_of(&self, account: AccountId) -> Result<Money, AccountError> {
        let (accounts, now) = (&self.accounts, self.accounts.now());
        let mut payers = vec![(Subscriber::Account(account), None)];
        let links = accounts.wallets(account)?;
        let proven = links.iter().filter(|link| link.proven_at.is_some());
        payers.extend(proven.map(|link| (Subscriber::Wallet(link.wallet), Some(link.wallet))));
        let owes_usdc_e6 = self.journal().balance(&Book::Receivable(account))?.net_usdc_e6();
        let mut money = Money { credit_usdc_e6: 0, waiting: None, owes_usdc_e6 };
        for (payer, wallet) in payers {
            let held = accounts.subscriptions().load(&payer)?;
            // at most 102 sums of 64 bits
            money.credit_usdc_e6 += u128::from(held.credit_usdc_e6);
            let waiting = held.waiting_at(now, self.plans())?.map(|waiting| (waiting, wallet));
            let found = money.waiting.into_iter().chain(waiting);
            money.waiting = found.min_by_key(|(waiting, _)| waiting.missing_usdc_e6);
        }
        Ok(money)
    }
}
