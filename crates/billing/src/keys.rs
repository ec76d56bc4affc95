//! Keys of billing rows. Every key begins with its environment.
//!
//! | place | table | key after `environment:u8` | row |
//! |---|---|---|---|
//! | `Book` | `journal` | `1 ‖ account:16` | [`Book`](crate::Book): what the account owes |
//! | `Entry` | `journal` | `2 ‖ account:16 ‖ month:3 ‖ number:u32` | [`Entry`](crate::Entry), numbered from 0 in its month |
//! | `Reference` | `journal` | `3 ‖ account:16 ‖ SHA-256(kind, reference):32` | month and number of its entry |
//! | `Waiting` | `journal` | `4 ‖ wallet:20 ‖ SHA-256(kind, reference):32` | entries of a wallet that nobody has proven yet |
//! | `Subscription` | `journal` | `5 ‖ payer` | [`Subscription`](crate::Subscription) |
//! | `Step` | `journal` | `6 ‖ payer ‖ number:u64` | [`Step`](crate::Step), numbered from 0 |
//! | `Payment` | `journal` | `7 ‖ chain:u64 ‖ tx:32 ‖ log_index:u32` | the payment |
//! | `Agreement` | `journal` | `8 ‖ account:16 ‖ month:3` | [`Agreement`](crate::Agreement) from that month on |
//! | `Minutes` | `journal` | `9 ‖ month:3` | [`MeasuredMonth`](crate::MeasuredMonth) |
//! | `PriceList` | `journal` | `10 ‖ number:u64` | [`PriceList`](crate::PriceList), numbered from 0 |
//! | `Pass` | `journal` | `11 ‖ chain:u64 ‖ asset:20 ‖ from:20 ‖ nonce:32` | [`SoldPass`](crate::SoldPass) by its authorization |
//! | `PassOf` | `journal` | `12 ‖ account:16 ‖ (2^64 - 1 - presented_at):u64 ‖ SHA-256(authorization):32` | its authorization |
//! | `Closed` | `invoice` | `1 ‖ account:16` | the last month that is closed |
//! | `Document` | `invoice` | `2 ‖ account:16 ‖ month:3` | [`Invoice`](crate::Invoice) |
//! | `LastNumber` | `invoice` | `3` | the last number that was given out |
//! | `ByNumber` | `invoice` | `4 ‖ number:u64` | account and month of the invoice |
//! | | `invoice` | `5 ‖ account:16 ‖ month:3` | of earlier builds, not read: what credit notes took back of an invoice |
//! | `ConfirmedOver` | `invoice` | `6` | the last month that an operator said is over |
//!
//! A month is `year:u16 ‖ month:u8`; a payer is encoded as in `account`; numbers are big-endian. Rows are a version
//! byte and JSON.

use superroot_account::{AccountId, Environment, Month, Payer};
use superroot_store::Table;
use superroot_types::{Address, Hash, UnixSeconds};

use crate::pass::AuthorizationId;
use crate::payment::PaymentId;

/// Row key within an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum BillingKey {
    Book(AccountId),
    Entry(AccountId, Month, u32),
    Reference(AccountId, Hash),
    Waiting(Address, Hash),
    Subscription(Payer),
    Step(Payer, u64),
    Payment(PaymentId),
    Agreement(AccountId, Month),
    Minutes(Month),
    PriceList(u64),
    Pass(AuthorizationId),
    PassOf(AccountId, UnixSeconds, Hash),
    Closed(AccountId),
    Document(AccountId, Month),
    LastNumber,
    ByNumber(u64),
    ConfirmedOver,
}

/// Kinds of keys, by table.
mod kind {
    pub(super) const BOOK: u8 = 1;
    pub(super) const ENTRY: u8 = 2;
    pub(super) const REFERENCE: u8 = 3;
    pub(super) const WAITING: u8 = 4;
    pub(super) const SUBSCRIPTION: u8 = 5;
    pub(super) const STEP: u8 = 6;
    pub(super) const PAYMENT: u8 = 7;
    pub(super) const AGREEMENT: u8 = 8;
    pub(super) const MINUTES: u8 = 9;
    pub(super) const PRICE_LIST: u8 = 10;
    pub(super) const PASS: u8 = 11;
    pub(super) const PASS_OF: u8 = 12;

