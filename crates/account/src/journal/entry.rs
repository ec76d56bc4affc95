//! Entries and balances.

use serde::{Deserialize, Serialize};
use superroot_types::{Hash, UnixSeconds};

use super::{Book, ENTRY_LINES_MAX};
use crate::AccountError;
use crate::label::check_text;

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Into what is held or owed to the service; out of what it earned or owes.
    Debit,
    /// The other way.
    Credit,
}

/// An amount on one side of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryLine {
    /// The book.
    pub book: Book,
    /// The side.
    pub side: Side,
    /// How much, above zero.
    pub usdc_e6: u64,
}

impl EntryLine {
    /// An amount debited.
    #[must_use]
    pub const fn debit(book: Book, usdc_e6: u64) -> Self {
        Self { book, side: Side::Debit, usdc_e6 }
    }

    /// An amount credited.
    #[must_use]
    pub const fn credit(book: Book, usdc_e6: u64) -> Self {
        Self { book, side: Side::Credit, usdc_e6 }
    }
}

/// What is to be entered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Posting {
    /// When it happened.
    pub at: UnixSeconds,
    /// What happened; 1 to 256 printable characters.
    pub description: String,
    /// What it is entered once under; 1 to 256 printable characters.
    pub reference: String,
    /// 2 to [`ENTRY_LINES_MAX`] lines whose sides are equal.
    pub lines: Vec<EntryLine>,
}

impl Posting {
    pub(crate) fn validate(&self) -> Result<(), AccountError> {
        check_text("the description of an entry", &self.description, 256)?;
        check_text("the reference of an entry", &self.reference, 256)?;
        let refuse = |why| Err(AccountError::Unbalanced { reference: self.reference.clone(), why });
        if self.lines.len() < 2 || self.lines.len() > ENTRY_LINES_MAX {
            return refuse("it must have 2 to 64 lines");
        }
        if self.lines.iter().any(|line| line.usdc_e6 == 0) {
            return refuse("a line moves nothing");
        }
        let sum = |side| -> u128 {
            let lines = self.lines.iter().filter(|line| line.side == side);
            lines.map(|line| u128::from(line.usdc_e6)).sum() // 64 lines of 64 bits
        };
        if sum(Side::Debit) != sum(Side::Credit) {
            return refuse("debits and credits differ");
        }
        Ok(())
    }
}

impl Entry {
    /// Whether it moves money of one of those books.
    #[must_use]
    pub fn touches(&self, books: &[Book]) -> bool {
        self.posting.lines.iter().any(|line| books.contains(&line.book))
    }
}

/// An entry as it stands for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its number, from 0.
    pub sequence: u64,
    /// SHA-256 of the row before; zero for the first.
    pub previous_hash: Hash,
    /// What was entered.
    pub posting: Posting,
}

/// What was debited and credited to a book so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Balance {
    /// Debits.
    pub debit_usdc_e6: u64,
    /// Credits.
    pub credit_usdc_e6: u64,
}

impl Balance {
    /// Debits less credits.
    #[must_use]
    pub fn net_usdc_e6(&self) -> i128 {
        i128::from(self.debit_usdc_e6) - i128::from(self.credit_usdc_e6)
    }

    pub(crate) fn add(&mut self, line: &EntryLine) -> Result<(), AccountError> {
        let side = match line.side {
            Side::Debit => &mut self.debit_usdc_e6,
            Side::Credit => &mut self.credit_usdc_e6,
        };
        let sum = side.checked_add(line.usdc_e6);
        *side = sum.ok_or(AccountError::Overflow { what: "the balance of a book" })?;
        Ok(())
    }
}
