//! gRPC messages, reduced to the used fields.

use prost::Message;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use superroot_chain::ledger::sui::{Certificate, RawContents, RawSuiBlock, RawSuiTransaction};
use superroot_types::BlockNumber;

use super::{parse_shown, shown};
use crate::ClaimedBlock;

/// Most transactions per checkpoint; the network allows 20,000.
const TX_COUNT_MAX: usize = 65_536;

/// `GetServiceInfoResponse`.
#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct ServiceInfo {
    /// Digest of checkpoint 0, in base58.
    #[prost(string, optional, tag = "1")]
    pub(crate) chain_id: Option<String>,
    /// The newest checkpoint's number.
    #[prost(uint64, optional, tag = "4")]
    pub(crate) checkpoint_height: Option<u64>,
    /// Number of the oldest available checkpoint.
    #[prost(uint64, optional, tag = "6")]
    pub(crate) lowest_available_checkpoint: Option<u64>,
    /// Software name and version.
    #[prost(string, optional, tag = "8")]
    pub(crate) server: Option<String>,
}

/// `GetCheckpointRequest`.
#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct CheckpointRequest {
    #[prost(oneof = "CheckpointRef", tags = "1, 2")]
    pub(crate) which: Option<CheckpointRef>,
    #[prost(message, optional, tag = "3")]
    pub(crate) read_mask: Option<FieldMask>,
}

/// Requested checkpoint; the newest if neither is given.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub(crate) enum CheckpointRef {
    #[prost(uint64, tag = "1")]
    SequenceNumber(u64),
    #[prost(string, tag = "2")]
    Digest(String),
}

/// `google.protobuf.FieldMask`: requested message parts.
#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct FieldMask {
    #[prost(string, repeated, tag = "1")]
    pub(crate) paths: Vec<String>,
}

/// `GetCheckpointResponse`.
#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct CheckpointResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) checkpoint: Option<CheckpointMessage>,
}

/// `Checkpoint`.
#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct CheckpointMessage {
    #[prost(uint64, optional, tag = "1")]
    pub(crate) sequence_number: Option<u64>,
    #[prost(string, optional, tag = "2")]
    pub(crate) digest: Option<String>,
    #[prost(message, optional, tag = "3")]
    pub(crate) summary: Option<InBcs>,
    #[prost(message, optional, tag = "4")]
    pub(crate) signature: Option<AggregatedSignature>,
    #[prost(message, optional, tag = "5")]
    pub(crate) contents: Option<InBcs>,
    #[prost(message, repeated, tag = "6")]
    pub(crate) transactions: Vec<ExecutedTransaction>,
}

/// Message with a BCS-encoded first field: `CheckpointSummary`, `CheckpointContents`, `Transaction`,
/// `TransactionEffects`, `TransactionEvents`.
#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct InBcs {
    #[prost(message, optional, tag = "1")]
    pub(crate) bcs: Option<Bcs>,
}

/// `Bcs`.
#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct Bcs {
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) value: Option<Vec<u8>>,
}

/// `ValidatorAggregatedSignature`.
#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct AggregatedSignature {
    #[prost(uint64, optional, tag = "1")]
    pub(crate) epoch: Option<u64>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) signature: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub(crate) bitmap: Option<Vec<u8>>,
}

/// `ExecutedTransaction`.
#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct ExecutedTransaction {
    #[prost(message, optional, tag = "2")]
    pub(crate) transaction: Option<InBcs>,
    #[prost(message, optional, tag = "4")]
    pub(crate) effects: Option<InBcs>,
    #[prost(message, optional, tag = "5")]
    pub(crate) events: Option<InBcs>,
}

impl InBcs {
    pub(crate) const fn of(value: Vec<u8>) -> Self {
        Self { bcs: Some(Bcs { value: Some(value) }) }
    }

    fn into_value(self) -> Option<Vec<u8>> {
        self.bcs?.value
    }
}

/// A requested part's bytes.
fn value_of(part: Option<InBcs>, name: &str) -> Result<Vec<u8>, String> {
    part.and_then(InBcs::into_value).ok_or_else(|| format!("{name}.bcs is missing"))
}

