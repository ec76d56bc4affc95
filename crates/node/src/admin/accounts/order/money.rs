//! Commands on money: subscriptions, agreements, invoices and balances.

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use superroot_account::{AccountId, Grid, Label, Month, Payer, Tier};
use superroot_billing::Interval;
use superroot_types::{Address, ChainId, Hash, UnixSeconds};

use super::accounts::ListPage;
use super::value::{
    chain, entry, grid, interval, label, payer, rows, rows_of_order, time, usdc, wallet,
};

/// Subscription owner.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
#[group(required = true, multiple = false)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubscriptionOwner {
    /// Wallet with the subscription. The account that proved the wallet last gets the tier.
    #[arg(long, value_name = "ADDRESS", value_parser = wallet)]
    wallet: Option<Address>,
    /// Account with its own subscription.
    #[arg(long, value_name = "ID")]
    account: Option<AccountId>,
}

impl SubscriptionOwner {
    pub(crate) fn payer(&self) -> anyhow::Result<Payer> {
        match (self.wallet, self.account) {
            (Some(wallet), None) => Ok(Payer::Wallet(wallet)),
            (None, Some(account)) => Ok(Payer::Account(account)),
            _ => anyhow::bail!("expected either a wallet or an account"),
        }
    }
}

/// Subscription commands.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum SubscriptionCommand {
    /// List subscriptions, wallets first.
    List {
        /// Start after this wallet or account.
        #[arg(long, value_name = "ADDRESS|ID", value_parser = payer)]
        after: Option<Payer>,
        /// Most rows, 1 to 1000.
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = rows)]
        #[serde(deserialize_with = "rows_of_order")]
        limit: usize,
    },
    /// Show one subscription with every step.
    Show {
        /// Subscription owner.
        #[command(flatten)]
        of: SubscriptionOwner,
    },
    /// Enter a payment seen on a chain, in a final block: thirty days of a tier for exactly the tier's price. A payment
    /// counts once, however often entered.
    Pay {
        /// Wallet with the subscription.
        #[arg(long, value_name = "ADDRESS", value_parser = wallet)]
        wallet: Address,
        /// Paid tier.
        #[arg(long)]
        tier: Tier,
        /// Amount in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        usdc: u64,
        /// Chain, by id or name.
        #[arg(long, value_name = "CHAIN", value_parser = chain)]
        chain: ChainId,
        /// Transaction hash.
        #[arg(long, value_name = "HASH")]
        tx: Hash,
        /// Position of the log in the receipt.
        #[arg(long, value_name = "N")]
        log_index: u32,
        /// Block time.
        #[arg(long, value_name = "TIME", value_parser = time)]
        paid_at: UnixSeconds,
    },
    /// Grant periods of thirty days free of charge.
    Grant {
        /// Subscription owner.
        #[command(flatten)]
        of: SubscriptionOwner,
        /// Tier.
        #[arg(long)]
        tier: Tier,
        /// Number of periods.
        #[arg(long, value_name = "N", default_value_t = 1)]
        periods: u16,
    },
    /// Note a partial refund. The time bought stays.
    Refund {
        /// Subscription owner.
        #[command(flatten)]
        of: SubscriptionOwner,
        /// Amount in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        usdc: u64,
    },
    /// Revoke a subscription. Its time keeps running.
    Revoke {
        /// Subscription owner.
        #[command(flatten)]
        of: SubscriptionOwner,
    },
    /// Reinstate a subscription with the time left.
    Reinstate {
        /// Subscription owner.
        #[command(flatten)]
        of: SubscriptionOwner,
    },
}

/// Agreement commands.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum AgreementCommand {
    /// Set the terms of an account from the first second of a month on, until later terms or the end.
    ///
    /// Terms with the same first month are replaced. The first month is the current month or later.
    Set {
        /// Account.
        account: AccountId,
        /// First month. Default: current month.
        #[arg(long, global = true, value_name = "MONTH")]
        from: Option<Month>,
        /// Agreed terms.
        #[command(subcommand)]
        terms: TermsCommand,
    },
    /// End the terms in force after a month. An unused part of a yearly fee needs a credit by an operator.
    End {
        /// Account.
        account: AccountId,
        /// Last month: the month before the current one, or later.
        #[arg(long, value_name = "MONTH")]
        last: Month,
    },
    /// Show the terms in force with an account, and future and past ones; also a month's measured availability, the
    /// credit for what is missing to the promise, and an integrator's part of charges.
    Show {
        /// Account.
        account: AccountId,
        /// Month. Default: current month.
        #[arg(long)]
        month: Option<Month>,
    },
}

