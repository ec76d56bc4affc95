//! What an operator can ask about accounts: the same words on the command line and on the socket.

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use superroot_account::{
    AccountId, Grid, Interval, KeyId, Label, Month, RoutePattern, Subscriber, Tier, parse_wallet,
};
use superroot_types::{Address, ChainId, Hash, UnixSeconds};

use super::ledger::LedgerOrder;
use super::usage::UsageOrder;

/// An order about accounts.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Order {
    /// Accounts: who asks.
    #[command(subcommand)]
    Account(AccountOrder),
    /// Keys of accounts.
    #[command(subcommand)]
    Key(KeyOrder),
    /// Tiers, and what is granted beside subscriptions.
    #[command(subcommand)]
    Tier(TierOrder),
    /// Subscriptions of wallets and accounts.
    #[command(subcommand)]
    Subscription(SubscriptionOrder),
    /// Agreements with enterprises.
    #[command(subcommand)]
    Enterprise(EnterpriseOrder),
    /// Agreements with integrators, their sub-accounts and charges.
    #[command(subcommand)]
    Integrator(IntegratorOrder),
    /// Invoices, credit notes, what is owed.
    #[command(subcommand)]
    Invoice(InvoiceOrder),
    /// Entries of the ledger.
    #[command(subcommand)]
    Ledger(LedgerOrder),
    /// What was used, beyond what accounts see of themselves.
    #[command(subcommand)]
    Usage(UsageOrder),
    /// What operators did, and whether log and ledger are whole.
    #[command(subcommand)]
    Audit(AuditOrder),
}

/// Where a listing begins, and how long it is.
#[derive(Clone, Copy, Debug, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Page {
    /// Begins behind this account.
    #[arg(long, value_name = "ACCOUNT")]
    pub(crate) after: Option<AccountId>,
    /// Rows at most; 1000 are the most.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) limit: usize,
}

/// Orders about accounts.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum AccountOrder {
    /// Lists accounts, in order of their ids.
    List(Page),
    /// Everything about one account but its keys.
    Show {
        /// The account.
        account: AccountId,
    },
    /// Opens an account, and shows its first key once.
    Open {
        /// A wallet that it claims.
        #[arg(long, value_name = "ADDRESS", value_parser = wallet)]
        wallet: Option<Address>,
    },
    /// Closes an account: its keys are refused everywhere in under a second.
    Close {
        /// The account.
        account: AccountId,
    },
    /// Opens a closed account again.
    Reopen {
        /// The account.
        account: AccountId,
    },
}

/// Orders about keys.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum KeyOrder {
    /// Lists the keys of an account, the newest first.
    List {
        /// The account.
        account: AccountId,
    },
    /// Makes a key, and shows it once.
    Create {
        /// The account.
        account: AccountId,
        /// What it is called.
        #[arg(long, value_name = "TEXT", value_parser = label)]
        label: Option<Label>,
        /// A chain that it may ask about; may be given several times. Every chain otherwise.
        #[arg(long = "chain", value_name = "ID", value_parser = chain)]
        chains: Vec<ChainId>,
        /// A route that it may ask (`G1`, `/finality/:chain_id`, `/v5/proof/*`); may be given several
        /// times. Every route otherwise.
        #[arg(long = "route", value_name = "PATTERN")]
        routes: Vec<RoutePattern>,
        /// When it ends.
        #[arg(long, value_name = "TIME", value_parser = time)]
        expires: Option<UnixSeconds>,
    },
    /// Revokes a key: refused everywhere in under a second.
    Revoke {
        /// The account.
        account: AccountId,
        /// The key's id.
        key: KeyId,
    },
    /// Puts a new key in the place of one, and shows it once.
    Rotate {
        /// The account.
        account: AccountId,
        /// The key's id.
        key: KeyId,
        /// How long the old one is still served, in seconds.
        #[arg(long, value_name = "SECONDS", default_value_t = 0)]
        grace: u64,
    },
    /// Whose key it is that comes on standard input, in force or not: for one that leaked.
    Find {
        /// The key itself; the command line has no flag for it, since others can read those.
        #[arg(skip)]
        text: String,
    },
}

