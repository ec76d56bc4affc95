//! Passes: billing tokens or a tier, bought by x402 version 2 (scheme `exact`, EIP-3009).
//!
//! ```text
//! POST ──► 402, terms ──► POST with PAYMENT-SIGNATURE
//!                             │ 1. the terms are ours, the authorization fits them
//!                             │ 2. a facilitator verifies: signature, balance, nonce
//!                             │ 3. the pass is written down: account, key, authorization, once
//!                             ▼ 4. a facilitator sends the transfer
//!                         200, pending        counted by the proven transfer alone (node/passes)
//! ```
//! A facilitator is believed in nothing that counts: where it lies of a transfer the pass lapses, or counts all the
//! same.

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Map, Value};
use superroot_account::{AccountId, Tier, parse_wallet, show_wallet};
use superroot_billing::{AuthorizationId, BillingLedger, PassGoods, SoldPass};
use superroot_types::{Hash, UnixSeconds};
use superroot_wire::account as wire;
use superroot_wire::account::{
    BoughtPass, PaidResource, PassList, PaymentPayload, PaymentRequired, PaymentRequirements,
    Settlement, TransferAuthorization, X402_VERSION, usdc,
};
use superroot_wire::paths;

use super::answer;
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::error::codes::{
    AUTHORIZATION_PRESENTED, INVALID_PARAMETER, PASSES_UNAVAILABLE, PAYMENT_REQUIRED,
};
use crate::input::caller::{Caller, Keyed};
use crate::input::{describe, only_members, read_json};
use crate::service::Shared;
use crate::service::sale::PassSale;

/// Headers of x402.
pub(crate) const REQUIRED: HeaderName = HeaderName::from_static("payment-required");
pub(crate) const SIGNATURE: HeaderName = HeaderName::from_static("payment-signature");
pub(crate) const RESPONSE: HeaderName = HeaderName::from_static("payment-response");

const TOKENS: std::ops::RangeInclusive<u64> = 1_000..=1_000_000;
/// Seconds for which an offer stands.
const OFFER_SECONDS: u64 = 120;
/// Least seconds left for a transfer to be sent.
const SENDING_SECONDS: u64 = 10;
/// Longest time from now for which an authorization may be valid: so long a pass that nobody sends stays pending.
const VALID_SECONDS_MAX: u64 = 3_600;
const LISTED_MAX: usize = 100;
/// Seconds after which a final block's transfers are counted.
const COUNTING_SECONDS: u64 = 600;

