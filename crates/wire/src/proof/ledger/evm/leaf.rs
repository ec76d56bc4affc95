//! Transactions with types beyond Ethereum's, decoded from the leaves with the nodes' field names.
//!
//! Chains share type numbers: `0x7e` is an OP stack deposit and a Scroll L1 message. The known layouts for a number
//! differ in the number of fields, and a leaf without an exact match shows no fields. The bytes are proven; this module
//! only names the parts.

use alloy_primitives::{B256, Signature, U256};
use alloy_rlp::Header;
use serde_json::{Map, Value, json};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::LedgerError;
use superroot_proof::ledger::evm::{Layout, RlpFields, leaf_type};
use superroot_proof::registry::HashRule;
use superroot_types::{Address, Hash};

use crate::proof::hex::{hex, wide_quantity};

#[derive(Clone, Copy)]
enum LeafFieldKind {
    /// Quantity below 2^256.
    Quantity,
    Hash,
    Address,
    /// Address, or empty.
    Receiver,
    Flag,
    Bytes,
    AccessList,
}

impl LeafFieldKind {
    /// Returns the field type for a name, equal in every layout.
    fn of(name: &str) -> Self {
        match name {
            "requestId" | "sourceHash" | "ticketId" => Self::Hash,
            "beneficiary" | "from" | "refundTo" | "sender" => Self::Address,
            "feeCurrency" | "gatewayFeeRecipient" | "retryTo" | "to" => Self::Receiver,
            "isSystemTx" => Self::Flag,
            "input" | "retryData" => Self::Bytes,
            "accessList" => Self::AccessList,
            _ => Self::Quantity,
        }
    }
}

/// Types with fields in order. If a layout has `yParity`, the last three fields are a signature over the earlier
/// fields.
const LAYOUTS: [(u8, &str); 12] = [
    // a signature of zeros: what OP Mainnet took over from its L1 before Bedrock, internal transactions of Sonic
    (0, "nonce gasPrice gas to value input v r s"),
    // Celo before it was an L2
    (0, "nonce gasPrice gas feeCurrency gatewayFeeRecipient gatewayFee to value input v r s"),
    (0x64, "chainId requestId from to value"),
    (0x65, "chainId from nonce maxFeePerGas gas to value input"),
    (0x66, "chainId requestId from maxFeePerGas gas to value input"),
    (
        0x68,
        "chainId nonce from maxFeePerGas gas to value input ticketId refundTo maxRefund \
         submissionFeeRefund",
    ),
    (
        0x69,
        "chainId requestId from l1BaseFee depositValue maxFeePerGas gas retryTo retryValue \
         beneficiary maxSubmissionFee refundTo retryData",
    ),
    (0x6a, "chainId input"),
    (
        0x7b,
        "chainId nonce maxPriorityFeePerGas maxFeePerGas gas to value input accessList feeCurrency \
         yParity r s",
    ),
    (
        0x7c,
        "chainId nonce maxPriorityFeePerGas maxFeePerGas gas feeCurrency gatewayFeeRecipient \
         gatewayFee to value input accessList yParity r s",
    ),
    // a deposit of the OP stack
    (0x7e, "sourceHash from to mint value gas isSystemTx input"),
    // an L1 message of Scroll
    (0x7e, "queueIndex gas to value input sender"),
];

/// Decodes the fields of a leaf with a known layout; `None` for any other leaf. A signature of zeros means unsigned, as
/// in `signed`; by Sonic's rule the sender is then the zero address.
pub(super) fn fields(raw: &[u8], rule: HashRule) -> Option<Map<String, Value>> {
    let tx_type = leaf_type(raw);
    let payload = if tx_type == 0 { raw } else { raw.get(1..)? };
    let items = RlpFields::of_list(payload, "transaction").ok()?;
    let count = items.count("transaction").ok()?;
    let layouts = LAYOUTS.into_iter().filter(|(of_type, _)| *of_type == tx_type);
    let mut layouts = layouts.map(|(_, names)| names.split(' ').collect::<Vec<_>>());
    let names = layouts.find(|names| names.len() == count)?;
    let mut members = read(tx_type, &names, items).ok()?;
    let zero = json!("0x0");
    if ["v", "r", "s"].iter().all(|part| members.get(*part) == Some(&zero)) {
        members.insert("signed".to_owned(), Value::Bool(false));
        if rule == HashRule::Evm(Layout::Sonic) {
            members.insert("from".to_owned(), json!(Address([0; 20])));
        }
    }
    Some(members)
}