    pub(super) const CLOSED: u8 = 1;
    pub(super) const DOCUMENT: u8 = 2;
    pub(super) const LAST_NUMBER: u8 = 3;
    pub(super) const BY_NUMBER: u8 = 4;
    pub(super) const CONFIRMED_OVER: u8 = 6;
}

impl BillingKey {
    pub(crate) const fn table(self) -> Table {
        match self {
            Self::Book(_)
            | Self::Entry(..)
            | Self::Reference(..)
            | Self::Waiting(..)
            | Self::Subscription(_)
            | Self::Step(..)
            | Self::Payment(_)
            | Self::Agreement(..)
            | Self::Minutes(_)
            | Self::PriceList(_)
            | Self::Pass(_)
            | Self::PassOf(..) => Table::Journal,
            Self::Closed(_)
            | Self::Document(..)
            | Self::LastNumber
            | Self::ByNumber(_)
            | Self::ConfirmedOver => Table::Invoice,
        }
    }

    pub(crate) fn encode(self, environment: Environment) -> Vec<u8> {
        let (kind, parts) = self.parts();
        [&[environment.byte(), kind][..], &parts].concat()
    }

    fn parts(self) -> (u8, Vec<u8>) {
        let id = |account: AccountId| account.0.as_bytes().to_vec();
        let month = |account: AccountId, month: Month| [&id(account)[..], &month.key()].concat();
        match self {
            Self::Book(account) => (kind::BOOK, id(account)),
            Self::Entry(account, of, number) => {
                (kind::ENTRY, [&month(account, of)[..], &number.to_be_bytes()].concat())
            }
            Self::Reference(account, hash) => {
                (kind::REFERENCE, [&id(account)[..], &hash.0].concat())
            }
            Self::Waiting(wallet, hash) => (kind::WAITING, [&wallet.0[..], &hash.0].concat()),
            Self::Subscription(payer) => (kind::SUBSCRIPTION, payer.encode()),
            Self::Step(payer, number) => {
                (kind::STEP, [&payer.encode()[..], &number.to_be_bytes()].concat())
            }
            Self::Payment(PaymentId { chain, tx, log_index }) => {
                let chain = chain.0.to_be_bytes();
                let log_index = log_index.to_be_bytes();
                (kind::PAYMENT, [&chain[..], &tx.0, &log_index].concat())
            }
            Self::Agreement(account, from) => (kind::AGREEMENT, month(account, from)),
            Self::Minutes(month) => (kind::MINUTES, month.key().to_vec()),
            Self::PriceList(number) => (kind::PRICE_LIST, number.to_be_bytes().to_vec()),
            Self::Pass(AuthorizationId { chain, asset, from, nonce }) => {
                let chain = chain.0.to_be_bytes();
                (kind::PASS, [&chain[..], &asset.0, &from.0, &nonce.0].concat())
            }
            Self::PassOf(account, at, hash) => {
                (kind::PASS_OF, [&id(account)[..], &newest_first(at), &hash.0].concat())
            }
            Self::Closed(account) => (kind::CLOSED, id(account)),
            Self::Document(account, of) => (kind::DOCUMENT, month(account, of)),
            Self::LastNumber => (kind::LAST_NUMBER, Vec::new()),
            Self::ByNumber(number) => (kind::BY_NUMBER, number.to_be_bytes().to_vec()),
            Self::ConfirmedOver => (kind::CONFIRMED_OVER, Vec::new()),
        }
    }
}

/// Time in a key: rows of later times come first.
const fn newest_first(at: UnixSeconds) -> [u8; 8] {
    (u64::MAX - at.0).to_be_bytes()
}

/// Key prefix of all balances.
pub(crate) fn books(environment: Environment) -> Vec<u8> {
    vec![environment.byte(), kind::BOOK]
}

