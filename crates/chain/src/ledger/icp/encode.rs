//! Ledger block encoding for simulated chains.

use superroot_proof::ledger::icp::{IcpAccount, Operation, Transaction};
use superroot_types::Hash;

/// Encodes a block with parent, time in nanoseconds and transaction; the first block has no parent.
#[must_use]
pub fn encode_block(
    parent_hash: Option<&Hash>,
    timestamp_nanos: u64,
    transaction: &Transaction,
) -> Vec<u8> {
    let mut out = ProtobufMessage::default();
    if let Some(hash) = parent_hash {
        out.message(1, ProtobufMessage::default().bytes(1, &hash.0));
    }
    out.wrapped(2, timestamp_nanos);
    out.message(3, &encode_transaction(transaction));
    out.0
}

fn encode_transaction(transaction: &Transaction) -> ProtobufMessage {
    let Transaction { operation, memo, created_at_nanos, icrc1_memo } = transaction;
    let mut out = ProtobufMessage::default();
    match operation {
        Operation::Burn { from, amount_e8s, spender } => {
            let mut burn = ProtobufMessage::default();
            burn.account(1, from).wrapped(3, *amount_e8s);
            if let Some(spender) = spender {
                burn.account(4, spender);
            }
            out.message(1, &burn);
        }
        Operation::Mint { to, amount_e8s } => {
            out.message(2, ProtobufMessage::default().account(2, to).wrapped(3, *amount_e8s));
        }
        Operation::Transfer { from, to, amount_e8s, fee_e8s, spender } => {
            let mut send = ProtobufMessage::default();
            send.account(1, from).account(2, to).wrapped(3, *amount_e8s).wrapped(4, *fee_e8s);
            if let Some(spender) = spender {
                send.message(6, ProtobufMessage::default().account(1, spender));
            }
            out.message(3, &send);
        }
        Operation::Approve {
            from,
            spender,
            allowance_e8s,
            expected_allowance_e8s,
            expires_at_nanos,
            fee_e8s,
        } => {
            let mut approve = ProtobufMessage::default();
            approve.wrapped(1, *allowance_e8s);
            if let Some(time) = expires_at_nanos {
                approve.wrapped(2, *time);
            }
            if let Some(amount) = expected_allowance_e8s {
                approve.wrapped(3, *amount);
            }
            let mut send = ProtobufMessage::default();
            send.account(1, from).account(2, spender).wrapped(3, 0).wrapped(4, *fee_e8s);
            out.message(3, send.message(5, &approve));
        }
    }
    out.wrapped(4, *memo);
    if let Some(time) = created_at_nanos {
        out.wrapped(6, *time);
    }
    if let Some(memo) = icrc1_memo {
        out.message(7, ProtobufMessage::default().bytes(1, memo));
    }
    out
}

/// Protobuf message in the form read by [`superroot_proof::ledger::icp`].
#[derive(Default)]
struct ProtobufMessage(Vec<u8>);

impl ProtobufMessage {
    fn varint(&mut self, mut number: u64) {
        while number > 0x7f {
            self.0.push(u8::try_from(number & 0x7f).unwrap_or(0) | 0x80);
            number >>= 7;
        }
        self.0.push(u8::try_from(number).unwrap_or(0));
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) -> &mut Self {
        if !bytes.is_empty() {
            self.delimited(field, bytes);
        }
        self
    }

    fn message(&mut self, field: u64, message: &Self) -> &mut Self {
        self.delimited(field, &message.0);
        self
    }

    fn delimited(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        self.0.extend_from_slice(bytes);
    }

    fn wrapped(&mut self, field: u64, number: u64) -> &mut Self {
        let mut inner = Self::default();
        if number > 0 {
            inner.varint(1 << 3);
            inner.varint(number);
        }
        self.message(field, &inner)
    }

    fn account(&mut self, field: u64, account: &IcpAccount) -> &mut Self {
        self.message(field, Self::default().bytes(1, &account.with_checksum()))
    }
}
