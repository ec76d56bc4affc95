//! Account rows for operators. Times are ISO 8601 in UTC, amounts are USDC with six decimals. A key's text appears only
//! in the answer that creates the key.

use serde_json::{Value, json};
use superroot_account::{
    Account, CreatedKey, KeyRow, Month, OperatorAction, Payer, PlanTable, Rights,
    SubscriptionStanding, Tier, WalletLink, show_wallet,
};
use superroot_billing::{
    Agreement, AgreementTerms, ChargeLine, JournalEntry, MeasuredMonth, MonthInvoice, PriceList,
    SubscriptionMoney, SubscriptionStep, usdc_text,
};
use superroot_types::UnixSeconds;

pub(super) fn at(time: UnixSeconds) -> Value {
    Value::String(time.iso_8601())
}

fn at_or_none(time: Option<UnixSeconds>) -> Value {
    time.map_or(Value::Null, at)
}

pub(super) fn usdc(usdc_e6: impl Into<i128>) -> Value {
    Value::String(usdc_text(usdc_e6.into()))
}

pub(super) fn account(account: &Account) -> Value {
    let grant = account.grant.as_ref().map(|grant| {
        json!({
            "tier": grant.tier, "limit_per_minute": grant.limit_per_minute, "grids": grant.grids,
            "until": at_or_none(grant.until),
        })
    });
    json!({
        "account": account.id,
        "environment": account.environment,
        "created_at": at(account.created_at),
        "wallet": account.wallet.as_ref().map(show_wallet),
        "parent": account.parent,
        "label": account.label,
        "grant": grant,
        "closed_at": at_or_none(account.closed_at),
    })
}

pub(super) fn rights(rights: &Rights) -> Value {
    let subscription = &rights.subscription;
    json!({
        "tier": rights.tier,
        "limit_per_minute": rights.limit_per_minute,
        "grids": rights.grids,
        "subscription": {
            "status": subscription.status,
            "expires_at": at_or_none(subscription.expires_at),
            "wallet_to_prove": subscription.wallet_to_prove.as_ref().map(show_wallet),
        },
    })
}

pub(super) fn link(link: &WalletLink) -> Value {
    json!({
        "wallet": show_wallet(&link.wallet),
        "claimed_at": at(link.claimed_at),
        "proven_at": at_or_none(link.proven_at),
    })
}

pub(super) fn key(key: &KeyRow, now: UnixSeconds) -> Value {
    json!({
        "key": key.id,
        "account": key.account,
        "key_prefix": key.key_prefix,
        "state": key.state_at(now).name(),
        "label": key.label,
        "chains": key.scope.chains,
        "routes": key.scope.routes,
        "created_at": at(key.created_at),
        "expires_at": at_or_none(key.expires_at),
        "retires_at": at_or_none(key.retires_at),
        "replaced_by": key.replaced_by,
        "revoked_at": at_or_none(key.revoked_at),
    })
}

/// The only place with a key's text.
pub(super) fn issued(issued: &CreatedKey) -> Value {
    let key = &issued.key;
    json!({
        "account": key.account,
        "key": key.id,
        "api_key": issued.secret.expose(),
        "note": "shown once: it cannot be had again",
    })
}

pub(super) fn tier(tier: Tier, plans: &PlanTable) -> Value {
    let plan = plans.tier(tier);
    json!({
        "tier": tier,
        "limit_per_minute": plan.limit_per_minute,
        "price_usdc": plan.price_usdc_e6.map(usdc),
        "grids": plan.grids,
        "keys_max": plan.keys_max,
        "streams_max": plan.streams_max,
        "webhooks_max": plan.webhooks_max,
        "watches_max": plan.watches_max,
        "watch_blocks_max": plan.watch_blocks_max,
    })
}

/// Payer in the form for a list's `--after`.
pub(super) fn payer(payer: &Payer) -> String {
    match payer {
        Payer::Wallet(wallet) => show_wallet(wallet),
        Payer::Account(account) => account.to_string(),
    }
}

fn subscriber(payer: &Payer) -> String {
    match payer {
        Payer::Wallet(wallet) => format!("wallet {}", show_wallet(wallet)),
        Payer::Account(account) => format!("account {account}"),
    }
}

pub(super) fn subscription(
    payer: &Payer,
    held: &SubscriptionMoney,
    standing: &SubscriptionStanding,
) -> Value {
    json!({
        "subscriber": subscriber(payer),
        "status": standing.status,
        "tier": standing.tier,
        "expires_at": at_or_none(standing.expires_at),
        "changes_at": at_or_none(standing.changes_at),
        "paid_usdc": usdc(held.paid_usdc_e6),
        "refunded_usdc": usdc(held.refunded_usdc_e6),
    })
}