pub(super) async fn buy(
    State(service): State<Shared>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<ApiAnswer, ApiError> {
    let body = read_json(&service, &headers, body).await?;
    let goods = read_goods(body.as_object().unwrap_or(&Map::new()))?;
    let sale = service.api.passes.clone().ok_or_else(|| {
        ApiError::new(PASSES_UNAVAILABLE, "this service sells no passes, see /api/v1/plans")
    })?;
    let price = service.billing(move |billing| billing.pass_usdc_e6(goods)).await?;
    let usdc_e6 = price.ok_or_else(|| ApiError::invalid("tier", "not for sale", "a paid tier"))?;
    let offer = PassOffer { sale: &sale, goods, usdc_e6 };
    let Some(header) = headers.get(SIGNATURE) else {
        return Err(offer.required("PAYMENT-SIGNATURE is missing: sign the terms and send them"));
    };
    let (payment, order) = read_payment(header)?;
    let authorized = offer.check(&payment, service.api.accounts.now())?;
    let id = authorized.id;
    let verifying = service.verifying.begin(id).ok_or_else(presented_before)?;
    if let Some(held) = service.billing(move |billing| billing.pass(id)).await? {
        let account = caller.entitlement().map(|entitlement| entitlement.account);
        return repeated(&sale, &held, account);
    }
    // bounded like other calls to nodes
    let _room = service.asking.acquire().await.map_err(|_| ApiError::internal())?;
    let terms = serde_json::to_value(offer.terms()).unwrap_or_default();
    if let Err(why) = sale.facilitator.verify(&order, &terms).await {
        return Err(offer.required(&format!("the payment is refused: {why}")));
    }
    let presented = offer.present(&service, &caller, authorized).await?;
    drop(verifying);
    presented.settle(&service, &sale, (&order, &terms)).await
}

/// Pass that is written down, and the key of its account where that is new.
struct PresentedPass {
    pass: SoldPass,
    api_key: Option<String>,
}

impl PresentedPass {
    /// Lets a facilitator send the transfer.
    async fn settle(
        mut self,
        service: &Shared,
        sale: &PassSale,
        (order, terms): (&Value, &Value),
    ) -> Result<ApiAnswer, ApiError> {
        let settled = sale.facilitator.settle(order, terms).await;
        let settled = settled.unwrap_or_else(|why| Settlement {
            error_reason: Some(why),
            network: sale.network(),
            ..Settlement::default()
        });
        if let Some(transaction) = hash_of(&settled.transaction).filter(|_| settled.success) {
            self.pass.transaction = Some(transaction);
            let id = self.pass.authorization;
            service.billing(move |billing| billing.note_pass_transaction(id, transaction)).await?;
        }
        let bought = BoughtPass {
            pass: shown(sale, &self.pass),
            user_id: self.pass.account.to_string(),
            api_key: self.api_key,
        };
        let told = encoded(&settled);
        if settled.success {
            return Ok(answer(&bought).with_header(RESPONSE, told));
        }
        let why = settled.error_reason.unwrap_or_else(|| "no reason".to_owned());
        let detail = format!(
            "the transfer was not sent: {why}. If it is sent all the same the pass counts for this account"
        );
        Err(ApiError::new(PAYMENT_REQUIRED, detail)
            .with("pass", &bought.pass)
            .with("user_id", &bought.user_id)
            .with("api_key", &bought.api_key)
            .with_header(RESPONSE, told))
    }
}

pub(super) async fn list(
    State(service): State<Shared>,
    keyed: Keyed,
) -> Result<ApiAnswer, ApiError> {
    let sale = service.api.passes.clone();
    let account = keyed.0.account;
    let passes = service.billing(move |billing| billing.passes(account, LISTED_MAX)).await?;
    let passes = passes.iter().filter_map(|pass| Some(shown(sale.as_deref()?, pass))).collect();
    Ok(answer(&PassList { passes }))
}

fn read_goods(body: &Map<String, Value>) -> Result<PassGoods, ApiError> {
    only_members(body, "", &["tokens", "tier"])?;
    let tokens = "an integer from 1000 to 1000000";
    match (body.get("tokens"), body.get("tier")) {
        (None, None) => Err(ApiError::missing("tokens", format!("{tokens}, or a tier"))),
        (Some(_), Some(_)) => Err(ApiError::invalid("tier", "beside tokens", "one of both")),
        (Some(value), None) => {
            let count = value.as_u64().filter(|count| TOKENS.contains(count));
            let count =
                count.ok_or_else(|| ApiError::parameter("tokens", &describe(value), tokens));
            Ok(PassGoods::Tokens(count?))
        }
        (None, Some(value)) => {
            let expected = "builder or protocol";
            let tier = value.as_str().and_then(|text| text.parse().ok());
            match tier {
                Some(tier @ (Tier::Builder | Tier::Protocol)) => Ok(PassGoods::Tier(tier)),
                _ => Err(ApiError::parameter("tier", &describe(value), expected)),
            }
        }
    }
}

/// A header's payment, and the same as it was sent: facilitators check what was signed.
fn read_payment(header: &HeaderValue) -> Result<(PaymentPayload, Value), ApiError> {
    let wrong = |got: &str| {
        let expected = "a payment of x402 version 2 in base64";
        ApiError::invalid("payment-signature", got, expected)
    };
    let json = STANDARD.decode(header).map_err(|_| wrong("no base64"))?;
    let order: Value = serde_json::from_slice(&json).map_err(|_| wrong("no JSON"))?;
    let payment: PaymentPayload = serde_json::from_value(order.clone())
        .map_err(|error| wrong(&crate::error::shorten(&error.to_string())))?;
    if payment.x402_version != X402_VERSION {
        return Err(wrong(&format!("of version {}", payment.x402_version)));
    }
    Ok((payment, order))
}

/// Checked authorization.
#[derive(Clone, Copy)]
struct Authorized {
    id: AuthorizationId,
    valid_before: UnixSeconds,
}

struct PassOffer<'a> {
    sale: &'a PassSale,
    goods: PassGoods,
    usdc_e6: u64,
}