/// Key prefix of an account's entries.
pub(crate) fn entries(environment: Environment, account: AccountId) -> Vec<u8> {
    [&[environment.byte(), kind::ENTRY][..], account.0.as_bytes()].concat()
}

/// Key prefix of all entries of unproven wallets.
pub(crate) fn waiting(environment: Environment) -> Vec<u8> {
    vec![environment.byte(), kind::WAITING]
}

/// Key prefix of a payer's steps.
pub(crate) fn steps(environment: Environment, payer: &Payer) -> Vec<u8> {
    [&[environment.byte(), kind::STEP][..], &payer.encode()].concat()
}

/// Key prefix of an account's agreements.
pub(crate) fn agreements(environment: Environment, account: AccountId) -> Vec<u8> {
    [&[environment.byte(), kind::AGREEMENT][..], account.0.as_bytes()].concat()
}

/// Key prefix of all price lists.
pub(crate) fn price_lists(environment: Environment) -> Vec<u8> {
    vec![environment.byte(), kind::PRICE_LIST]
}

/// Key prefix of an account's passes.
pub(crate) fn passes(environment: Environment, account: AccountId) -> Vec<u8> {
    [&[environment.byte(), kind::PASS_OF][..], account.0.as_bytes()].concat()
}

/// Key prefix of an account's invoices.
pub(crate) fn documents(environment: Environment, account: AccountId) -> Vec<u8> {
    [&[environment.byte(), kind::DOCUMENT][..], account.0.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use superroot_types::ChainId;
    use uuid::Uuid;

    use super::*;

    fn keys() -> Vec<(BillingKey, String)> {
        let account = AccountId(Uuid::from_bytes([1; 16]));
        let (wallet, hash) = (Address([7; 20]), Hash([9; 32]));
        let month: Month = "2026-02".parse().unwrap();
        let payer = Payer::Wallet(wallet);
        let id = PaymentId { chain: ChainId(8_453), tx: hash, log_index: 3 };
        let (a, w, h, m) = ("01".repeat(16), "07".repeat(20), "09".repeat(32), "07ea02");
        vec![
            (BillingKey::Book(account), format!("0101{a}")),
            (BillingKey::Entry(account, month, 5), format!("0102{a}{m}00000005")),
            (BillingKey::Reference(account, hash), format!("0103{a}{h}")),
            (BillingKey::Waiting(wallet, hash), format!("0104{w}{h}")),
            (BillingKey::Subscription(payer), format!("010501{w}")),
            (BillingKey::Step(payer, 2), format!("010601{w}0000000000000002")),
            (BillingKey::Payment(id), format!("01070000000000002105{h}00000003")),
            (BillingKey::Agreement(account, month), format!("0108{a}{m}")),
            (BillingKey::Minutes(month), format!("0109{m}")),
            (BillingKey::PriceList(2), "010a0000000000000002".to_owned()),
            (
                BillingKey::Pass(AuthorizationId {
                    chain: ChainId(8_453),
                    asset: wallet,
                    from: wallet,
                    nonce: hash,
                }),
                format!("010b0000000000002105{w}{w}{h}"),
            ),
            (
                BillingKey::PassOf(account, UnixSeconds(2), hash),
                format!("010c{a}fffffffffffffffd{h}"),
            ),
            (BillingKey::Closed(account), format!("0101{a}")),
            (BillingKey::Document(account, month), format!("0102{a}{m}")),
            (BillingKey::LastNumber, "0103".to_owned()),
            (BillingKey::ByNumber(42), "0104000000000000002a".to_owned()),
            (BillingKey::ConfirmedOver, "0106".to_owned()),
        ]
    }

    #[test]
    fn keys_of_every_kind_stand_as_they_are_pinned() {
        let mut seen = std::collections::BTreeSet::new();
        for (key, pinned) in keys() {
            let bytes = key.encode(Environment::Live);
            assert_eq!(const_hex::encode(&bytes), pinned, "{key:?}");
            assert!(seen.insert((key.table(), bytes)));
            assert!(seen.insert((key.table(), key.encode(Environment::Test))));
        }
    }
}
