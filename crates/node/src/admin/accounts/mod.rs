//! Operator actions on accounts: command in, result out. The running service executes commands from the socket, the
//! command line on a free folder, with the same code.

mod agreements;
mod invoices;
pub(crate) mod order;
mod shown;
mod subscriptions;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use superroot_account::usage::UsageSubject;
use superroot_account::{
    AccountId, AccountService, Actor, Grant, Month, NewKey, Operator, Scope, Tier, label_of,
};
use superroot_billing::BillingLedger;

use self::order::{
    AccountCommand, ApiKeyCommand, AuditCommand, OperatorCommand, TierCommand, UsageCommand,
};
use super::{ActionJournal, ActionOutcome, CommandRequest, SocketPeer, WHY_CHARS_MAX};

/// Most characters of an operator name. The system's user is added.
pub(crate) const NAME_CHARS_MAX: usize = 32;

/// Most routes listed for keyless callers.
const TOP_ROUTES: usize = 10;

/// Body of `POST /v1/accounts`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AccountRequest {
    pub(crate) order: OperatorCommand,
    /// Operator name, as stated.
    pub(crate) name: String,
    /// Reason; required for changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
}

struct OperatorApi<'a> {
    service: &'a AccountService,
    billing: &'a BillingLedger,
    operator: &'a Operator,
}

/// Executes an account command, and returns the result as JSON.
fn perform(
    billing: &BillingLedger,
    order: &OperatorCommand,
    operator: &Operator,
) -> anyhow::Result<Value> {
    let operator = OperatorApi { service: billing.accounts(), billing, operator };
    match order {
        OperatorCommand::Account(order) => operator.account(order),
        OperatorCommand::Key(order) => operator.key(order),
        OperatorCommand::Tier(order) => operator.tier(order),
        OperatorCommand::Subscription(order) => operator.subscription(order),
        OperatorCommand::Agreement(order) => operator.agreement(order),
        OperatorCommand::Integrator(order) => operator.integrator(order),
        OperatorCommand::Invoice(order) => operator.invoice(order),
        OperatorCommand::Ledger(order) => operator.ledger(order),
        OperatorCommand::Usage(order) => operator.usage(order),
        OperatorCommand::Audit(order) => operator.audit(order),
    }
}

/// Executes an account command, with journal lines before and after a change. The second line has the number and hash
/// of the newest audit act, to be kept outside the audit log. Without a writable journal nothing changes, nor without a
/// valid name and reason.
pub(crate) fn perform_noted(
    billing: &BillingLedger,
    journal: &ActionJournal,
    asked: &AccountRequest,
    who: &SocketPeer,
) -> anyhow::Result<Value> {
    let act = asked.order.changes();
    let operator = operator(asked, act.as_deref(), who)?;
    let Some(act) = act else { return perform(billing, &asked.order, &operator) };
    let request = CommandRequest { why: asked.why.clone(), ..CommandRequest::default() };
    let begun = journal.begin(&act, &request, who)?;
    let done = perform(billing, &asked.order, &operator);
    match &done {
        Ok(_) => {
            let (acts, head) = billing.accounts().accounts().acts_head()?;
            tracing::info!("{act} done, {acts} acts in the audit log, newest {head}");
            journal.end(&begun, ActionOutcome::Done, Some(&format!("audit {acts} {head}")));
        }
        Err(error) => journal.end(&begun, ActionOutcome::Failed, Some(&format!("{error:#}"))),
    }
    done
}

/// Operator: the stated name and the system's user.
fn operator(
    asked: &AccountRequest,
    act: Option<&str>,
    who: &SocketPeer,
) -> anyhow::Result<Operator> {
    let name = asked.name.trim();
    if name.is_empty() || name.chars().count() > NAME_CHARS_MAX {
        anyhow::bail!("the operator's name must have 1 to {NAME_CHARS_MAX} characters");
    }
    let uid = who.uid.map_or_else(|| "unknown".to_owned(), |uid| uid.to_string());
    if asked.why.as_ref().is_some_and(|why| why.chars().count() > WHY_CHARS_MAX) {
        anyhow::bail!("why is longer than {WHY_CHARS_MAX} characters");
    }
    let why = match (act, &asked.why) {
        (_, Some(why)) => why.clone(),
        (None, None) => "to look".to_owned(), // never written down
        (Some(act), None) => anyhow::bail!("why is missing: {act} is written into the audit log"),
    };
    Ok(Operator { who: format!("{name} (uid {uid})"), why })
}

