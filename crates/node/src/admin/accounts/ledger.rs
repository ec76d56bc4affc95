//! Orders about the ledger: they only look.

use clap::Subcommand;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use superroot_account::{Book, Subscriber};

use super::order::{Of, Rows};
use super::{Desk, shown};

/// Orders about the ledger.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum LedgerOrder {
    /// Lists the entries that move money of an account (with the wallets it has proven) or of a
    /// wallet, oldest first.
    List {
        /// Whose.
        #[command(flatten)]
        of: Of,
        /// The first, by its number in the whole ledger.
        #[arg(long, value_name = "N", default_value_t = 0)]
        from: u64,
        /// Rows at most, 1 to 1000.
        #[arg(long, value_name = "N", default_value = "100")]
        limit: Rows,
    },
}

impl Desk<'_> {
    pub(super) fn ledger(&self, order: &LedgerOrder) -> anyhow::Result<Value> {
        let LedgerOrder::List { of, from, limit } = order;
        let books = self.books_of(&of.subscriber()?)?;
        let (entries, next) = self.service.journal().entries_of(&books, *from, limit.get())?;
        Ok(json!({
            "entries": entries.iter().map(shown::entry).collect::<Vec<_>>(),
            "next_from": next,
        }))
    }

    /// Every book that money of somebody lies in.
    fn books_of(&self, subscriber: &Subscriber) -> anyhow::Result<Vec<Book>> {
        let mut payers = vec![*subscriber];
        let mut books = Vec::new();
        if let Subscriber::Account(account) = *subscriber {
            let accounts = self.service.accounts();
            accounts.account(account)?; // a typo has no entries, and must not look like that
            books.extend([Book::Receivable(account), Book::RevenueShare(account)]);
            let links = accounts.wallets(account)?;
            let proven = links.iter().filter(|link| link.proven_at.is_some());
            payers.extend(proven.map(|link| Subscriber::Wallet(link.wallet)));
        }
        for payer in payers {
            books.extend([Book::Credit(payer), Book::Refunds(payer)]);
        }
        Ok(books)
    }
}
