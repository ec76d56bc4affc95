//! Wallet ownership proofs: a challenge message, and the routes that accept it signed.

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use serde_json::{Map, Value};
use superroot_account::limit::AddressPrefix;
use superroot_account::wallet::{MESSAGE_BYTES_MAX, ProvenBy, SIGNATURE_BYTES_MAX};
use superroot_account::{ProvenWallet, parse_wallet, show_wallet};
use superroot_types::{ChainId, ChainKey, Family, SAFE_INTEGER_MAX};
use superroot_wire::account::{Challenge, WalletProof};

use super::{answer, shapes};
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::error::of_account;
use crate::input::caller::{Caller, Keyed};
use crate::input::{RequestInput, describe, find_chain, only_members, parse_integer, read_json};
use crate::service::{Api, Shared};

const MESSAGE: &str = "the text of /api/v1/register/challenge, as it was given out";
pub(super) const WALLET: &str = "0x and 40 hex digits (a wallet's address)";

pub(super) async fn challenge(
    State(service): State<Shared>,
    caller: Caller,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let wallet = ask.query("wallet_address")?;
    let wallet = wallet.ok_or_else(|| ApiError::missing("wallet_address", WALLET))?;
    let wallet = parse_wallet(wallet).map_err(of_account)?;
    let chain = ask.query("chain_id")?.map(|text| chain_of(&service.api, text)).transpose()?;
    if let Some(id) = chain {
        caller.check_chain(ChainKey { family: Family::Evm, id })?;
    }
    let contracts = service.api.contracts.clone();
    let given = service.account(move |service| {
        let now = service.accounts().now();
        let given = service.wallets().challenge(wallet, chain, now)?;
        let counts = service.config().wallet.contract_chain_ids.contains(&given.chain.0);
        Ok(Challenge {
            wallet_address: show_wallet(&wallet),
            message: given.message,
            nonce: given.nonce,
            chain_id: given.chain.0,
            issued_at: given.issued_at,
            expires_at: given.expires_at,
            contract_wallets: counts && contracts.asks(given.chain),
        })
    });
    Ok(answer(&given.await?))
}

/// Parses a chain for a message: any chain id, even outside the registry, or a registered name.
fn chain_of(api: &Api, text: &str) -> Result<ChainId, ApiError> {
    let named = &api.accounts.config().wallet.chain_ids;
    let expected = || format!("one of {named:?}");
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let id = if is_number {
        parse_integer("chain_id", text, SAFE_INTEGER_MAX, &expected())?
    } else {
        find_chain(api, "chain_id", text)?.id.0
    };
    let known = named.contains(&id).then_some(ChainId(id));
    known.ok_or_else(|| ApiError::parameter("chain_id", text, expected()))
}

#[derive(Debug)]
pub(super) struct Signed {
    pub(super) message: String,
    pub(super) signature: Vec<u8>,
}

impl Signed {
    /// Reads `message` and `signature`; `None` if both are absent.
    ///
    /// # Errors
    /// [`ApiError::Parameter`] for a missing, non-text or too long member, and for a signature that is not hex.
    pub(super) fn read(body: &Map<String, Value>) -> Result<Option<Self>, ApiError> {
        let hex = "hex digits, with or without 0x (a signature of that text)";
        if body.get("message").is_none() && body.get("signature").is_none() {
            return Ok(None);
        }
        let message = text(body, "message", MESSAGE_BYTES_MAX, MESSAGE)?;
        let signature = text(body, "signature", 2 + 2 * SIGNATURE_BYTES_MAX, hex)?;
        // some wallets leave the prefix out
        let digits = signature.strip_prefix("0x").unwrap_or(signature);
        let is_hex = !signature.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let bytes = is_hex.then(|| const_hex::decode(digits).ok()).flatten();
        let bytes = bytes.ok_or_else(|| ApiError::parameter("signature", signature, hex))?;
        Ok(Some(Self { message: message.to_owned(), signature: bytes }))
    }

    pub(super) async fn verify(
        self,
        service: &Shared,
        from: AddressPrefix,
    ) -> Result<ProvenWallet, ApiError> {
        service.verify_wallet(from, self.message, self.signature).await
    }
}