fn read(
    tx_type: u8,
    names: &[&'static str],
    mut items: RlpFields<'_>,
) -> Result<Map<String, Value>, LedgerError> {
    let whole = items.rest();
    let mut signed = None;
    let mut members = Map::new();
    for name in names {
        if *name == "yParity" {
            signed = Some(&whole[..whole.len() - items.rest().len()]);
        }
        members.insert((*name).to_owned(), value(&mut items, name)?);
    }
    items.end("transaction")?;
    if let Some(sender) = signed.and_then(|signed| sender(tx_type, signed, &members)) {
        members.insert("from".to_owned(), json!(sender));
    }
    // nodes name who an L1 message is from in both ways
    if let Some(sender) = members.get("sender").cloned() {
        members.insert("from".to_owned(), sender);
    }
    Ok(members)
}

fn value(items: &mut RlpFields<'_>, name: &'static str) -> Result<Value, LedgerError> {
    let wrong = || LedgerError::Field { field: name };
    Ok(match LeafFieldKind::of(name) {
        LeafFieldKind::Quantity => wide_quantity(&items.uint256(name)?),
        LeafFieldKind::Hash => json!(items.hash(name)?),
        LeafFieldKind::Address => json!(Address(items.array(name)?)),
        LeafFieldKind::Receiver => match items.string(name)? {
            [] => Value::Null,
            address => json!(Address(address.try_into().map_err(|_| wrong())?)),
        },
        LeafFieldKind::Flag => match items.string(name)? {
            [] => Value::Bool(false),
            [1] => Value::Bool(true),
            _ => return Err(wrong()),
        },
        LeafFieldKind::Bytes => hex(items.string(name)?),
        LeafFieldKind::AccessList => {
            let mut list = items.list(name)?;
            let mut entries = Vec::new();
            while !list.is_empty() {
                let mut entry = list.list(name)?;
                let address = Address(entry.array(name)?);
                let mut keys = entry.list(name)?;
                let mut storage_keys: Vec<Hash> = Vec::new();
                while !keys.is_empty() {
                    storage_keys.push(keys.hash(name)?);
                }
                entry.end(name)?;
                entries.push(json!({ "address": address, "storageKeys": storage_keys }));
            }
            Value::Array(entries)
        }
    })
}

/// Recovers the signer of the fields before the signature; `None` without a valid signer.
fn sender(tx_type: u8, signed: &[u8], members: &Map<String, Value>) -> Option<Address> {
    let word = |name: &str| members.get(name)?.as_str()?.parse::<U256>().ok();
    let odd = word("yParity").filter(|parity| *parity <= U256::from(1))? == U256::from(1);
    let mut message = vec![tx_type];
    Header { list: true, payload_length: signed.len() }.encode(&mut message);
    message.extend_from_slice(signed);
    let signature = Signature::new(word("r")?, word("s")?, odd);
    let hash = B256::from(keccak256(&message).0);
    signature.recover_address_from_prehash(&hash).ok().map(|address| Address(address.0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list of strings, after a type byte if there is one.
    fn leaf(tx_type: u8, items: &[&[u8]]) -> Vec<u8> {
        let mut payload = Vec::new();
        items.iter().for_each(|item| alloy_rlp::Encodable::encode(*item, &mut payload));
        let mut out = if tx_type == 0 { vec![] } else { vec![tx_type] };
        Header { list: true, payload_length: payload.len() }.encode(&mut out);
        [out, payload].concat()
    }

    fn ethereum(raw: &[u8]) -> Option<Map<String, Value>> {
        fields(raw, HashRule::Evm(Layout::Ethereum))
    }

    #[test]
    fn one_number_is_two_types_told_apart_by_their_fields() {
        let (hash, address) = ([1; 32], [2; 20]);
        let deposit = leaf(0x7e, &[&hash, &address, &[], &[5], &[], &[0x52, 0x08], &[1], b"data"]);
        let shown = ethereum(&deposit).unwrap();
        assert_eq!((&shown["to"], &shown["mint"]), (&Value::Null, &json!("0x5")));
        assert_eq!((&shown["isSystemTx"], &shown["gas"]), (&json!(true), &json!("0x5208")));
        let message = leaf(0x7e, &[&[9], &[0x52, 0x08], &address, &[], b"data", &address]);
        let shown = ethereum(&message).unwrap();
        assert_eq!((&shown["queueIndex"], &shown["value"]), (&json!("0x9"), &json!("0x0")));
        assert_eq!(shown.get("sourceHash"), None);
        let address = json!(Address(address));
        assert_eq!((&shown["from"], &shown["sender"]), (&address, &address));
    }

    #[test]
    fn a_leaf_that_is_not_wholly_of_a_layout_shows_no_fields() {
        let address = [2; 20];
        let good: [&[u8]; 6] = [&[9], &[1], &address, &[], b"data", &address];
        assert!(ethereum(&leaf(0x7e, &good)).is_some());
        for (at, bad) in [(0, &[0, 1][..]), (0, &[1; 33]), (2, &[2; 19]), (5, &[]), (5, &[2; 21])] {
            let mut bent = good;
            bent[at] = bad;
            assert_eq!(ethereum(&leaf(0x7e, &bent)), None, "field {at}");
        }
        assert_eq!(ethereum(&leaf(0x7e, &good[..5])), None);
        assert_eq!(ethereum(&leaf(0x7f, &good)), None);
        let trailing = [leaf(0x7e, &good), vec![0]].concat();
        let flag = leaf(0x7e, &[&[1; 32], &address, &[], &[], &[], &[], &[2], &[]]);
        for raw in [&[][..], &[0x7e], &trailing, &flag, &[0x7e, 0xff, 0xff]] {
            assert_eq!(ethereum(raw), None);
        }
    }

    #[test]
    fn a_signature_of_zeros_is_shown_as_none_and_by_sonics_rule_from_the_zero_address() {
        let to = [2; 20];
        let with = |v: &[u8]| leaf(0, &[&[5], &[], &[0x52, 0x08], &to, &[], b"data", v, &[], &[]]);
        let sonic = fields(&with(&[]), HashRule::Evm(Layout::Sonic)).unwrap();
        assert_eq!(sonic["signed"], json!(false));
        assert_eq!(sonic["from"], json!(Address([0; 20])));
        assert_eq!(sonic["nonce"], json!("0x5"));
        let bedrock = ethereum(&with(&[])).unwrap();
        assert_eq!((bedrock.get("from"), &bedrock["signed"]), (None, &json!(false)));
        let other = fields(&with(&[27]), HashRule::Evm(Layout::Sonic)).unwrap();
        assert_eq!((other.get("from"), other.get("signed")), (None, None));
    }
}
