//! Certificates for simulated chains, signed with the public key.

use ciborium::Value;
use ic_certification::{HashTree, HashTreeNode, fork, label, leaf};
use ic_verify_bls_signature::PrivateKey;
use superroot_proof::finality::certificate::{Principal, SIGNED_PREFIX, write_cbor};

use super::params::SIMULATED_KEY;

/// Certificate of canister data at `time_nanos` since 1970, signed with [`SIMULATED_KEY`].
#[must_use]
pub fn sign_certificate(canister: &Principal, data: &[u8], time_nanos: u64) -> Vec<u8> {
    let certified = label("certified_data", leaf(data));
    let canisters = label("canister", label(canister.as_slice(), certified));
    let tree: HashTree = fork(canisters, label("time", leaf(leb128(time_nanos))));
    let message = [SIGNED_PREFIX, &tree.digest()].concat();
    let Ok(key) = PrivateKey::deserialize(&SIMULATED_KEY) else { return Vec::new() };
    let signature = key.sign(&message).serialize().to_vec();
    write_cbor(map([("tree", written(tree.as_ref())), ("signature", Value::Bytes(signature))]))
}

fn map<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Map(members.map(|(name, value)| (Value::Text(name.into()), value)).into())
}

fn written(node: &HashTreeNode) -> Value {
    let bytes = |bytes: &[u8]| Value::Bytes(bytes.to_vec());
    let parts = match node {
        HashTreeNode::Empty() => vec![0.into()],
        HashTreeNode::Fork(sides) => vec![1.into(), written(&sides.0), written(&sides.1)],
        HashTreeNode::Labeled(label, node) => {
            vec![2.into(), bytes(label.as_bytes()), written(node)]
        }
        HashTreeNode::Leaf(leaf) => vec![3.into(), bytes(leaf)],
        HashTreeNode::Pruned(hash) => vec![4.into(), bytes(hash)],
    };
    Value::Array(parts)
}

fn leb128(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = u8::try_from(number & 0x7f).unwrap_or(0);
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}