/// Text member with a length limit in bytes.
fn text<'a>(
    body: &'a Map<String, Value>,
    name: &'static str,
    bytes_max: usize,
    expected: &str,
) -> Result<&'a str, ApiError> {
    match body.get(name) {
        None => Err(ApiError::missing(name, expected)),
        Some(Value::String(text)) if text.len() <= bytes_max => Ok(text),
        Some(Value::String(text)) => {
            Err(ApiError::parameter(name, text, format!("at most {bytes_max} bytes")))
        }
        Some(other) => Err(ApiError::parameter(name, &describe(other), expected)),
    }
}

pub(super) async fn prove(
    State(service): State<Shared>,
    caller: Caller,
    keyed: Keyed,
    headers: HeaderMap,
    body: Body,
) -> Result<ApiAnswer, ApiError> {
    let body = read_json(&service, &headers, body).await?;
    let none = Map::new();
    let members = body.as_object().unwrap_or(&none);
    only_members(members, "", &["message", "signature"])?;
    let signed = Signed::read(members)?.ok_or_else(|| ApiError::missing("message", MESSAGE))?;
    let proven = signed.verify(&service, caller.prefix()).await?;
    let proof = service.account(move |service| {
        let link = service.accounts().prove_wallet(&keyed.0, &proven)?;
        let rights = service.accounts().rights(keyed.0.account)?;
        Ok(WalletProof {
            user_id: keyed.0.account.to_string(),
            wallet_address: show_wallet(&link.wallet),
            wallet_proven: link.proven_at.is_some(),
            proven_by: match proven.by() {
                ProvenBy::OwnKey => "own_key".into(),
                ProvenBy::Contract { .. } => "contract".into(),
            },
            chain_id: proven.chain().0,
            tier: rights.tier.name().into(),
            rate_limit_rpm: rights.limit_per_minute,
            subscription_status: rights.subscription.status.name().into(),
            expires_at: shapes::ends_at(&rights),
        })
    });
    Ok(answer(&proof.await?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused_parameter(body: &Value) -> Option<String> {
        Signed::read(body.as_object().unwrap()).unwrap_err().parameter.clone()
    }

    #[test]
    fn a_signed_message_is_two_texts_within_bounds_or_nothing() {
        assert!(Signed::read(json!({}).as_object().unwrap()).unwrap().is_none());
        for signature in ["0xAb01", "Ab01"] {
            let body = json!({ "message": "m", "signature": signature });
            let signed = Signed::read(body.as_object().unwrap()).unwrap().unwrap();
            assert_eq!((signed.message.as_str(), &signed.signature[..]), ("m", &[0xab, 1][..]));
        }
        let hex = |bytes: usize| format!("0x{}", "00".repeat(bytes));
        let longest = json!({
            "message": "m".repeat(MESSAGE_BYTES_MAX),
            "signature": hex(SIGNATURE_BYTES_MAX),
        });
        assert!(Signed::read(longest.as_object().unwrap()).unwrap().is_some());
        for (message, signature, parameter) in [
            (json!(null), json!("0x00"), "message"),
            (json!(7), json!("0x00"), "message"),
            (json!(["m"]), json!("0x00"), "message"),
            (json!("m".repeat(MESSAGE_BYTES_MAX + 1)), json!("0x00"), "message"),
            (json!("m"), json!(null), "signature"),
            (json!("m"), json!({ "r": 1 }), "signature"),
            (json!("m"), json!(""), "signature"),
            (json!("m"), json!("000"), "signature"),
            (json!("m"), json!("0x0"), "signature"),
            (json!("m"), json!("0x0x00"), "signature"),
            (json!("m"), json!("0X00"), "signature"),
            (json!("m"), json!("0x0g"), "signature"),
            (json!("m"), json!("0x00 "), "signature"),
            (json!("m"), json!("0xéé"), "signature"),
            (json!("m"), json!(hex(SIGNATURE_BYTES_MAX + 1)), "signature"),
        ] {
            let body = json!({ "message": message, "signature": signature });
            assert_eq!(refused_parameter(&body).as_deref(), Some(parameter), "{body}");
        }
        assert_eq!(refused_parameter(&json!({ "message": "m" })).as_deref(), Some("signature"));
        assert_eq!(refused_parameter(&json!({ "signature": "0x00" })).as_deref(), Some("message"));
    }
}