impl OperatorApi<'_> {
    fn account(&self, order: &AccountCommand) -> anyhow::Result<Value> {
        let accounts = self.service.accounts();
        Ok(match order {
            AccountCommand::List(page) => {
                let held = accounts.accounts(page.after, page.limit)?;
                json!({ "accounts": held.iter().map(shown::account).collect::<Vec<_>>() })
            }
            AccountCommand::Show { account } => self.whole_account(*account)?,
            AccountCommand::Open { wallet } => {
                let (_, issued) = accounts.open_account(self.operator, *wallet)?;
                shown::issued(&issued)
            }
            AccountCommand::Close { account } => {
                shown::account(&accounts.close_account(self.operator, *account)?)
            }
            AccountCommand::Reopen { account } => {
                shown::account(&accounts.reopen_account(self.operator, *account)?)
            }
        })
    }

    fn whole_account(&self, id: AccountId) -> anyhow::Result<Value> {
        let (service, accounts) = (self.service, self.service.accounts());
        let mut whole = shown::account(&accounts.account(id)?);
        let totals = service.usage().totals(id, service.now())?;
        let month = self.this_month()?;
        let agreement = self.billing.agreement_in(id, month)?;
        let links = accounts.wallets(id)?;
        whole["has"] = shown::rights(&accounts.rights(id)?);
        whole["owes_usdc"] = shown::usdc(self.billing.owes_usdc_e6(id)?);
        whole["usage"] = json!({
            "requests_today": totals.requests_today,
            "requests_this_month": totals.requests_this_month,
            "tokens_this_month": totals.tokens_this_month,
        });
        whole["paid_usdc"] = shown::usdc(self.billing.paid_usdc_e6(id)?);
        whole["agreement"] = agreement.as_ref().map_or(Value::Null, shown::agreement);
        whole["wallets"] = links.iter().map(shown::link).collect();
        Ok(whole)
    }

    fn key(&self, order: &ApiKeyCommand) -> anyhow::Result<Value> {
        let accounts = self.service.accounts();
        let actor = Actor::Operator(self.operator);
        let now = accounts.now();
        Ok(match order {
            ApiKeyCommand::List { account } => {
                let keys = accounts.keys(*account)?;
                json!({ "keys": keys.iter().map(|key| shown::key(key, now)).collect::<Vec<_>>() })
            }
            ApiKeyCommand::Create { account, label, chains, routes, expires } => {
                let scope = Scope {
                    chains: (!chains.is_empty()).then(|| chains.iter().copied().collect()),
                    routes: (!routes.is_empty()).then(|| routes.iter().cloned().collect()),
                };
                let new = NewKey { label: label.clone(), scope, expires_at: *expires };
                shown::issued(&accounts.create_key(actor, *account, &new)?)
            }
            ApiKeyCommand::Revoke { account, key } => {
                shown::key(&accounts.revoke_key(actor, *account, *key)?, now)
            }
            ApiKeyCommand::Rotate { account, key, grace } => {
                shown::issued(&accounts.rotate_key(actor, *account, *key, *grace)?)
            }
            ApiKeyCommand::Find { text } => shown::key(&accounts.find_key(text.trim())?, now),
        })
    }

    fn tier(&self, order: &TierCommand) -> anyhow::Result<Value> {
        let accounts = self.service.accounts();
        let grant = |account, grant: Option<&Grant>| -> anyhow::Result<Value> {
            Ok(shown::account(&accounts.grant(self.operator, account, grant)?))
        };
        match order {
            TierCommand::List => {
                let tiers = Tier::ALL.map(|tier| shown::tier(tier, self.service.plans()));
                Ok(json!({ "tiers": tiers }))
            }
            TierCommand::Grant { account, tier, limit, grids, until } => {
                let grids = (!grids.is_empty()).then(|| grids.iter().copied().collect());
                if let Some(until) = until.filter(|until| *until <= accounts.now()) {
                    bail!("--until: {} is over, it would grant nothing", until.iso_8601());
                }
                let given = Grant { tier: *tier, limit_per_minute: *limit, grids, until: *until };
                grant(*account, Some(&given))
            }
            TierCommand::Withdraw { account } => grant(*account, None),
        }
    }

    fn usage(&self, order: &UsageCommand) -> anyhow::Result<Value> {
        let UsageCommand::Keyless = order;
        let usage = self.service.usage();
        let routes = self.service.config().routes;
        let totals = usage.totals(UsageSubject::Keyless, self.service.now())?;
        let top = usage.top_routes(UsageSubject::Keyless, self.this_month()?, TOP_ROUTES)?;
        let top = top.iter().map(
            |used| json!({ "endpoint": label_of(routes, used.route), "requests": used.requests }),
        );
        Ok(json!({
            "requests_today": totals.requests_today,
            "requests_this_month": totals.requests_this_month,
            "top_endpoints": top.collect::<Vec<_>>(),
        }))
    }

    fn audit(&self, order: &AuditCommand) -> anyhow::Result<Value> {
        let accounts = self.service.accounts();
        Ok(match order {
            AuditCommand::List { from, limit } => {
                let acts = accounts.acts(*from, *limit)?;
                json!({ "acts": acts.iter().map(shown::act).collect::<Vec<_>>() })
            }
            AuditCommand::Check => {
                let (acts, head) = accounts.check_acts()?;
                let entries = self.billing.check()?;
                json!({ "acts": acts, "head": head, "ledger_entries": entries, "is_whole": true })
            }
        })
    }

    fn this_month(&self) -> anyhow::Result<Month> {
        Month::of(self.service.now()).context("the clock")
    }
}

#[cfg(test)]
mod tests;
