//! Orders about money: subscriptions, agreements, invoices and what is owed.

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use superroot_account::{AccountId, Grid, Label, Month, Payer, Tier};
use superroot_billing::Interval;
use superroot_types::{Address, ChainId, Hash, UnixSeconds};

use super::Page;
use super::value::{
    chain, entry, grid, interval, label, payer, rows, rows_of_order, time, usdc, wallet,
};

/// Whose subscription it is.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
#[group(required = true, multiple = false)]
#[serde(deny_unknown_fields)]
pub(crate) struct Of {
    /// A wallet's: it lifts the account that proved the wallet last.
    #[arg(long, value_name = "ADDRESS", value_parser = wallet)]
    wallet: Option<Address>,
    /// An account's own.
    #[arg(long, value_name = "ID")]
    account: Option<AccountId>,
}

impl Of {
    pub(crate) fn payer(&self) -> anyhow::Result<Payer> {
        match (self.wallet, self.account) {
            (Some(wallet), None) => Ok(Payer::Wallet(wallet)),
            (None, Some(account)) => Ok(Payer::Account(account)),
            _ => anyhow::bail!("expected either a wallet or an account"),
        }
    }
}

/// Orders about subscriptions.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum SubscriptionOrder {
    /// Lists subscriptions, wallets first.
    List {
        /// Begins behind this wallet or account.
        #[arg(long, value_name = "ADDRESS|ID", value_parser = payer)]
        after: Option<Payer>,
        /// Rows at most, 1 to 1000.
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = rows)]
        #[serde(deserialize_with = "rows_of_order")]
        limit: usize,
    },
    /// One subscription with every step it took.
    Show {
        /// Whose.
        #[command(flatten)]
        of: Of,
    },
    /// Enters a payment that was seen on a chain, in a final block: thirty days of a tier for exactly its
    /// price. It counts once, however often it is entered.
    Pay {
        /// The wallet that is paid for.
        #[arg(long, value_name = "ADDRESS", value_parser = wallet)]
        wallet: Address,
        /// The tier it is for.
        #[arg(long)]
        tier: Tier,
        /// How much, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        usdc: u64,
        /// The chain, by id or name.
        #[arg(long, value_name = "CHAIN", value_parser = chain)]
        chain: ChainId,
        /// The transaction.
        #[arg(long, value_name = "HASH")]
        tx: Hash,
        /// Place of the log in the receipt.
        #[arg(long, value_name = "N")]
        log_index: u32,
        /// Time of its block.
        #[arg(long, value_name = "TIME", value_parser = time)]
        paid_at: UnixSeconds,
    },
    /// Gives periods of thirty days free of charge.
    Grant {
        /// Whose.
        #[command(flatten)]
        of: Of,
        /// The tier.
        #[arg(long)]
        tier: Tier,
        /// How many.
        #[arg(long, value_name = "N", default_value_t = 1)]
        periods: u16,
    },
    /// Notes that a part of what was paid was paid back; the time that it bought stays.
    Refund {
        /// Whose.
        #[command(flatten)]
        of: Of,
        /// How much, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        usdc: u64,
    },
    /// Takes it away. Time goes on.
    Revoke {
        /// Whose.
        #[command(flatten)]
        of: Of,
    },
    /// Gives it back, with the time that is left.
    Reinstate {
        /// Whose.
        #[command(flatten)]
        of: Of,
    },
}

/// Orders about enterprises.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum EnterpriseOrder {
    /// Enters an agreement: limit, grids, fee and prices hold from the first second of its first month.
    ///
    /// It never changes, and holds until the next one begins: a month of an account has one at most. Its
    /// first month is the running one or later.
    Agree {
        /// The account.
        account: AccountId,
        /// Requests a minute.
        #[arg(long, value_name = "N")]
        limit: u32,
        /// A grid that is open; may be given several times. All otherwise.
        #[arg(long = "grid", value_name = "GRID", value_parser = grid)]
        grids: Vec<Grid>,
        /// Fee of a month, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        monthly_fee: u64,
        /// Price of a million billing tokens, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        million_tokens: u64,
        /// Billing tokens free of charge in a month.
        #[arg(long, value_name = "N", default_value_t = 0)]
        free_tokens: u64,
        /// Availability promised, in millionths: 999000 is 99.9%.
        #[arg(long, value_name = "MILLIONTHS")]
        availability: Option<u32>,
        /// The first month; the running one otherwise.
        #[arg(long, value_name = "MONTH")]
        from: Option<Month>,
        /// The last month; open otherwise.
        #[arg(long, value_name = "MONTH")]
        until: Option<Month>,
    },
    /// Lets nothing be agreed after a month.
    End {
        /// The account.
        account: AccountId,
        /// The last month; the one before the running one at the earliest.
        #[arg(long, value_name = "MONTH")]
        last: Month,
    },
    /// The agreement in force with an account, those ahead and those before.
    Show {
        /// The account.
        account: AccountId,
    },
}

