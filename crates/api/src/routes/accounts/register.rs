//! `POST /api/v1/register`: an account of one's own, and its first key.

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use serde_json::{Map, Value};
use superroot_account::{Tier, parse_wallet, show_wallet};
use superroot_types::Address;
use superroot_wire::account::Registration;

use super::{answer, shapes};
use crate::caller::Caller;
use crate::dress::Answer;
use crate::input::{describe, only_members, read_json};
use crate::service::Shared;
use crate::{ApiError, refusal};

pub(super) async fn register(
    State(service): State<Shared>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<Answer, ApiError> {
    let body = read_json(&service.api, &headers, body).await?;
    let (wallet, tier) = read(body.as_object().unwrap_or(&Map::new()))?;
    let prefix = caller.prefix();
    let registration = service
        .account(move |service| {
            let (account, issued) = service.register(prefix, wallet)?;
            let rights = service.accounts().rights(account.id)?;
            let to_prove = rights.subscription.wallet_to_prove;
            let to_prove = to_prove.or_else(|| (tier > rights.tier).then_some(wallet));
            Ok(Registration {
                api_key: issued.secret.expose().to_owned(),
                tier: rights.tier.name().into(),
                rate_limit: rights.limit_per_minute,
                user_id: account.id.to_string(),
                key_prefix: issued.key.key_prefix.clone(),
                key_id: issued.key.id.to_string(),
                environment: account.environment.name().into(),
                wallet_address: show_wallet(&wallet),
                wallet_proven: false,
                subscription_status: rights.subscription.status.name().into(),
                prove_wallet: to_prove.map(shapes::prove_wallet),
            })
        })
        .await?;
    Ok(answer(&registration)?.created())
}

/// The wallet, and the tier asked for: explorer where none is.
fn read(body: &Map<String, Value>) -> Result<(Address, Tier), ApiError> {
    only_members(body, "", &["wallet_address", "tier"])?;
    let text = |name: &'static str, expected: &str| match body.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(other) => Err(ApiError::parameter(name, &describe(other), expected)),
    };
    let expected = "0x and 40 hex digits (a wallet's address)";
    let wallet = text("wallet_address", expected)?;
    let wallet = wallet.ok_or_else(|| ApiError::missing("wallet_address", expected))?;
    let wallet = parse_wallet(wallet).map_err(refusal::of_account)?;
    let expected = "explorer, builder, protocol or enterprise";
    let tier = match text("tier", expected)? {
        None => Tier::Explorer,
        Some(text) => text.parse().map_err(|_| ApiError::parameter("tier", text, expected))?,
    };
    Ok((wallet, tier))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(body: &Value) -> Option<String> {
        read(body.as_object().unwrap()).err().and_then(|error| error.parameter_name())
    }

    #[test]
    fn a_wallet_is_needed_and_each_wrong_member_is_named() {
        let wallet = format!("0x{}", "11".repeat(20));
        assert_eq!(
            read(json!({ "wallet_address": wallet }).as_object().unwrap()).unwrap().1,
            Tier::Explorer
        );
        for (body, parameter) in [
            (json!({}), "wallet_address"),
            (json!({ "tier": "explorer" }), "wallet_address"),
            (json!({ "wallet_address": 7 }), "wallet_address"),
            (json!({ "wallet_address": "0x11" }), "wallet_address"),
            (json!({ "wallet_address": wallet, "tier": "gold" }), "tier"),
            (json!({ "wallet_address": wallet, "tier": null }), "tier"),
            (json!({ "wallet_address": wallet, "teir": "explorer" }), "teir"),
        ] {
            assert_eq!(refused(&body).as_deref(), Some(parameter), "{body}");
        }
    }
}