/// Subscription step, with the resulting time if any.
pub(super) fn step(step: &SubscriptionStep) -> Value {
    let period = step.period.as_ref().map(
        |period| json!({ "tier": period.tier, "start": at(period.start), "end": at(period.end) }),
    );
    json!({
        "at": at(step.at),
        "act": step.act,
        "by": step.by,
        "period": period,
    })
}

pub(super) fn agreement(agreement: &Agreement) -> Value {
    let mut shown = json!({
        "account": agreement.account,
        "from": agreement.from,
        "entered_at": at(agreement.entered_at),
        "by": agreement.by.who,
        "why": agreement.by.why,
    });
    let terms = match &agreement.terms {
        AgreementTerms::Integrator { interval, fee_usdc_e6, tier } => json!({
            "model": "integrator", "every": interval, "fee_usdc": usdc(*fee_usdc_e6),
            "tier": tier,
        }),
        AgreementTerms::Enterprise {
            limit_per_minute,
            grids,
            monthly_fee_usdc_e6,
            million_tokens_usdc_e6,
            free_tokens_per_month,
            availability_e6,
        } => json!({
            "model": "enterprise", "limit_per_minute": limit_per_minute, "grids": grids,
            "monthly_fee_usdc": usdc(*monthly_fee_usdc_e6),
            "million_tokens_usdc": usdc(*million_tokens_usdc_e6),
            "free_tokens_per_month": free_tokens_per_month,
            "availability_e6": availability_e6,
        }),
        AgreementTerms::Ended => json!({ "model": "none" }),
    };
    if let (Value::Object(shown), Value::Object(terms)) = (&mut shown, terms) {
        shown.extend(terms);
    }
    shown
}

/// Agreement in force, or else the first future one, with later and earlier ones.
pub(super) fn agreements(all: &[Agreement], month: Month) -> Option<Value> {
    let begun = all.iter().rposition(|agreement| agreement.from <= month);
    let place = begun.unwrap_or(0);
    let mut shown = agreement(all.get(place)?);
    shown["state"] = json!(if begun.is_some() { "in force" } else { "ahead" });
    shown["ahead"] = all[place + 1..].iter().map(agreement).collect();
    shown["earlier"] = all[..place].iter().map(agreement).collect();
    Some(shown)
}

pub(super) fn availability(measured: &MeasuredMonth) -> Value {
    json!({
        "measured_minutes": measured.measured_minutes,
        "up_minutes": measured.up_minutes,
        "part_e6": measured.part_e6(),
    })
}

pub(super) fn document(invoice: &MonthInvoice) -> Value {
    json!({
        "number": invoice.printed_number(),
        "month": invoice.month,
        "issued_at": at(invoice.issued_at),
        "requests": u64::try_from(invoice.requests()).unwrap_or(u64::MAX),
        "tokens": u64::try_from(invoice.tokens()).unwrap_or(u64::MAX),
        "total_usdc": usdc(invoice.total_usdc_e6),
    })
}

pub(super) fn invoice(invoice: &MonthInvoice) -> Value {
    let line = |line: &ChargeLine| {
        json!({
            "kind": line.kind.name(), "item": line.label, "chain": line.chain,
            "requests": line.requests, "tokens": line.tokens, "free_tokens": line.free_tokens,
            "amount_usdc": usdc(line.amount_usdc_e6),
        })
    };
    let mut shown = document(invoice);
    shown["account"] = json!(invoice.account);
    shown["billed_to"] = json!(invoice.billed_to);
    shown["lines"] = invoice.lines.iter().map(line).collect();
    shown
}

pub(super) fn entry(entry: &JournalEntry) -> Value {
    let moved = &entry.moved;
    json!({
        "entry": entry.name(),
        "at": at(entry.at),
        "kind": moved.kind,
        "usdc": usdc(moved.usdc_e6),
        "reference": moved.reference,
        "text": moved.text,
    })
}

pub(super) fn price_list(list: &PriceList) -> Value {
    json!({
        "from": at(list.from),
        "million_tokens_usdc": usdc(list.million_tokens_usdc_e6),
        "free_tokens_per_month": list.free_tokens_per_month,
        "builder_usdc": list.builder_usdc_e6.map(usdc),
        "protocol_usdc": list.protocol_usdc_e6.map(usdc),
        "revenue_share_percent": list.revenue_share_percent,
        "availability_e6": list.availability_e6,
    })
}

pub(super) fn act(act: &OperatorAction) -> Value {
    json!({
        "number": act.sequence,
        "at": at(act.at),
        "who": act.who,
        "what": act.what,
        "subject": act.subject,
        "why": act.why,
    })
}