impl PassOffer<'_> {
    fn terms(&self) -> PaymentRequirements {
        let PassSale { asset, pay_to, name, version, .. } = self.sale;
        PaymentRequirements {
            scheme: "exact".to_owned(),
            network: self.sale.network(),
            amount: self.usdc_e6.to_string(),
            asset: show_wallet(asset),
            pay_to: show_wallet(pay_to),
            max_timeout_seconds: OFFER_SECONDS,
            extra: serde_json::json!({ "name": name, "version": version }),
        }
    }

    /// 402 with the terms.
    fn required(&self, why: &str) -> ApiError {
        let description = match self.goods {
            PassGoods::Tokens(tokens) => format!("{tokens} billing tokens"),
            PassGoods::Tier(tier) => format!("thirty days of {}", tier.name()),
        };
        let url = paths::PASS.to_owned();
        let mime_type = "application/json".to_owned();
        let terms = PaymentRequired {
            x402_version: X402_VERSION,
            error: why.to_owned(),
            resource: PaidResource { url, description, mime_type },
            accepts: vec![self.terms()],
        };
        ApiError::new(PAYMENT_REQUIRED, why)
            .with("accepts", &terms.accepts)
            .with_header(REQUIRED, encoded(&terms))
    }

    /// Writes the pass down, for the caller's account or a new one.
    async fn present(
        &self,
        service: &Shared,
        caller: &Caller,
        authorized: Authorized,
    ) -> Result<PresentedPass, ApiError> {
        let account = caller.entitlement().map(|entitlement| entitlement.account);
        let (goods, usdc_e6) = (self.goods, self.usdc_e6);
        let prefix = caller.prefix();
        let present = move |billing: &BillingLedger| {
            let (account, api_key) = match account {
                Some(account) => (account, None),
                None => {
                    let payer = authorized.id.from;
                    let (account, issued) = billing.accounts().register(prefix, payer)?;
                    (account.id, Some(issued.secret.expose().to_owned()))
                }
            };
            let pass = SoldPass {
                authorization: authorized.id,
                account,
                goods,
                usdc_e6,
                presented_at: billing.now(),
                valid_before: authorized.valid_before,
                transaction: None,
                payment: None,
            };
            billing.present_pass(&pass)?;
            Ok(PresentedPass { pass, api_key })
        };
        service.billing(present).await.map_err(|error| match error.code {
            AUTHORIZATION_PRESENTED => presented_before(),
            _ => error,
        })
    }

    /// Whether the payment has these terms, and its authorization fits them.
    fn check(&self, payment: &PaymentPayload, now: UnixSeconds) -> Result<Authorized, ApiError> {
        let terms = self.terms();
        let PaymentRequirements { scheme, network, amount, asset, pay_to, .. } = &payment.accepted;
        let same = |got: &str, expected: &str| got.eq_ignore_ascii_case(expected);
        for (name, got, expected) in [
            ("scheme", scheme, &terms.scheme),
            ("network", network, &terms.network),
            ("amount", amount, &terms.amount),
            ("asset", asset, &terms.asset),
            ("payTo", pay_to, &terms.pay_to),
        ] {
            if !same(got, expected) {
                return Err(wrong(&format!("accepted.{name}"), got, expected));
            }
        }
        let TransferAuthorization { from, to, value, valid_after, valid_before, nonce } =
            &payment.payload.authorization;
        if !same(to, &terms.pay_to) {
            return Err(wrong("authorization.to", to, &terms.pay_to));
        }
        if value != &terms.amount {
            return Err(wrong("authorization.value", value, &terms.amount));
        }
        let from = parse_wallet(from);
        let from = from.map_err(|_| {
            let got = &payment.payload.authorization.from;
            wrong("authorization.from", got, "0x and 40 hex digits")
        })?;
        let nonce = hash_of(nonce)
            .ok_or_else(|| wrong("authorization.nonce", nonce, "0x and 64 hex digits"))?;
        let after = valid_after.parse().ok().filter(|after: &u64| *after <= now.0);
        after.ok_or_else(|| {
            wrong("authorization.validAfter", valid_after, "a second that is over")
        })?;
        let least = now.0.saturating_add(SENDING_SECONDS);
        let most = now.0.saturating_add(VALID_SECONDS_MAX);
        let before = valid_before.parse().ok();
        let before = before.filter(|before: &u64| (least..=most).contains(before));
        let before = before.ok_or_else(|| {
            let expected = format!(
                "{SENDING_SECONDS} to {VALID_SECONDS_MAX} seconds from now, {least} to {most}"
            );
            wrong("authorization.validBefore", valid_before, &expected)
        })?;
        let (chain, asset) = (self.sale.chain.id, self.sale.asset);
        let id = AuthorizationId { chain, asset, from, nonce };
        Ok(Authorized { id, valid_before: UnixSeconds(before) })
    }
}