/// Orders about integrators.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum IntegratorOrder {
    /// Enters an agreement: limit, tier and fee hold from the first second of its first month.
    /// Sub-accounts stay.
    ///
    /// It never changes, and holds until the next one begins: a month of an account has one at most. Its
    /// first month is the running one or later.
    Agree {
        /// The account.
        account: AccountId,
        /// How often it pays.
        #[arg(long, value_name = "month|year", default_value = "month", value_parser = interval)]
        every: Interval,
        /// The fee, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        fee: u64,
        /// The tier whose routes it has.
        #[arg(long, default_value = "builder")]
        tier: Tier,
        /// The first month; the running one otherwise.
        #[arg(long, value_name = "MONTH")]
        from: Option<Month>,
        /// The last month; open otherwise.
        #[arg(long, value_name = "MONTH")]
        until: Option<Month>,
    },
    /// Lets nothing be agreed after a month. What of a yearly fee is not used up is an operator's credit
    /// note.
    End {
        /// The account.
        account: AccountId,
        /// The last month; the one before the running one at the earliest.
        #[arg(long, value_name = "MONTH")]
        last: Month,
    },
    /// The agreement in force with an account, those ahead and those before; its part of what it charged in
    /// a month, and the availability measured.
    Show {
        /// The account.
        account: AccountId,
        /// The month; the running one otherwise.
        #[arg(long)]
        month: Option<Month>,
    },
    /// Opens a sub-account, and shows its first key once.
    Open {
        /// The integrator.
        account: AccountId,
        /// What it is called, and its first key.
        #[arg(long, value_name = "TEXT", value_parser = label)]
        label: Option<Label>,
    },
    /// Lists the sub-accounts.
    SubAccounts {
        /// The integrator.
        account: AccountId,
        /// Where the list begins.
        #[command(flatten)]
        page: Page,
    },
    /// Enters what it charged a sub-account in the running month: the sub-account owes it and has it
    /// on its invoice, the integrator's part is owed to that.
    Charge {
        /// The integrator.
        account: AccountId,
        /// The sub-account.
        sub_account: AccountId,
        /// How much, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        usdc: u64,
        /// What it is entered once under.
        #[arg(long, value_name = "TEXT")]
        reference: String,
    },
}

/// Orders about invoices.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum InvoiceOrder {
    /// Lists invoices of an account, newest month first.
    List {
        /// The account.
        account: AccountId,
        /// Begins before this month.
        #[arg(long, value_name = "MONTH")]
        before: Option<Month>,
        /// Rows at most, 1 to 1000.
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = rows)]
        #[serde(deserialize_with = "rows_of_order")]
        limit: usize,
    },
    /// What a month comes to: the invoice where it is closed, else a draft.
    Show {
        /// The account.
        account: AccountId,
        /// The month; the running one otherwise.
        month: Option<Month>,
        /// As what it is printed.
        #[arg(long, value_enum, default_value = "lines")]
        form: Form,
    },
    /// Closes a month of an account that is over, and those before it that are still open. The service
    /// does this by itself an hour after its end.
    Close {
        /// The account.
        account: AccountId,
        /// The month.
        month: Month,
    },
    /// Takes back a part of a closed invoice by a credit note, which stands on the invoice of the running
    /// month; --why is printed. What an integrator charged a sub-account is taken back on the
    /// sub-account's; the integrator keeps its part.
    Correct {
        /// The account.
        account: AccountId,
        /// The month.
        month: Month,
        /// How much, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        usdc: u64,
        /// What it is entered once under.
        #[arg(long, value_name = "TEXT")]
        reference: String,
    },
    /// Gives back, by a credit note, what a month's availability missed of what was promised.
    RefundAvailability {
        /// The account.
        account: AccountId,
        /// The month.
        month: Month,
    },
    /// Says that a month is over where no chain's blocks show it: it is closed for all accounts. Without this, a
    /// month is closed when more than half of the chains have final blocks of later times.
    ConfirmOver {
        /// The month; those before it are over, too.
        month: Month,
    },
    /// Notes that an account was paid what the service owes it, or a part of it.
    PaidOut {
        /// The account.
        account: AccountId,
        /// How much, in USDC; at most what the service owes.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        usdc: u64,
        /// What it is entered once under.
        #[arg(long, value_name = "TEXT")]
        reference: String,
    },
    /// Notes that an account has paid what it owes, or a part of it.
    Paid {
        /// The account.
        account: AccountId,
        /// How much, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        usdc: u64,
        /// What it is entered once under.
        #[arg(long, value_name = "TEXT")]
        reference: String,
    },
}

/// As what an invoice is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    /// A table.
    Lines,
    /// RFC 4180.
    Csv,
    /// A page to print.
    Html,
}

/// Orders about the journal.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum LedgerOrder {
    /// Takes back a payment or a payout that was entered by mistake, in full: an entry of the opposite amount
    /// in the running month. The right one is entered under another reference.
    TakeBack {
        /// Whose.
        #[arg(long, value_name = "ID")]
        account: AccountId,
        /// The entry, such as 2026-02/17.
        #[arg(value_name = "ENTRY", value_parser = entry)]
        entry: (Month, u32),
    },
    /// Lists the price lists that were in force, the newest first. A month is billed by the one it began under.
    Prices {
        /// Rows at most, 1 to 1000.
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = rows)]
        #[serde(deserialize_with = "rows_of_order")]
        limit: usize,
    },
    /// Lists the movements of an account's money, oldest month first, and what they come to.
    List {
        /// Whose.
        #[arg(long, value_name = "ID")]
        account: AccountId,
        /// Begins behind this entry, such as 2026-02/17.
        #[arg(long, value_name = "ENTRY", value_parser = entry)]
        after: Option<(Month, u32)>,
        /// Rows at most, 1 to 1000.
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = rows)]
        #[serde(deserialize_with = "rows_of_order")]
        limit: usize,
    },
}
