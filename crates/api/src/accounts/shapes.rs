//! Response bodies for account data.

use superroot_account as account;
use superroot_account::{AccountId, Entitlement, Month, Rights, Scope, SubscriptionStatus};
use superroot_billing as money;
use superroot_billing::{
    AgreementTerms, BillingError, BillingLedger, ListedPayment, PendingPayment,
};
use superroot_types::{Address, UnixSeconds};
use superroot_wire::account as wire;
use superroot_wire::account::{
    Invoice, InvoiceLine, IssuedKey, Key, KeyShown, ProveWallet, Subscription, SubscriptionPayment,
    usdc,
};
use superroot_wire::paths;

pub(super) fn prove_wallet(wallet: Address) -> ProveWallet {
    let wallet_address = account::show_wallet(&wallet);
    let challenge = format!("{}?wallet_address={wallet_address}", paths::CHALLENGE);
    ProveWallet { wallet_address, challenge, submit: paths::WALLET.into() }
}

/// First second that is not paid for or agreed; `None` without a paid period or without an end.
pub(super) fn ends_at(rights: &Rights) -> Option<String> {
    let view = &rights.subscription;
    view.expires_at.filter(|_| view.status != SubscriptionStatus::None).map(UnixSeconds::iso_8601)
}

pub(super) fn subscription(
    rights: &Rights,
    paid_usdc_e6: u64,
    payments: &[ListedPayment],
) -> Subscription {
    let view = &rights.subscription;
    Subscription {
        status: view.status.name().into(),
        expires_at: ends_at(rights),
        amount_paid_usdc: usdc(paid_usdc_e6.into()),
        prove_wallet: view.wallet_to_prove.map(prove_wallet),
        payments: payments.iter().map(payment).collect(),
    }
}

fn payment(listed: &ListedPayment) -> SubscriptionPayment {
    let PendingPayment { id, tier, usdc_e6, paid_at, .. } = listed.payment;
    SubscriptionPayment {
        state: if listed.is_counted { "counted" } else { "pending" }.to_owned(),
        tier: tier.name().to_owned(),
        usdc: usdc(usdc_e6.into()),
        paid_at: paid_at.iso_8601(),
        transaction_hash: id.tx,
        proof_url: paths::event_proof_by_hash(id.chain, &id.tx, id.log_index),
    }
}

/// Billing tokens in the month of `now`: total, free tokens by agreement, and the remaining free tokens across the
/// account and its sub-accounts. A sub-account reports its integrator's figures, whatever its own agreement.
pub(super) fn billing(
    billing: &BillingLedger,
    account: AccountId,
    now: UnixSeconds,
) -> Result<wire::Billing, BillingError> {
    let month = Month::of(now)?;
    let tokens_used = billing.accounts().usage().tokens(account, month)?;
    let prices = billing.prices(account, month)?;
    let agreement = billing.agreement_in(account, month)?;
    let is_in_a_fee = prices.is_usage_of_another
        || agreement.is_some_and(|held| matches!(held.terms, AgreementTerms::Integrator { .. }));
    let tokens_free = (!is_in_a_fee).then_some(prices.free_tokens);
    let tokens_left = match tokens_free {
        Some(free) => Some(free.saturating_sub(billing.tokens_of(account, month)?)),
        None => None,
    };
    let owes_usdc = usdc(billing.owes_usdc_e6(account)?.into());
    let month = month.to_string();
    Ok(wire::Billing { month, tokens_used, tokens_free, tokens_left, owes_usdc })
}

fn chains(scope: &Scope) -> Option<Vec<u64>> {
    scope.chains.as_ref().map(|chains| chains.iter().map(|chain| chain.0).collect())
}

fn routes(scope: &Scope) -> Option<Vec<String>> {
    scope.routes.as_ref().map(|routes| routes.iter().map(ToString::to_string).collect())
}

pub(super) fn key_shown(entitlement: &Entitlement) -> KeyShown {
    KeyShown {
        id: entitlement.key.to_string(),
        key_prefix: entitlement.key_prefix.clone(),
        environment: entitlement.environment.name().into(),
        chains: chains(&entitlement.scope),
        routes: routes(&entitlement.scope),
        expires_at: entitlement.key_expires_at,
    }
}

pub(super) fn key(key: &account::KeyRow, now: UnixSeconds, presented: account::KeyId) -> Key {
    Key {
        id: key.id.to_string(),
        key_prefix: key.key_prefix.clone(),
        label: key.label.as_ref().map(ToString::to_string),
        state: key.state_at(now).name().into(),
        chains: chains(&key.scope),
        routes: routes(&key.scope),
        created_at: key.created_at,
        expires_at: key.expires_at,
        retires_at: key.retires_at,
        revoked_at: key.revoked_at,
        replaced_by: key.replaced_by.map(|id| id.to_string()),
        is_presented: key.id == presented,
    }
}

pub(super) fn issued(
    issued: &account::CreatedKey,
    now: UnixSeconds,
    presented: account::KeyId,
) -> IssuedKey {
    let api_key = issued.secret.expose().to_owned();
    IssuedKey { api_key, key: key(&issued.key, now, presented) }
}

pub(super) fn invoice(invoice: &money::MonthInvoice, with_lines: bool) -> Invoice {
    let is_closed = invoice.number > 0;
    let lines = invoice.lines.iter().map(|line| InvoiceLine {
        kind: line.kind.name().into(),
        label: line.label.clone(),
        chain_id: line.chain.map(|chain| chain.0),
        requests: line.requests,
        billing_tokens: line.tokens,
        free_tokens: line.free_tokens,
        amount_usdc: usdc(line.amount_usdc_e6.into()),
    });
    Invoice {
        number: is_closed.then(|| invoice.printed_number()),
        is_closed,
        user_id: invoice.account.to_string(),
        month: invoice.month.to_string(),
        billed_to: invoice.billed_to.clone(),
        issued_at: invoice.issued_at,
        total_usdc: usdc(invoice.total_usdc_e6.into()),
        requests: u64::try_from(invoice.requests()).unwrap_or(u64::MAX),
        billing_tokens: u64::try_from(invoice.tokens()).unwrap_or(u64::MAX),
        lines: with_lines.then(|| lines.collect()),
    }
}
