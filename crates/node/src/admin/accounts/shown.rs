//! Rows of accounts as an operator reads them. Times are ISO 8601 in UTC, amounts are USDC with six
//! decimals; a key's text is in what it was just made in, and nowhere else.

use serde_json::{Value, json};
use superroot_account::{
    Account, Act, Agreement, Agreements, Availability, Book, Entry, Invoice, IssuedKey, Key, Month,
    Plans, Replaced, Rights, Subscriber, Subscription, Terms, Tier, Transition, WalletLink,
    show_wallet, usdc_text,
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
            "paid_usdc": usdc(subscription.paid_usdc_e6),
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

pub(super) fn key(key: &Key, now: UnixSeconds) -> Value {
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

/// The one place where a key's text is shown.
pub(super) fn issued(issued: &IssuedKey) -> Value {
    let key = &issued.key;
    json!({
        "account": key.account,
        "key": key.id,
        "api_key": issued.secret.expose(),
        "note": "shown once: it cannot be had again",
    })
}

pub(super) fn tier(tier: Tier, plans: &Plans) -> Value {
    let plan = plans.tier(tier);
    json!({
        "tier": tier,
        "limit_per_minute": plan.limit_per_minute,
        "price_usdc": plan.price_usdc_e6.map(usdc),
        "grids": plan.grids,
        "keys_max": plan.keys_max,
    })
}

fn subscriber(subscriber: &Subscriber) -> String {
    match subscriber {
        Subscriber::Wallet(wallet) => format!("wallet {}", show_wallet(wallet)),
        Subscriber::Account(account) => format!("account {account}"),
    }
}

pub(super) fn subscription(held: &Subscription, plans: &Plans, now: UnixSeconds) -> Value {
    let standing = held.standing_at(now, &plans.subscription);
    json!({
        "subscriber": subscriber(&held.subscriber),
        "status": standing.status,
        "tier": standing.tier,
        "expires_at": at_or_none(standing.expires_at),
        "changes_at": at_or_none(standing.changes_at),
        "paid_usdc": usdc(held.paid_usdc_e6),
        "credit_usdc": usdc(held.credit_usdc_e6),
        "refunded_usdc": usdc(held.refunded_usdc_e6),
    })
}

/// A step, with the money it moved where it moved any.
pub(super) fn transition(step: &Transition) -> Value {
    let moved = step.moved.as_ref().map(|moved| {
        json!({
            "tier": moved.tier,
            "paid_usdc": usdc(moved.paid_usdc_e6),
            "refunded_usdc": usdc(moved.refunded_usdc_e6),
            "bought_usdc": usdc(moved.bought_usdc_e6()),
            "credit_usdc": usdc(moved.credit_after_usdc_e6),
        })
    });
    json!({
        "at": at(step.at),
        "from": step.from,
        "to": step.to,
        "reason": step.reason,
        "evidence": step.evidence,
        "moved": moved,
    })
}

pub(super) fn agreement(agreement: &Agreement) -> Value {
    let mut shown = json!({
        "account": agreement.account,
        "from": agreement.from,
        "until": agreement.until,
        "entered_at": at(agreement.entered_at),
        "by": agreement.by.who,
        "why": agreement.by.why,
    });
    let terms = match &agreement.terms {
        Terms::Integrator { interval, fee_usdc_e6, tier } => json!({
            "model": "integrator", "every": interval, "fee_usdc": usdc(*fee_usdc_e6),
            "tier": tier,
        }),
        Terms::Enterprise {
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
    };
    if let (Value::Object(shown), Value::Object(terms)) = (&mut shown, terms) {
        shown.extend(terms);
    }
    shown
}

/// The agreement that runs, or the next, or the last there was, with the one that comes next, those
/// after that, and all that were before.
pub(super) fn agreements(agreements: &Agreements, month: Month) -> Option<Value> {
    let (running, next) = (agreements.in_month(month), agreements.after(month));
    let main = running.or(next).or_else(|| agreements.newest())?;
    let mut shown = agreement(main);
    let is_ahead = month < main.from;
    shown["state"] = json!(match running {
        Some(_) => "running",
        None if is_ahead => "ahead",
        None => "over",
    });
    let next = agreements.after(main.from.max(month));
    shown["next"] = next.map_or(Value::Null, agreement);
    let is_later = |held: &&Agreement| next.is_some_and(|next| next.from < held.from);
    shown["later"] = agreements.iter().filter(is_later).map(agreement).collect();
    let earlier = agreements.iter().filter(|held| held.from < main.from);
    shown["earlier"] = earlier.map(agreement).collect();
    if agreements.is_integrator() {
        shown["sub_accounts"] = json!(agreements.sub_account_count());
    }
    Some(shown)
}

/// What another agreement replaced, or what was ended.
pub(super) fn replaced(replaced: &Replaced) -> Value {
    let mut shown = agreement(&replaced.was);
    shown["until_now"] = json!(replaced.until);
    shown
}

pub(super) fn availability(measured: &Availability) -> Value {
    json!({
        "measured_minutes": measured.measured_minutes,
        "up_minutes": measured.up_minutes,
        "part_e6": measured.part_e6(),
    })
}

/// An invoice in a line.
pub(super) fn document(invoice: &Invoice) -> Value {
    json!({
        "number": invoice.printed_number(),
        "month": invoice.month,
        "kind": if invoice.corrects.is_some() { "credit_note" } else { "invoice" },
        "issued_at": at(invoice.issued_at),
        "requests": u64::try_from(invoice.requests()).unwrap_or(u64::MAX),
        "tokens": u64::try_from(invoice.tokens()).unwrap_or(u64::MAX),
        "total_usdc": usdc(invoice.total_usdc_e6),
    })
}

/// An invoice whole.
pub(super) fn invoice(invoice: &Invoice) -> Value {
    let line = |line: &superroot_account::InvoiceLine| {
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

/// An entry of the ledger with its lines.
pub(super) fn entry(entry: &Entry) -> Value {
    let lines = entry.posting.lines.iter().map(
        |line| json!({ "book": book(&line.book), "side": line.side, "usdc": usdc(line.usdc_e6) }),
    );
    json!({
        "number": entry.sequence,
        "at": at(entry.posting.at),
        "what": entry.posting.description,
        "reference": entry.posting.reference,
        "lines": lines.collect::<Vec<_>>(),
    })
}

fn book(book: &Book) -> String {
    match book {
        Book::Cash => "cash".to_owned(),
        Book::Revenue => "revenue".to_owned(),
        Book::Receivable(account) => format!("owed by account {account}"),
        Book::RevenueShare(account) => format!("share of account {account}"),
        Book::Credit(payer) => format!("credit of {}", subscriber(payer)),
        Book::Refunds(payer) => format!("refunds of {}", subscriber(payer)),
    }
}

pub(super) fn act(act: &Act) -> Value {
    json!({
        "number": act.sequence,
        "at": at(act.at),
        "who": act.who,
        "what": act.what,
        "subject": act.subject,
        "why": act.why,
    })
}