impl CheckpointMessage {
    /// Parses the answer about a checkpoint.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        check_count(bytes)?;
        let response = CheckpointResponse::decode(bytes).map_err(|error| error.to_string())?;
        response.checkpoint.ok_or_else(|| "checkpoint is missing".to_owned())
    }

    pub(crate) fn named(&self) -> Result<ClaimedBlock, String> {
        let number = self.sequence_number.ok_or("sequence_number is missing")?;
        let digest = self.digest.as_deref().ok_or("digest is missing")?;
        let hash = parse_shown(digest).ok_or("digest is no 32 bytes in base58")?;
        Ok(ClaimedBlock { number: BlockNumber(number), hash })
    }

    /// Checkpoint with the requested parts.
    pub(crate) fn into_raw(self, is_whole: bool) -> Result<RawSuiBlock, String> {
        let digest = self.named()?.hash;
        let Self { summary, signature, contents, transactions, .. } = self;
        let contents = is_whole.then(|| {
            let contents = value_of(contents, "contents")?;
            let of = |(place, one): (usize, ExecutedTransaction)| {
                let named = |error| format!("transactions[{place}].{error}");
                let transaction = value_of(one.transaction, "transaction").map_err(named)?;
                let effects = value_of(one.effects, "effects").map_err(named)?;
                let events = one.events.and_then(InBcs::into_value);
                Ok(RawSuiTransaction { transaction, effects, events })
            };
            let transactions = transactions.into_iter().enumerate().map(of);
            let transactions = transactions.collect::<Result<_, String>>()?;
            Ok::<_, String>(RawContents { contents, transactions })
        });
        let certificate = signature.map(|signed| Certificate {
            epoch: signed.epoch.unwrap_or(0),
            signature: signed.signature.unwrap_or_default(),
            signers: signed.bitmap.unwrap_or_default(),
        });
        let summary = value_of(summary, "summary")?;
        Ok(RawSuiBlock { digest, summary, certificate, contents: contents.transpose()? })
    }

    /// Whole checkpoint as a node's answer.
    pub(crate) fn of(number: u64, raw: RawSuiBlock) -> Self {
        let RawSuiBlock { digest, summary, certificate, contents } = raw;
        let signature = certificate.map(|certificate| AggregatedSignature {
            epoch: Some(certificate.epoch),
            signature: Some(certificate.signature),
            bitmap: Some(certificate.signers),
        });
        let (contents, transactions) = match contents {
            None => (None, Vec::new()),
            Some(RawContents { contents, transactions }) => (Some(contents), transactions),
        };
        let executed = |one: RawSuiTransaction| ExecutedTransaction {
            transaction: Some(InBcs::of(one.transaction)),
            effects: Some(InBcs::of(one.effects)),
            events: one.events.map(InBcs::of),
        };
        Self {
            sequence_number: Some(number),
            digest: Some(shown(&digest)),
            summary: Some(InBcs::of(summary)),
            signature,
            contents: contents.map(InBcs::of),
            transactions: transactions.into_iter().map(executed).collect(),
        }
    }
}

/// Rejects an answer with too many transactions before allocation: a 2-byte transaction takes a hundred bytes in
/// memory.
fn check_count(bytes: &[u8]) -> Result<(), String> {
    let mut count = 0_usize;
    let walked = each_field(bytes, |tag, checkpoint| match tag {
        1 => each_field(checkpoint, |tag, _| {
            count += usize::from(tag == 6);
            Ok(())
        }),
        _ => Ok(()),
    });
    walked.map_err(|error| error.to_string())?;
    if count > TX_COUNT_MAX {
        return Err(format!("{count} transactions, expected at most {TX_COUNT_MAX}"));
    }
    Ok(())
}

/// Iterates over length-delimited fields of a message.
fn each_field(
    mut bytes: &[u8],
    mut see: impl FnMut(u32, &[u8]) -> Result<(), prost::DecodeError>,
) -> Result<(), prost::DecodeError> {
    while !bytes.is_empty() {
        let (tag, wire_type) = decode_key(&mut bytes)?;
        if wire_type != WireType::LengthDelimited {
            skip_field(wire_type, tag, &mut bytes, DecodeContext::default())?;
            continue;
        }
        let mut rest = bytes;
        let length = decode_varint(&mut rest)?;
        let member = usize::try_from(length).ok().and_then(|length| rest.get(..length));
        see(tag, member.unwrap_or_default())?;
        skip_field(wire_type, tag, &mut bytes, DecodeContext::default())?;
    }
    Ok(())
}
