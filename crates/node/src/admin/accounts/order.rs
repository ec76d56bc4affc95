//! Account commands, the same on the command line and the socket.

mod accounts;
mod money;
mod value;

use clap::Subcommand;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use self::accounts::{
    AccountCommand, ApiKeyCommand, AuditCommand, TierCommand, UsageCommand,
};
pub(crate) use self::money::{
    AgreementCommand, EntryArgs, IntegratorCommand, InvoiceCommand, InvoicePrint, LedgerCommand,
    SubscriptionCommand, SubscriptionOwner, TermsCommand,
};

/// Read-only commands.
const LOOKS: [&str; 7] = ["check", "find", "keyless", "list", "prices", "show", "sub_accounts"];

/// Manage accounts and money.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum OperatorCommand {
    /// Manage accounts.
    #[command(subcommand)]
    Account(AccountCommand),
    /// Manage keys of accounts.
    #[command(subcommand)]
    Key(ApiKeyCommand),
    /// Show tiers, and grant tiers in addition to subscriptions.
    #[command(subcommand)]
    Tier(TierCommand),
    /// Manage subscriptions of wallets and accounts.
    #[command(subcommand)]
    Subscription(SubscriptionCommand),
    /// Manage agreements with enterprises and integrators.
    #[command(subcommand)]
    Agreement(AgreementCommand),
    /// Manage sub-accounts and charges of integrators.
    #[command(subcommand)]
    Integrator(IntegratorCommand),
    /// Manage invoices, payments and credits.
    #[command(subcommand)]
    Invoice(InvoiceCommand),
    /// Show and correct ledger entries.
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Show usage beyond the accounts' own view.
    #[command(subcommand)]
    Usage(UsageCommand),
    /// Show operator actions, and check audit log and ledger for integrity.
    #[command(subcommand)]
    Audit(AuditCommand),
}

impl OperatorCommand {
    /// A change's journal name; `None` for a read-only command.
    pub(crate) fn changes(&self) -> Option<String> {
        let order = serde_json::to_value(self).expect("orders are plain data");
        let (noun, order) = order.as_object()?.iter().next()?;
        let verb = match order {
            Value::String(verb) => verb,
            order => order.as_object()?.keys().next()?,
        };
        (!LOOKS.contains(&verb.as_str())).then(|| format!("{verb}_{noun}"))
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
        order: OperatorCommand,
    }

    fn read(line: &str) -> Result<OperatorCommand, clap::Error> {
        let words = std::iter::once("admin").chain(line.split(' '));
        Line::try_parse_from(words).map(|line| line.order)
    }

    const ACCOUNT: &str = "0123e567-e89b-42d3-a456-426614174000";
    const WALLET: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

    /// What the command line says is what the service reads, word for word.
    #[test]
    fn an_order_survives_the_socket() {
        let pay = format!(
            "subscription pay --wallet {WALLET} --tier builder --usdc 50 --chain 8453 --tx {} \
             --log-index 2 --paid-at 2026-03-01T00:00:00Z",
            Hash::ZERO
        );
        for (line, act) in [
            ("account list --limit 3", None),
            ("account open --wallet WALLET", Some("open_account")),
            ("key create ACCOUNT --label a --chain 1 --route G1 --expires 9", Some("create_key")),
            ("key rotate ACCOUNT ACCOUNT --grace 60", Some("rotate_key")),
            ("key find", None),
            ("tier grant ACCOUNT protocol --limit 7 --grid G2", Some("grant_tier")),
            ("tier list", None),
            (&pay, Some("pay_subscription")),
            ("subscription revoke --account ACCOUNT", Some("revoke_subscription")),
            ("subscription list --after WALLET --limit 3", None),
            (
                "agreement set ACCOUNT --from 2026-02 enterprise --limit 5 --monthly-fee 2000 --million-tokens 4",
                Some("set_agreement"),
            ),
            (
                "agreement set ACCOUNT integrator --fee 99 --every yearly --from 2026-02",
                Some("set_agreement"),
            ),
            ("agreement end ACCOUNT --last 2027-01", Some("end_agreement")),
            ("agreement show ACCOUNT --month 2027-01", None),
            ("integrator sub-accounts ACCOUNT", None),
            ("integrator open ACCOUNT --label customer", Some("open_integrator")),
            ("invoice show ACCOUNT 2026-02 --form csv", None),
            ("invoice credit ACCOUNT --usdc 1.5 --reference r", Some("credit_invoice")),
            ("invoice paid-out ACCOUNT --usdc 1.5 --reference r", Some("paid_out_invoice")),
            ("invoice confirm-over 2026-02", Some("confirm_over_invoice")),
            ("ledger list --account ACCOUNT --after 2026-02/7", None),
            ("ledger take-back --account ACCOUNT 2026-02/7", Some("take_back_ledger")),
            ("ledger prices", None),
            ("usage keyless", None),
            ("audit check", None),
        ] {
            let line = line.replace("ACCOUNT", ACCOUNT).replace("WALLET", WALLET);
            let order = read(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(order.changes().as_deref(), act, "{line}");
            let sent = serde_json::to_string(&order).unwrap();
            let got: OperatorCommand = serde_json::from_str(&sent).unwrap();
            assert_eq!(format!("{got:?}"), format!("{order:?}"));
        }
        let more = format!(r#"{{"account":{{"close":{{"account":"{ACCOUNT}","force":true}}}}}}"#);
        assert!(
            serde_json::from_str::<OperatorCommand>(&more).is_err(),
            "unknown members are refused"
        );
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
        assert!(time("tomorrow").is_err() && time("-3").is_err());
        assert!(read("subscription show").is_err(), "nobody is named");
        assert!(read(&format!("subscription show --wallet {WALLET} --account {ACCOUNT}")).is_err());
        let nobody: SubscriptionOwner = serde_json::from_str("{}").unwrap();
        assert!(nobody.payer().is_err());
        assert!(read("account open --wallet 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD").is_err());
        for (rows, is_read) in [("1", true), ("1000", true), ("0", false), ("1001", false)] {
            assert_eq!(read(&format!("account list --limit {rows}")).is_ok(), is_read, "{rows}");
        }
    }

    /// A key is confined to chains by the names that HTTP takes, one each or several between commas.
    #[test]
    fn chains_of_a_key_have_names_and_lists() {
        let chains = |line: &str| match read(&format!("key create {ACCOUNT} {line}"))? {
            OperatorCommand::Key(ApiKeyCommand::Create { chains, .. }) => {
                Ok::<_, clap::Error>(chains.iter().map(|chain| chain.0).collect::<Vec<_>>())
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(chains("--chain eip155:10,base --chain 1").unwrap(), [10, 8_453, 1]);
        assert_eq!(chains("--chain 987654321").unwrap(), [987_654_321], "a service may know more");
        let refused = chains("--chain ethereun").unwrap_err().to_string();
        assert!(refused.contains("no such chain"), "{refused}");
        assert!(chains("--chain 1,").is_err());
    }
}