/// Agreed terms.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum TermsCommand {
    /// Individual limit, grids, fee and prices.
    Enterprise {
        /// Requests per minute.
        #[arg(long, value_name = "N")]
        limit: u32,
        /// Open grid; may be repeated. Default: all.
        #[arg(long = "grid", value_name = "GRID", value_parser = grid)]
        grids: Vec<Grid>,
        /// Monthly fee in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        monthly_fee: u64,
        /// Price per million billing tokens, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        million_tokens: u64,
        /// Free billing tokens per month.
        #[arg(long, value_name = "N", default_value_t = 0)]
        free_tokens: u64,
        /// Promised availability in millionths: 999000 is 99.9%.
        #[arg(long, value_name = "MILLIONTHS")]
        availability: Option<u32>,
    },
    /// Reseller with sub-accounts, whose usage is in the fee.
    Integrator {
        /// Payment interval.
        #[arg(long, value_name = "month|year", default_value = "month", value_parser = interval)]
        every: Interval,
        /// Fee in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        fee: u64,
        /// Tier that determines the routes.
        #[arg(long, default_value = "builder")]
        tier: Tier,
    },
}

/// Integrator commands.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum IntegratorCommand {
    /// Open a sub-account, and show the first key once.
    Open {
        /// Integrator account.
        account: AccountId,
        /// Label of the sub-account and the first key.
        #[arg(long, value_name = "TEXT", value_parser = label)]
        label: Option<Label>,
    },
    /// List sub-accounts.
    SubAccounts {
        /// Integrator account.
        account: AccountId,
        /// The list's start.
        #[command(flatten)]
        page: ListPage,
    },
    /// Enter an integrator's charge to a sub-account in the current month: the sub-account owes the charge and finds it
    /// on the invoice, and the integrator is owed the integrator's part.
    Charge {
        /// Integrator account.
        account: AccountId,
        /// Sub-account.
        sub_account: AccountId,
        /// Amount in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        usdc: u64,
        /// Unique reference: a repeated entry counts once.
        #[arg(long, value_name = "TEXT")]
        reference: String,
    },
}

/// Invoice commands.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum InvoiceCommand {
    /// List an account's invoices, newest month first.
    List {
        /// Account.
        account: AccountId,
        /// Start before this month.
        #[arg(long, value_name = "MONTH")]
        before: Option<Month>,
        /// Most rows, 1 to 1000.
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = rows)]
        #[serde(deserialize_with = "rows_of_order")]
        limit: usize,
    },
    /// Show a month's bill: the invoice of a closed month, else a draft.
    Show {
        /// Account.
        account: AccountId,
        /// Month. Default: current month.
        month: Option<Month>,
        /// Output format.
        #[arg(long, value_enum, default_value = "lines")]
        form: InvoicePrint,
    },
    /// Close an account's past month, and all earlier open months. The service does this by itself an hour after the
    /// end of the month.
    Close {
        /// Account.
        account: AccountId,
        /// Month.
        month: Month,
    },
    /// Confirm the end of a month for all accounts if no chain's blocks show the end. Otherwise a month is closed when
    /// more than half of the chains have later final blocks.
    ConfirmOver {
        /// Month; all earlier months are over too.
        month: Month,
    },
    /// Enter a full or partial payment by an account, for what the account owes.
    Paid(EntryArgs),
    /// Enter a full or partial payout to an account; at most what the service owes.
    PaidOut(EntryArgs),
    /// Enter a credit for an account: a credit note on the current month's invoice, with --why in print.
    Credit(EntryArgs),
}

/// Entry by an operator.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntryArgs {
    /// Account.
    pub(crate) account: AccountId,
    /// Amount in USDC.
    #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
    pub(crate) usdc: u64,
    /// Unique reference: a repeated entry counts once.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reference: String,
}

/// Invoice output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum InvoicePrint {
    /// Table.
    Lines,
    /// CSV (RFC 4180).
    Csv,
    /// Printable HTML page.
    Html,
}

/// Journal commands.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum LedgerCommand {
    /// Take back a mistaken payment, payout or credit in full, by an opposite entry in the current month. Enter the right one
    /// under another reference.
    TakeBack {
        /// Account.
        #[arg(long, value_name = "ID")]
        account: AccountId,
        /// Entry, such as 2026-02/17.
        #[arg(value_name = "ENTRY", value_parser = entry)]
        entry: (Month, u32),
    },
    /// List past and present price lists, newest first. A month is billed by the list in force at the start of the
    /// month.
    Prices {
        /// Most rows, 1 to 1000.
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = rows)]
        #[serde(deserialize_with = "rows_of_order")]
        limit: usize,
    },
    /// List an account's money movements, oldest month first, and their sum.
    List {
        /// Account.
        #[arg(long, value_name = "ID")]
        account: AccountId,
        /// Start after this entry, such as 2026-02/17.
        #[arg(long, value_name = "ENTRY", value_parser = entry)]
        after: Option<(Month, u32)>,
        /// Most rows, 1 to 1000.
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = rows)]
        #[serde(deserialize_with = "rows_of_order")]
        limit: usize,
    },
}