fn wrong(name: &str, got: &str, expected: &str) -> ApiError {
    let got = crate::error::shorten(got);
    let detail = format!("{name} is {got:?}, expected {expected}");
    ApiError::new(INVALID_PARAMETER, detail).at("payment-signature")
}

/// A pass again: its account sees how it stands, others learn nothing.
fn repeated(
    sale: &PassSale,
    pass: &SoldPass,
    account: Option<AccountId>,
) -> Result<ApiAnswer, ApiError> {
    if account != Some(pass.account) {
        return Err(presented_before());
    }
    let user_id = pass.account.to_string();
    Ok(answer(&BoughtPass { pass: shown(sale, pass), user_id, api_key: None }))
}

fn presented_before() -> ApiError {
    let detail = "this authorization was presented before: sign another one with a new nonce, or ask with the key \
                  of the account that has it";
    ApiError::new(AUTHORIZATION_PRESENTED, detail).at("payment-signature")
}

fn shown(sale: &PassSale, pass: &SoldPass) -> wire::Pass {
    let (tokens, tier) = match pass.goods {
        PassGoods::Tokens(tokens) => (Some(tokens), None),
        PassGoods::Tier(tier) => (None, Some(tier.name().to_owned())),
    };
    let id = pass.authorization;
    let is_over =
        |time: UnixSeconds| time.0 >= pass.valid_before.0.saturating_add(COUNTING_SECONDS);
    let state = match pass.payment {
        Some(_) => "counted",
        None if sale.final_time().is_some_and(is_over) => "lapsed",
        None => "pending",
    };
    wire::Pass {
        state: state.to_owned(),
        tokens,
        tier,
        usdc: usdc(pass.usdc_e6.into()),
        payer: show_wallet(&id.from),
        network: format!("eip155:{}", id.chain),
        nonce: id.nonce,
        presented_at: pass.presented_at.iso_8601(),
        transaction_hash: pass.payment.map(|payment| payment.tx).or(pass.transaction),
        proof_url: pass
            .payment
            .map(|paid| paths::event_proof_by_hash(paid.chain, &paid.tx, paid.log_index)),
    }
}

fn hash_of(text: &str) -> Option<Hash> {
    let bytes = const_hex::decode(text).ok()?;
    bytes.try_into().ok().map(Hash)
}

/// Base64 of JSON: a header's value has no other characters.
fn encoded(value: &impl Serialize) -> HeaderValue {
    let json = serde_json::to_vec(value).unwrap_or_default();
    HeaderValue::from_str(&STANDARD.encode(json)).unwrap_or(HeaderValue::from_static(""))
}