/// Orders about tiers.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum TierOrder {
    /// What each tier gives and costs.
    List,
    /// Gives an account a tier beside its subscription.
    Grant {
        /// The account.
        account: AccountId,
        /// The tier.
        tier: Tier,
        /// Requests a minute, where other than the tier's.
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
        /// A grid that is open, where other than the tier's; may be given several times.
        #[arg(long = "grid", value_name = "GRID", value_parser = grid)]
        grids: Vec<Grid>,
        /// When it ends; for good otherwise.
        #[arg(long, value_name = "TIME", value_parser = time)]
        until: Option<UnixSeconds>,
    },
    /// Takes back what was granted.
    Withdraw {
        /// The account.
        account: AccountId,
    },
}

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
    pub(crate) fn subscriber(&self) -> anyhow::Result<Subscriber> {
        match (self.wallet, self.account) {
            (Some(wallet), None) => Ok(Subscriber::Wallet(wallet)),
            (None, Some(account)) => Ok(Subscriber::Account(account)),
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
        /// Rows at most; 1000 are the most.
        #[arg(long, value_name = "N", default_value_t = 100)]
        limit: usize,
    },
    /// One subscription with every step it took.
    Show {
        /// Whose.
        #[command(flatten)]
        of: Of,
    },
    /// Enters a payment that was seen on a chain, in a final block; once, however often it is entered.
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
        /// The chain's id.
        #[arg(long, value_name = "ID", value_parser = chain)]
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
    /// To another tier now, paid by credit and the unused part of what was paid.
    Change {
        /// Whose.
        #[command(flatten)]
        of: Of,
        /// The tier.
        #[arg(long)]
        tier: Tier,
    },
    /// Ends it now: the unused part of what was paid becomes credit.
    Release {
        /// Whose.
        #[command(flatten)]
        of: Of,
    },
    /// Notes that credit was paid back.
    Refund {
        /// Whose.
        #[command(flatten)]
        of: Of,
        /// How much, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        usdc: u64,
    },
    /// Takes it away; the time left is kept.
    Revoke {
        /// Whose.
        #[command(flatten)]
        of: Of,
    },
    /// Gives it back, with the time that was left.
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
    /// Enters an agreement. The one there is, of whatever model, ends: months from the first of this
    /// one on are billed by this one alone, months before it must be closed, and the answer says what
    /// was replaced. Limit and grids are in force at once; fee and prices from the first month.
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
    /// The agreement with an account.
    Show {
        /// The account.
        account: AccountId,
    },
}

/// How often an integrator pays, as a word.
#[derive(Clone, Copy, Debug, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Every {
    /// Each month.
    #[value(alias = "monthly")]
    Month,
    /// Each year.
    #[value(alias = "yearly")]
    Year,
}

impl From<Every> for Interval {
    fn from(every: Every) -> Self {
        match every {
            Every::Month => Self::Monthly,
            Every::Year => Self::Yearly,
        }
    }
}

