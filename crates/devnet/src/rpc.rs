//! JSON-RPC (Ethereum execution API), as far as wallets, cast, ethers and viem need it.

mod error;
mod logs;
mod read;
mod write;

use alloy_primitives::U256;
use serde_json::{Value, json};

use self::error::RpcError;
use crate::chain::Devnet;

/// Most calls of a batch.
const BATCH_MAX: usize = 100;

/// Answer to a JSON-RPC request or batch.
#[must_use]
pub fn answer(chain: &Devnet, body: &[u8]) -> Value {
    let Ok(body) = serde_json::from_slice::<Value>(body) else {
        return failed(
            &Value::Null,
            &RpcError { code: -32_700, message: "parse error".to_owned(), data: None },
        );
    };
    match body {
        Value::Array(calls) if calls.is_empty() || calls.len() > BATCH_MAX => {
            let message = format!("a batch has 1 to {BATCH_MAX} calls");
            failed(&Value::Null, &RpcError { code: -32_600, message, data: None })
        }
        Value::Array(calls) => calls.into_iter().map(|call| one(chain, call)).collect(),
        call => one(chain, call),
    }
}

fn one(chain: &Devnet, mut call: Value) -> Value {
    if !call.is_object() {
        let message = "no request".to_owned();
        return failed(&Value::Null, &RpcError { code: -32_600, message, data: None });
    }
    let id = call["id"].take();
    let params = match call["params"].take() {
        Value::Null => json!([]),
        params => params,
    };
    let Some(method) = call["method"].as_str() else {
        return failed(
            &id,
            &RpcError { code: -32_600, message: "no method".to_owned(), data: None },
        );
    };
    match result(chain, method, params) {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => failed(&id, &error),
    }
}

fn failed(id: &Value, error: &RpcError) -> Value {
    let mut shown = json!({ "code": error.code, "message": error.message });
    if let Some(data) = &error.data {
        shown["data"] = json!(data);
    }
    json!({ "jsonrpc": "2.0", "id": id, "error": shown })
}

fn result(chain: &Devnet, method: &str, params: Value) -> Result<Value, RpcError> {
    let quantity = |number: u64| Ok(json!(U256::from(number)));
    match method {
        "web3_clientVersion" => Ok(json!("superroot-devnet")),
        "net_version" => Ok(json!(chain.chain_id().to_string())),
        "eth_chainId" => quantity(chain.chain_id()),
        "eth_syncing" => Ok(json!(false)),
        "eth_accounts" => Ok(json!([])),
        "eth_blockNumber" => quantity(chain.at_now().head_number()),
        "eth_gasPrice" => {
            quantity(read::base_fee(chain).saturating_mul(2).saturating_add(read::TIP))
        }
        "eth_maxPriorityFeePerGas" => quantity(read::TIP),
        "eth_feeHistory" => read::fee_history(chain, params),
        "eth_getBalance" => read::balance(chain, params),
        "eth_getTransactionCount" => read::transaction_count(chain, params),
        "eth_getCode" => read::code(chain, params),
        "eth_getStorageAt" => read::storage(chain, params),
        "eth_getBlockByNumber" => read::block_by_number(chain, params),
        "eth_getBlockByHash" => read::block_by_hash(chain, params),
        "eth_getBlockReceipts" => read::block_receipts(chain, params),
        "eth_getTransactionByHash" => read::transaction(chain, params),
        "eth_getTransactionReceipt" => read::receipt(chain, params),
        "eth_getLogs" => logs::logs(chain, params),
        "eth_call" => write::call(chain, params),
        "eth_estimateGas" => write::estimate(chain, params),
        "eth_sendRawTransaction" => write::send(chain, params),
        other => Err(RpcError {
            code: -32_601,
            message: format!(
                "the method {} does not exist",
                superroot_types::first_chars(other, 60)
            ),
            data: None,
        }),
    }
}
