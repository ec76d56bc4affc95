//! What an operator can ask about accounts: the same words on the command line and on the socket.

mod account;
mod audit;
mod enterprise;
mod integrator;
mod invoice;
mod key;
mod page;
mod subscription;
mod tier;
mod value;

use clap::Subcommand;
use serde::{Deserialize, Serialize};

pub(crate) use self::account::AccountOrder;
pub(crate) use self::audit::AuditOrder;
pub(crate) use self::enterprise::EnterpriseOrder;
pub(crate) use self::integrator::IntegratorOrder;
pub(crate) use self::invoice::{Form, InvoiceOrder};
pub(crate) use self::key::KeyOrder;
pub(crate) use self::page::{Page, Rows};
pub(crate) use self::subscription::{Of, SubscriptionOrder};
pub(crate) use self::tier::TierOrder;
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

impl Order {
    /// What it is called in the journal, where it changes something; `None` for one that only looks.
    pub(crate) const fn changes(&self) -> Option<&'static str> {
        match self {
            Self::Account(order) => order.changes(),
            Self::Key(order) => order.changes(),
            Self::Tier(order) => order.changes(),
            Self::Subscription(order) => order.changes(),
            Self::Enterprise(order) => order.changes(),
            Self::Integrator(order) => order.changes(),
            Self::Invoice(order) => order.changes(),
            Self::Ledger(_) | Self::Usage(_) | Self::Audit(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use superroot_types::{Hash, UnixSeconds};

    use super::value::{time, usdc};
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
            (&format!("key create {ACCOUNT} --chain ethereum,10 --chain bitcoin"), true),
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
            (&format!("integrator end {ACCOUNT} --last 2027-01"), true),
            (&format!("enterprise end {ACCOUNT} --last 2027-01"), true),
            (&format!("integrator sub-accounts {ACCOUNT}"), false),
            (&format!("invoice show {ACCOUNT} 2026-02 --form csv"), false),
            (&format!("invoice correct {ACCOUNT} 2026-02 --usdc 1.5 --reference r"), true),
            ("audit check", false),
            (&format!("integrator agree {ACCOUNT} --fee 999 --every yearly"), true),
            (&format!("integrator open {ACCOUNT} --label customer"), true),
            (&format!("ledger list --account {ACCOUNT} --after 2026-02/7"), false),
            (&format!("subscription list --after {wallet} --limit 3"), false),
            (&format!("invoice refund-availability {ACCOUNT} 2026-02"), true),
            ("usage keyless", false),
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
        assert!(nobody.payer().is_err());
        assert!(read("account open --wallet 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD").is_err());
    }

    /// Nobody gets fewer rows than asked for without being told, nor none for having asked for none.
    #[test]
    fn rows_of_a_listing_are_one_to_a_thousand_on_the_line_and_on_the_socket() {
        for listing in [
            "account list",
            "subscription list",
            "audit list",
            &format!("ledger list --account {ACCOUNT}"),
            &format!("integrator sub-accounts {ACCOUNT}"),
        ] {
            for (rows, sent) in [("1", true), ("1000", true), ("0", false), ("1001", false)] {
                let line = format!("{listing} --limit {rows}");
                assert_eq!(read(&line).is_ok(), sent, "{line}");
            }
            for wrong in ["0", "1001", "-1", "x", "99999999999999999999"] {
                let refused = read(&format!("{listing} --limit={wrong}")).unwrap_err().to_string();
                assert!(refused.contains("1 to 1000") && refused.contains("--limit"), "{refused}");
            }
            let good = serde_json::to_string(&read(&format!("{listing} --limit 7")).unwrap());
            let good = good.unwrap();
            assert!(good.contains(r#""limit":7"#), "{good}");
            for wrong in ["0", "1001"] {
                let sent = good.replace(r#""limit":7"#, &format!(r#""limit":{wrong}"#));
                let refused = serde_json::from_str::<Order>(&sent).unwrap_err().to_string();
                assert!(refused.contains("1 to 1000"), "{refused}");
            }
        }
    }

    /// A key is confined to chains by the names that HTTP takes, one each or several between commas.
    #[test]
    fn chains_of_a_key_have_names_and_lists() {
        let chains = |line: &str| match read(&format!("key create {ACCOUNT} {line}"))? {
            Order::Key(KeyOrder::Create { chains, .. }) => {
                Ok::<_, clap::Error>(chains.iter().map(|chain| chain.0).collect::<Vec<_>>())
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(chains("--chain ethereum").unwrap(), [1]);
        assert_eq!(chains("--chain eip155:10,base --chain 1").unwrap(), [10, 8_453, 1]);
        assert_eq!(chains("--chain 987654321").unwrap(), [987_654_321], "a service may know more");
        let refused = chains("--chain ethereun").unwrap_err().to_string();
        assert!(refused.contains("no such chain"), "{refused}");
        assert!(chains("--chain 1,").is_err());
    }
}