/// Orders about integrators.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum IntegratorOrder {
    /// Enters an agreement. The one there is, of whatever model, ends: months from the first of this
    /// one on are billed by this one alone, months before it must be closed, and the answer says what
    /// was replaced. Sub-accounts stay. Its limit is in force at once, the fee from the first month.
    Agree {
        /// The account.
        account: AccountId,
        /// How often it pays.
        #[arg(long, value_enum, default_value = "month")]
        every: Every,
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
    /// The agreement with an account, what it charged in a month, and the availability measured.
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
    /// Lists invoices and credit notes of an account, newest month first.
    List {
        /// The account.
        account: AccountId,
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
    /// Closes a month of an account that is over, with everything up to its end that is on no closed
    /// invoice yet. The service does this by itself an hour after its end.
    Close {
        /// The account.
        account: AccountId,
        /// The month.
        month: Month,
    },
    /// Takes back a part of a closed invoice by a credit note; --why is printed on it. What an
    /// integrator charged a sub-account is taken back on the sub-account's; the integrator keeps its
    /// part.
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

/// Orders about the log of acts.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum AuditOrder {
    /// Lists what operators did, oldest first.
    List {
        /// The first, by its number.
        #[arg(long, value_name = "N", default_value_t = 0)]
        from: u64,
        /// Rows at most; 1000 are the most.
        #[arg(long, value_name = "N", default_value_t = 100)]
        limit: usize,
    },
    /// Reads the log of acts and the ledger whole and checks that nothing was changed or removed.
    Check,
}

impl Order {
    /// What it is called in the journal, where it changes something; `None` for one that only looks.
    pub(crate) const fn changes(&self) -> Option<&'static str> {
        match self {
            Self::Account(order) => match order {
                AccountOrder::List(_) | AccountOrder::Show { .. } => None,
                AccountOrder::Open { .. } => Some("open_account"),
                AccountOrder::Close { .. } => Some("close_account"),
                AccountOrder::Reopen { .. } => Some("reopen_account"),
            },
            Self::Key(order) => match order {
                KeyOrder::List { .. } | KeyOrder::Find { .. } => None,
                KeyOrder::Create { .. } => Some("create_key"),
                KeyOrder::Revoke { .. } => Some("revoke_key"),
                KeyOrder::Rotate { .. } => Some("rotate_key"),
            },
            Self::Tier(order) => match order {
                TierOrder::List => None,
                TierOrder::Grant { .. } => Some("grant"),
                TierOrder::Withdraw { .. } => Some("withdraw"),
            },
            Self::Subscription(order) => match order {
                SubscriptionOrder::List { .. } | SubscriptionOrder::Show { .. } => None,
                SubscriptionOrder::Pay { .. } => Some("enter_payment"),
                SubscriptionOrder::Grant { .. } => Some("grant_periods"),
                SubscriptionOrder::Change { .. } => Some("change_tier"),
                SubscriptionOrder::Release { .. } => Some("release"),
                SubscriptionOrder::Refund { .. } => Some("refund"),
                SubscriptionOrder::Revoke { .. } => Some("revoke_subscription"),
                SubscriptionOrder::Reinstate { .. } => Some("reinstate_subscription"),
            },
            Self::Enterprise(order) => match order {
                EnterpriseOrder::Agree { .. } => Some("agree_enterprise"),
                EnterpriseOrder::Show { .. } => None,
            },
            Self::Integrator(order) => match order {
                IntegratorOrder::Agree { .. } => Some("agree_integrator"),
                IntegratorOrder::Open { .. } => Some("open_sub_account"),
                IntegratorOrder::Charge { .. } => Some("charge"),
                IntegratorOrder::Show { .. } | IntegratorOrder::SubAccounts { .. } => None,
            },
            Self::Invoice(order) => match order {
                InvoiceOrder::List { .. } | InvoiceOrder::Show { .. } => None,
                InvoiceOrder::Close { .. } => Some("close_month"),
                InvoiceOrder::Correct { .. } => Some("correct_invoice"),
                InvoiceOrder::Paid { .. } => Some("enter_receipt"),
            },
            Self::Ledger(_) | Self::Usage(_) | Self::Audit(_) => None,
        }
    }
}

pub(super) fn wallet(text: &str) -> Result<Address, String> {
    parse_wallet(text).map_err(|error| error.to_string())
}

fn label(text: &str) -> Result<Label, String> {
    Label::try_from(text.to_owned()).map_err(|error| error.to_string())
}

fn chain(text: &str) -> Result<ChainId, String> {
    text.parse().map(ChainId).map_err(|_| "expected a chain id, a number".to_owned())
}

fn grid(text: &str) -> Result<Grid, String> {
    let found = Grid::ALL.into_iter().find(|grid| format!("{grid:?}") == text);
    found.ok_or_else(|| "expected G1 to G5".to_owned())
}

/// Unix seconds, or a time in UTC such as `2026-03-01T00:00:00Z`.
pub(super) fn time(text: &str) -> Result<UnixSeconds, String> {
    if let Ok(seconds) = text.parse() {
        return Ok(UnixSeconds(seconds));
    }
    let time = humantime::parse_rfc3339_weak(text).ok();
    let since = time.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    since
        .map(|since| UnixSeconds(since.as_secs()))
        .ok_or_else(|| "expected Unix seconds, or a time such as 2026-03-01T00:00:00Z".to_owned())
}

