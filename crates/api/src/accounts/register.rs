//! `POST /api/v1/register`: creates an account and its first key.

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use serde_json::{Map, Value};
use superroot_account::{Tier, parse_wallet, show_wallet};
use superroot_types::Address;
use superroot_wire::account::Registration;

use super::wallet::{Signed, WALLET};
use super::{answer, shapes};
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::error::codes::INVALID_PARAMETER;
use crate::error::of_account;
use crate::input::caller::Caller;
use crate::input::{describe, only_members, read_json};
use crate::service::Shared;

pub(super) async fn register(
    State(service): State<Shared>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<ApiAnswer, ApiError> {
    let body = read_json(&service, &headers, body).await?;
    let RegistrationRequest { wallet, tier, signed } =
        RegistrationRequest::read(body.as_object().unwrap_or(&Map::new()))?;
    let prefix = caller.prefix();
    let proven = match signed {
        None => None,
        Some(signed) => {
            check_names(&service, &signed, wallet)?;
            Some(signed.verify(&service, prefix).await?)
        }
    };
    let registration = service
        .account(move |service| {
            let (account, issued) = match &proven {
                None => service.register(prefix, wallet)?,
                Some(proven) => service.register_proven(prefix, proven)?,
            };
            let rights = service.accounts().rights(account.id)?;
            let to_prove = rights.subscription.wallet_to_prove;
            let is_claim = proven.is_none();
            let to_prove = to_prove.or_else(|| (is_claim && tier > rights.tier).then_some(wallet));
            Ok(Registration {
                api_key: issued.secret.expose().to_owned(),
                tier: rights.tier.name().into(),
                rate_limit: rights.limit_per_minute,
                user_id: account.id.to_string(),
                key_prefix: issued.key.key_prefix.clone(),
                key_id: issued.key.id.to_string(),
                environment: account.environment.name().into(),
                wallet_address: show_wallet(&wallet),
                wallet_proven: proven.is_some(),
                subscription_status: rights.subscription.status.name().into(),
                prove_wallet: to_prove.map(shapes::prove_wallet),
            })
        })
        .await?;
    Ok(answer(&registration).created())
}

/// Refuses a message for another wallet before any node call.
fn check_names(service: &Shared, signed: &Signed, wallet: Address) -> Result<(), ApiError> {
    let named = service.api.accounts.wallets().wallet_named(&signed.message);
    let named = named.map_err(of_account)?;
    if named == wallet {
        return Ok(());
    }
    let why = "the message names another wallet than wallet_address".to_owned();
    Err(ApiError::new(INVALID_PARAMETER, why).at("message"))
}

#[derive(Debug)]
struct RegistrationRequest {
    wallet: Address,
    /// Explorer by default.
    tier: Tier,
    signed: Option<Signed>,
}

impl RegistrationRequest {
    fn read(body: &Map<String, Value>) -> Result<Self, ApiError> {
        only_members(body, "", &["wallet_address", "tier", "message", "signature"])?;
        let (wallet, tier) = read(body)?;
        Ok(Self { wallet, tier, signed: Signed::read(body)? })
    }
}

fn read(body: &Map<String, Value>) -> Result<(Address, Tier), ApiError> {
    let text = |name: &'static str, expected: &str| match body.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(other) => Err(ApiError::parameter(name, &describe(other), expected)),
    };
    let wallet = text("wallet_address", WALLET)?;
    let wallet = wallet.ok_or_else(|| ApiError::missing("wallet_address", WALLET))?;
    let wallet = parse_wallet(wallet).map_err(of_account)?;
    let expected = "explorer, builder, protocol or enterprise";
    let tier = match text("tier", expected)? {
        None => Tier::Explorer,
        Some(text) => text.parse().map_err(|_| ApiError::parameter("tier", text, expected))?,
    };
    Ok((wallet, tier))
}
