//! What a subscription's events do to the ledger.

use superroot_types::UnixSeconds;

use super::{Applied, Event, Subscriber, Subscription, Subscriptions};
use crate::journal::{Book, EntryLine, Journal, Posting};
use crate::{AccountError, Plans};

impl Subscriptions {
    /// As [`Subscriptions::apply`], and enters what moved in the same commit: payments into cash and
    /// credit, periods bought out of credit into revenue, what is given back the other way. The
    /// ledger's credit of a subscriber is always its `credit_usdc_e6`.
    ///
    /// # Errors
    /// As [`Subscriptions::apply`] and [`Journal::stage`].
    pub fn apply_booked(
        &self,
        subscriber: &Subscriber,
        event: &Event,
        now: UnixSeconds,
        plans: &Plans,
        journal: &Journal,
    ) -> Result<Applied, AccountError> {
        self.apply_with(subscriber, event, now, plans, &mut |batch, before, applied| {
            if let Some(posting) = applied.subscription.posting_since(before)? {
                journal.stage(batch, &posting)?;
            }
            Ok(())
        })
    }
}

impl Subscription {
    /// The entry for what moved since the subscription was `before`; none where nothing did. For who
    /// writes more along with an event than [`Subscriptions::apply_booked`].
    ///
    /// # Errors
    /// [`AccountError::Overflow`].
    pub fn posting_since(&self, before: &Self) -> Result<Option<Posting>, AccountError> {
        posting(before, self)
    }
}

fn posting(before: &Subscription, after: &Subscription) -> Result<Option<Posting>, AccountError> {
    let subscriber = after.subscriber;
    let (credit, refunds) = (Book::Credit(subscriber), Book::Refunds(subscriber));
    // both only grow
    let paid = after.paid_usdc_e6.saturating_sub(before.paid_usdc_e6);
    let refunded = after.refunded_usdc_e6.saturating_sub(before.refunded_usdc_e6);
    let mut lines = Vec::new();
    let mut moved = |from: Book, to: Book, usdc_e6: u64| {
        if usdc_e6 > 0 {
            lines.extend([EntryLine::debit(to, usdc_e6), EntryLine::credit(from, usdc_e6)]);
        }
    };
    moved(credit, Book::Cash, paid);
    moved(refunds, credit, refunded);
    moved(Book::Cash, refunds, refunded);
    let expected = before.credit_usdc_e6.checked_add(paid);
    let expected = expected.and_then(|credit| credit.checked_sub(refunded));
    let expected = expected.ok_or(AccountError::Overflow { what: "a credit" })?;
    moved(Book::Revenue, credit, expected.saturating_sub(after.credit_usdc_e6));
    moved(credit, Book::Revenue, after.credit_usdc_e6.saturating_sub(expected));
    if lines.is_empty() {
        return Ok(None);
    }
    let name = match subscriber {
        Subscriber::Wallet(wallet) => wallet.to_string(),
        Subscriber::Account(account) => account.to_string(),
    };
    let number = after.transition_count;
    Ok(Some(Posting {
        at: after.written_at,
        description: format!("subscription of {name}, step {number}"),
        reference: format!("subscription:{name}:{number}"),
        lines,
    }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use superroot_store::{MemoryStore, Store};
    use superroot_types::{Address, ChainId, Hash};

    use super::*;
    use crate::subscription::{Asset, Operator};
    use crate::{Environment, Payment, PaymentId, Tier};

    #[test]
    fn events_at_one_time_are_all_booked() {
        let store = Arc::new(MemoryStore::new());
        let rows = Subscriptions::new(store.clone(), Environment::Live);
        let journal = Journal::new(store, Environment::Live);
        let (wallet, now) = (Address([7; 20]), UnixSeconds(1_700_000_000));
        let (subscriber, plans) = (Subscriber::Wallet(wallet), Plans::default());
        std::thread::scope(|scope| {
            for thread in 0..4_u8 {
                let (rows, journal, plans) = (&rows, &journal, &plans);
                scope.spawn(move || {
                    for number in 0..6 {
                        let tx = Hash([thread * 6 + number; 32]);
                        let event = Event::Payment(Payment {
                            id: PaymentId { chain: ChainId(1), tx, log_index: 0 },
                            wallet,
                            tier: Tier::Builder,
                            usdc_e6: 30_000_000,
                            asset: Asset::Usdc,
                            paid_at: now,
                            is_final: true,
                        });
                        rows.apply_booked(&subscriber, &event, now, plans, journal).unwrap();
                    }
                });
            }
        });
        assert_eq!(journal.verify().unwrap(), 24);
        let cash = journal.balance(&Book::Cash).unwrap().debit_usdc_e6;
        assert_eq!(cash, rows.load(&subscriber).unwrap().paid_usdc_e6);
        assert_eq!(cash, 720_000_000);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever happens to subscriptions, the ledger's credit is theirs, its cash is what was
        /// paid less what was paid back, and every chain and sum of it holds.
        #[test]
        fn the_ledger_and_the_subscriptions_agree(
            acts in proptest::collection::vec((0..2_u8, 0..8_u8, 0..700_000_000_u64, any::<u8>()), 1..40),
        ) {
            let store = Arc::new(MemoryStore::new());
            let rows = Subscriptions::new(store.clone(), Environment::Live);
            let journal = Journal::new(store.clone(), Environment::Live);
            let plans = Plans::default();
            let by = || Operator { who: "ops".into(), why: "asked for".into() };
            let mut now = UnixSeconds(1_700_000_000);
            for (who, kind, amount, tx) in acts {
                let wallet = Address([who; 20]);
                let subscriber = Subscriber::Wallet(wallet);
                let tier = if amount % 2 == 0 { Tier::Builder } else { Tier::Protocol };
                let event = match kind {
                    0..3 => Event::Payment(Payment {
                        id: PaymentId { chain: ChainId(1), tx: Hash([tx; 32]), log_index: 0 },
                        wallet,
                        tier,
                        usdc_e6: amount,
                        asset: Asset::Usdc,
                        paid_at: now,
                        is_final: true,
                    }),
                    3 => Event::ChangeTier(tier, by()),
                    4 => Event::Refund(amount / 10, by()),
                    5 => Event::Release(by()),
                    6 => Event::Grant(tier, 1, by()),
                    _ => Event::Time,
                };
                let commits = store.commit_count();
                let done = rows.apply_booked(&subscriber, &event, now, &plans, &journal);
                if done.is_err() {
                    prop_assert_eq!(store.commit_count(), commits);
                }
                now.0 += u64::from(tx) * 10_000;
            }
            journal.verify().unwrap();
            let mut cash = 0;
            for who in 0..2 {
                let subscriber = Subscriber::Wallet(Address([who; 20]));
                let held = rows.load(&subscriber).unwrap();
                let credit = journal.balance(&Book::Credit(subscriber)).unwrap();
                prop_assert_eq!(-credit.net_usdc_e6(), i128::from(held.credit_usdc_e6));
                let refunds = journal.balance(&Book::Refunds(subscriber)).unwrap();
                prop_assert_eq!(refunds.net_usdc_e6(), 0);
                prop_assert_eq!(refunds.debit_usdc_e6, held.refunded_usdc_e6);
                cash += i128::from(held.paid_usdc_e6) - i128::from(held.refunded_usdc_e6);
            }
            prop_assert_eq!(journal.balance(&Book::Cash).unwrap().net_usdc_e6(), cash);
        }
    }
}