/// An amount of USDC with at most six decimals, in millionths.
fn usdc(text: &str) -> Result<u64, String> {
    let refused = || format!("{text:?} is no amount, expected one such as 50 or 12.5");
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_digits(whole) || !is_digits(part) || part.len() > 6 {
        return Err(refused());
    }
    let whole: u64 = whole.parse().map_err(|_| refused())?;
    let part: u64 = format!("{part:0<6}").parse().map_err(|_| refused())?;
    whole.checked_mul(1_000_000).and_then(|whole| whole.checked_add(part)).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(subcommand)]
        order: Order,
    }

    fn read(line: &str) -> Result<Order, clap::Error> {
        let words = std::iter::once("admin").chain(line.split(' '));
        Line::try_parse_from(words).map(|line| line.order)
    }

    const ACCOUNT: &str = "0123e567-e89b-42d3-a456-426614174000";

    /// What the command line says is what the service reads, word for word.
    #[test]
    fn an_order_survives_the_socket() {
        let tx = Hash::ZERO;
        let wallet = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
        for (line, is_change) in [
            ("account list --limit 3", false),
            (&format!("account open --wallet {wallet}"), true),
            (&format!("key create {ACCOUNT} --label a --chain 1 --route G1 --expires 9"), true),
            (&format!("key rotate {ACCOUNT} {ACCOUNT} --grace 60"), true),
            ("key find", false),
            (&format!("tier grant {ACCOUNT} protocol --limit 7 --grid G2"), true),
            ("tier list", false),
            (
                &format!(
                    "subscription pay --wallet {wallet} --tier builder --usdc 50 --chain 8453 \
                     --tx {tx} --log-index 2 --paid-at 2026-03-01T00:00:00Z"
                ),
                true,
            ),
            (&format!("subscription revoke --account {ACCOUNT}"), true),
            (
                &format!(
                    "enterprise agree {ACCOUNT} --limit 50000 --monthly-fee 2000 \
                     --million-tokens 4 --from 2026-02"
                ),
                true,
            ),
            (&format!("integrator agree {ACCOUNT} --fee 99 --every year"), true),
            (&format!("integrator sub-accounts {ACCOUNT}"), false),
            (&format!("invoice show {ACCOUNT} 2026-02 --form csv"), false),
            (&format!("invoice correct {ACCOUNT} 2026-02 --usdc 1.5 --reference r"), true),
            ("audit check", false),
            (&format!("integrator agree {ACCOUNT} --fee 999 --every yearly"), true),
            (&format!("integrator open {ACCOUNT} --label customer"), true),
            (&format!("ledger list --account {ACCOUNT} --from 7"), false),
            (&format!("ledger list --wallet {wallet}"), false),
            ("usage keyless --address 192.0.2.1 --from 2026-03-01T00:00:00Z", false),
        ] {
            let order = read(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(order.changes().is_some(), is_change, "{line}");
            let sent = serde_json::to_string(&order).unwrap();
            let got: Order = serde_json::from_str(&sent).unwrap();
            assert_eq!(format!("{got:?}"), format!("{order:?}"));
        }
        let more = format!(r#"{{"account":{{"close":{{"account":"{ACCOUNT}","force":true}}}}}}"#);
        assert!(serde_json::from_str::<Order>(&more).is_err(), "unknown members are refused");
    }

    #[test]
    fn what_is_no_amount_time_or_subscriber_is_refused() {
        assert_eq!(
            ["50", "12.5", "0.000001", "18446744073709.551615"].map(|text| usdc(text).unwrap()),
            [50_000_000, 12_500_000, 1, u64::MAX]
        );
        for text in ["", "-1", "1.", ".5", "1.0000001", "1e3", "18446744073709.551616", "١"] {
            assert!(usdc(text).is_err(), "{text}");
        }
        assert_eq!(time("1970-01-02T00:00:00Z"), Ok(UnixSeconds(86_400)));
        assert_eq!(time("1970-01-02 00:00:00"), Ok(UnixSeconds(86_400)));
        assert!(time("tomorrow").is_err() && time("-3").is_err());
        assert!(read("subscription show").is_err(), "nobody is named");
        let wallet = format!("0x{}", "1".repeat(40));
        assert!(read(&format!("subscription show --wallet {wallet} --account {ACCOUNT}")).is_err());
        let nobody: Of = serde_json::from_str("{}").unwrap();
        assert!(nobody.subscriber().is_err());
        assert!(read("account open --wallet 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD").is_err());
    }
}
