//! Light client data of a beacon node's API, as JSON. Source: ethereum/beacon-APIs, `apis/beacon/light_client`.

use alloy_primitives::U256;
use serde::Deserialize;
use superroot_proof::finality::beacon::{
    BeaconEvidence, BeaconHeader, BeaconLayout, BeaconParams, BeaconStep, PayloadHeader,
    SignedHeader,
};
use superroot_types::{Address, BlockNumber, Hash};

#[derive(Deserialize)]
pub(super) struct BeaconAnswer<T> {
    pub(super) data: T,
}

#[derive(Deserialize)]
pub(super) struct LightUpdate {
    attested_header: LightHeader,
    finalized_header: LightHeader,
    finality_branch: Vec<Hash>,
    sync_aggregate: AggregateFields,
    #[serde(deserialize_with = "number")]
    signature_slot: u64,
    next_sync_committee: Option<CommitteeFields>,
    next_sync_committee_branch: Option<Vec<Hash>>,
}

#[derive(Deserialize)]
struct LightHeader {
    beacon: BeaconFields,
    execution: Option<ExecutionFields>,
    execution_branch: Option<Vec<Hash>>,
}

#[derive(Deserialize)]
struct BeaconFields {
    #[serde(deserialize_with = "number")]
    slot: u64,
    #[serde(deserialize_with = "number")]
    proposer_index: u64,
    parent_root: Hash,
    state_root: Hash,
    body_root: Hash,
}

#[derive(Deserialize)]
struct ExecutionFields {
    parent_hash: Hash,
    fee_recipient: Address,
    state_root: Hash,
    receipts_root: Hash,
    logs_bloom: String,
    prev_randao: Hash,
    #[serde(deserialize_with = "number")]
    block_number: u64,
    #[serde(deserialize_with = "number")]
    gas_limit: u64,
    #[serde(deserialize_with = "number")]
    gas_used: u64,
    #[serde(deserialize_with = "number")]
    timestamp: u64,
    extra_data: String,
    base_fee_per_gas: String,
    block_hash: Hash,
    transactions_root: Hash,
    withdrawals_root: Hash,
    #[serde(default, deserialize_with = "optional_number")]
    blob_gas_used: Option<u64>,
    #[serde(default, deserialize_with = "optional_number")]
    excess_blob_gas: Option<u64>,
}

#[derive(Deserialize)]
struct AggregateFields {
    sync_committee_bits: String,
    sync_committee_signature: String,
}

#[derive(Deserialize)]
struct CommitteeFields {
    pubkeys: Vec<String>,
    aggregate_pubkey: String,
}

fn number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(serde::de::Error::custom)
}

fn optional_number<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    number(deserializer).map(Some)
}

fn bytes(text: &str, field: &'static str) -> Result<Vec<u8>, &'static str> {
    const_hex::decode(text).map_err(|_| field)
}

impl From<BeaconFields> for BeaconHeader {
    fn from(header: BeaconFields) -> Self {
        let BeaconFields { slot, proposer_index, parent_root, state_root, body_root } = header;
        Self { slot, proposer_index, parent_root, state_root, body_root }
    }
}

impl ExecutionFields {
    fn payload(self) -> Result<PayloadHeader, &'static str> {
        let base_fee = "base_fee_per_gas";
        let base_fee = self.base_fee_per_gas.parse::<U256>().map_err(|_| base_fee)?;
        Ok(PayloadHeader {
            parent_hash: self.parent_hash,
            fee_recipient: self.fee_recipient,
            state_root: self.state_root,
            receipts_root: self.receipts_root,
            logs_bloom: bytes(&self.logs_bloom, "logs_bloom")?,
            prev_randao: self.prev_randao,
            block_number: self.block_number,
            gas_limit: self.gas_limit,
            gas_used: self.gas_used,
            timestamp: self.timestamp,
            extra_data: bytes(&self.extra_data, "extra_data")?,
            base_fee_per_gas: base_fee.to_le_bytes(),
            block_hash: self.block_hash,
            transactions_root: self.transactions_root,
            withdrawals_root: self.withdrawals_root,
            blob_gas: self
                .blob_gas_used
                .zip(self.excess_blob_gas)
                .map(|(used, excess)| [used, excess]),
        })
    }
}

impl LightUpdate {
    fn signed(self) -> Result<(SignedHeader, FinalizedParts, CommitteeParts), &'static str> {
        let signature = bytes(&self.sync_aggregate.sync_committee_signature, "signature")?;
        let LightHeader { beacon, execution, execution_branch } = self.finalized_header;
        let signed = SignedHeader {
            attested: self.attested_header.beacon.into(),
            finalized: beacon.into(),
            finality_branch: self.finality_branch,
            bits: bytes(&self.sync_aggregate.sync_committee_bits, "sync_committee_bits")?,
            signature: signature.try_into().map_err(|_| "sync_committee_signature")?,
            signature_slot: self.signature_slot,
        };
        let committee = (self.next_sync_committee, self.next_sync_committee_branch);
        Ok((signed, (execution, execution_branch), committee))
    }

    /// Evidence about the finalized execution block, with its number.
    pub(super) fn evidence(
        self,
        params: &BeaconParams,
    ) -> Result<(BlockNumber, BeaconEvidence), &'static str> {
        let (signed, (execution, above), _) = self.signed()?;
        let mut payload = execution.ok_or("execution of the finalized header")?.payload()?;
        // nodes give a header of Capella in the form of later forks
        if params.layout_at(signed.finalized.slot) == Some(BeaconLayout::Capella) {
            payload.blob_gas = None;
        }
        let above = above.ok_or("execution_branch of the finalized header")?;
        let block_branch = payload.block_branch(&above);
        let number = BlockNumber(payload.block_number);
        Ok((number, BeaconEvidence { signed, block_hash: payload.block_hash, block_branch }))
    }

    /// Step to the next committee.
    pub(super) fn step(self) -> Result<BeaconStep, &'static str> {
        let (signed, _, (committee, branch)) = self.signed()?;
        let CommitteeFields { pubkeys, aggregate_pubkey } =
            committee.ok_or("next_sync_committee")?;
        let mut committee = Vec::new();
        for key in pubkeys.iter().chain([&aggregate_pubkey]) {
            committee.extend(bytes(key, "pubkeys")?);
        }
        let committee_branch = branch.ok_or("next_sync_committee_branch")?;
        Ok(BeaconStep { signed, committee, committee_branch })
    }
}

type FinalizedParts = (Option<ExecutionFields>, Option<Vec<Hash>>);
type CommitteeParts = (Option<CommitteeFields>, Option<Vec<Hash>>);
