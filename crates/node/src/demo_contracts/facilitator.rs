//! Facilitator of the demo: sends what customers authorized, on the demo's own chain (x402 version 2, `exact`).

use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address, B256, TxKind, U256, keccak256};
use alloy_sol_types::SolValue;
use serde_json::{Value, json};
use superroot_api::{Facilitated, Facilitator};
use superroot_devnet::Devnet;
use superroot_wire::account::{PaymentPayload, Settlement, TransferAuthorization};

use super::wallet::{CHAIN, DemoWallet};

const CALL: &str =
    "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)";
/// Longest wait for a block.
const INCLUSION: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(100);

pub(super) struct DemoFacilitator {
    pub(super) chain: Arc<Devnet>,
    pub(super) wallet: DemoWallet,
    pub(super) usdc: Address,
}

impl DemoFacilitator {
    /// Call of the token for a payment.
    fn call_of(&self, payment: &Value) -> Result<(Vec<u8>, String), String> {
        let payment: PaymentPayload =
            serde_json::from_value(payment.clone()).map_err(|error| error.to_string())?;
        let TransferAuthorization { from, to, value, valid_after, valid_before, nonce } =
            payment.payload.authorization;
        let address = |text: &str| text.parse::<Address>().map_err(|error| error.to_string());
        let number = |text: &str| text.parse::<U256>().map_err(|error| error.to_string());
        let nonce: B256 = nonce.parse().map_err(|_| "no nonce".to_owned())?;
        let signature = const_hex::decode(&payment.payload.signature);
        let signature = signature.map_err(|error| error.to_string())?;
        let words = (
            address(&from)?,
            address(&to)?,
            number(&value)?,
            number(&valid_after)?,
            number(&valid_before)?,
            nonce,
            alloy_primitives::Bytes::from(signature),
        );
        Ok(([&keccak256(CALL)[..4], &words.abi_encode_params()].concat(), from))
    }

    /// Whether a node would execute the call; the reason if not.
    fn simulate(&self, data: &[u8]) -> Result<(), String> {
        let call = json!({ "from": self.wallet.address(), "to": self.usdc, "data": const_hex::encode_prefixed(data) });
        let body =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [call, "latest"] });
        let answer = superroot_devnet::answer(&self.chain, body.to_string().as_bytes());
        match answer.get("error") {
            None => Ok(()),
            Some(error) => Err(format!("the token refuses it: {}", refusal(error))),
        }
    }

    async fn send(&self, data: Vec<u8>) -> Result<B256, String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let nonce = self.chain.next_nonce(self.wallet.address());
        let raw = self.wallet.sign(nonce, TxKind::Call(self.usdc), data);
        let raw = raw.map_err(|error| text(&error))?;
        let hash = self.chain.submit(&raw).map_err(|error| text(&error))?;
        let included = async {
            while !self.chain.is_included(hash) {
                tokio::time::sleep(LOOK).await;
            }
        };
        let waited = tokio::time::timeout(INCLUSION, included).await;
        waited.map_err(|_| "no block has it yet".to_owned())?;
        Ok(hash)
    }
}

/// Errors of `contracts/src/demo/TestUsdc.sol`, in words.
const REFUSALS: [(&str, &str); 5] = [
    ("ERC20InsufficientBalance(address,uint256,uint256)", "the payer has less USDC than the price"),
    ("SignatureInvalid(address)", "the signature is not the payer's, of these terms on this chain"),
    ("AuthorizationUsedBefore(address,bytes32)", "the authorization's nonce was used before"),
    ("OutsideTime(uint256,uint256,uint256)", "the authorization is over, or not valid yet"),
    ("Blocked(address)", "the token blocks payer or payee"),
];

/// Error of a call, in words where the token is known to say it.
fn refusal(error: &Value) -> String {
    let data = error.get("data").and_then(Value::as_str).unwrap_or_default();
    let is_it = |name: &str| data.starts_with(&const_hex::encode_prefixed(&keccak256(name)[..4]));
    let known = REFUSALS.iter().find(|(name, _)| is_it(name));
    known.map_or_else(|| error.to_string(), |(_, words)| (*words).to_owned())
}

impl Facilitator for DemoFacilitator {
    fn verify<'a>(&'a self, payment: &'a Value, _: &'a Value) -> Facilitated<'a, ()> {
        Box::pin(async move { self.simulate(&self.call_of(payment)?.0) })
    }

    fn settle<'a>(&'a self, payment: &'a Value, _: &'a Value) -> Facilitated<'a, Settlement> {
        Box::pin(async move {
            let (data, payer) = self.call_of(payment)?;
            let hash = self.send(data).await?;
            Ok(Settlement {
                success: true,
                error_reason: None,
                transaction: hash.to_string(),
                network: format!("eip155:{CHAIN}"),
                payer: Some(payer),
            })
        })
    }
}
