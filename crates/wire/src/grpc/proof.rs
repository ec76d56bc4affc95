//! Messages for proofs: bytes and proven facts.

use superroot_proof::bundle::{
    Bundle, Facts, ProofSubject, ProvenEvent, ProvenVersionEvent, ShownPlace, TwigPosition,
};
use superroot_proof::ledger::aptos;
use superroot_proof::ledger::icp::{self, IcpAccount};

use super::parts::{all, hash};
use super::{
    AptosEvent, BitcoinOutput, BlockProof, BloomBits, Check, EntryProof, Event, EvmBloom, EvmLog,
    IcpOperation, KnownSuperRoot, MiniMmrPlace, NotePlace, PolkadotEvents, Proof, SuiEvent,
    SuperRootPlace, SuperRootRow, Twig, VerifyProofResponse, event,
};
use crate::proof::{LogBloom, SPELLED_BYTES_MAX, log_bloom};
use crate::{superroot, verify};

impl Proof {
    /// Creates the message for a proof: `facts` come from verifying `bundle`. The service adds unproven members.
    #[must_use]
    pub fn new(bundle: &Bundle, facts: &Facts) -> Self {
        let statement = facts.statement;
        Self {
            proof_blob: bundle.encode(),
            proof_kind: statement.subject.name().to_owned(),
            chain_id: statement.chain.id.0,
            family: statement.chain.family.name().to_owned(),
            origin: facts.origin.clone(),
            network: facts.network.name().to_owned(),
            proof_level: facts.level.number().into(),
            block_number: statement.number.0,
            super_root_hash: facts.super_root_hash().map(hash),
            block: block(bundle, facts),
            entry: entry(facts),
            event: event(facts),
            ..Self::default()
        }
    }
}

fn block(bundle: &Bundle, facts: &Facts) -> Option<BlockProof> {
    let block = bundle.block.as_ref()?;
    let block_hash = facts.block_hash?;
    let header = facts.header.as_ref();
    let mini_mmr = match facts.place {
        Some(ShownPlace::Sealed { leaf_index, leaf_count, root }) => {
            let family = facts.statement.chain.family.name().to_owned();
            Some(MiniMmrPlace {
                family,
                leaf_index: leaf_index.0,
                leaf_count: leaf_count.0,
                root: hash(root),
            })
        }
        Some(ShownPlace::Open { .. }) | None => None,
    };
    let super_root = bundle.super_root().zip(facts.super_root.as_ref());
    Some(BlockProof {
        number_bound: facts.number_bound,
        block_hash: hash(block_hash),
        block_header: block.header.clone(),
        parent_hash: header.and_then(|header| header.parent_hash()).map(hash),
        timestamp: header.and_then(|header| header.timestamp()),
        transactions_root: header.and_then(|header| header.transactions_root()).map(hash),
        receipts_root: header.and_then(|header| header.receipts_root()).map(hash),
        twig: facts.twig.map(|twig| Twig {
            index: twig.index.0,
            slot: twig.slot.into(),
            root: hash(twig.root),
        }),
        mini_mmr,
        block_reference: reference(bundle, facts),
        super_root: super_root.map(|(proof, shown)| {
            let row = SuperRootRow::from(superroot::body::SuperRootRow::from(shown));
            SuperRootPlace {
                version: row.version,
                log_id: row.log_id,
                sequence: row.sequence,
                timestamp: row.timestamp,
                tree_root: row.tree_root,
                preimage: proof.preimage.clone(),
            }
        }),
        note: super_root.and_then(|(proof, _)| {
            let size = facts.note.as_ref()?.checkpoint.size;
            Some(NotePlace { text: proof.note.as_ref()?.note.clone(), size: size.0 })
        }),
    })
}

/// Returns the block reference for an open twig.
fn reference(bundle: &Bundle, facts: &Facts) -> Option<super::BlockReference> {
    let (Some(TwigPosition::Open(open)), Some(twig)) = (bundle.place(), facts.twig) else {
        return None;
    };
    let chain = facts.statement.chain;
    Some(super::BlockReference {
        chain_id: chain.id.0,
        family: chain.family.name().to_owned(),
        start: open.start.0,
        number: open.number.0,
        hash: hash(open.block_hash),
        open_twig_index: twig.index.0,
        open_twig_root: hash(twig.root),
    })
}

fn entry(facts: &Facts) -> Option<EntryProof> {
    let subject = facts.statement.subject;
    if subject == ProofSubject::Block {
        return None;
    }
    let transaction = facts.transaction.as_ref();
    Some(EntryProof {
        transaction_index: subject.tx_index(),
        index_bound: facts.statement.tx_index().is_some(),
        transaction_count: facts.tx_count,
        transactions_root: facts.transactions_root.map(hash),
        receipt_root: facts.receipts_root.map(hash),
        transaction_hash: transaction.map(|proven| hash(proven.hash)),
        raw_transaction: transaction.and_then(|proven| spelled(&proven.raw)),
        raw_receipt: facts.receipt.as_ref().and_then(|proven| spelled(&proven.raw)),
    })
}

/// Returns bytes that are small enough to repeat outside the proof.
fn spelled(raw: &[u8]) -> Option<Vec<u8>> {
    (raw.len() <= SPELLED_BYTES_MAX).then(|| raw.to_vec())
}

fn event(facts: &Facts) -> Option<Event> {
    let ProofSubject::Log { log_index, .. } = facts.statement.subject else { return None };
    let kind = match facts.event.as_ref()? {
        ProvenEvent::Log(proven) => event::Kind::Evm(EvmLog {
            address: proven.log.address.0.to_vec(),
            topics: proven.log.topics.iter().map(|topic| topic.0.to_vec()).collect(),
            data: proven.log.data.clone(),
            bloom: log_bloom(facts).map(Into::into),
        }),
        ProvenEvent::Output(proven) => event::Kind::Bitcoin(BitcoinOutput {
            value_sats: proven.output.value_sats.to_string(),
            script_pub_key: proven.output.script_pubkey.clone(),
        }),
        ProvenEvent::Operation(proven) => event::Kind::Icp(proven.into()),
        ProvenEvent::OfVersion(proven) => event::Kind::Aptos(aptos_event(proven)),
        ProvenEvent::List(proven) => event::Kind::Polkadot(PolkadotEvents {
            list: spelled(&proven.value).unwrap_or_default(),
            record_count: proven.record_count as u64,
            state_root: hash(proven.state_root),
        }),
        ProvenEvent::Move(proven) => event::Kind::Sui(SuiEvent {
            package_id: hash(proven.event.package),
            module: proven.event.module.clone(),
            sender: hash(proven.event.sender),
            r#type: proven.event.type_name.clone(),
            contents: proven.event.contents.clone(),
            transaction_hash: hash(proven.transaction_hash),
        }),
    };
    Some(Event { log_index, log_index_in_block: None, kind: Some(kind) })
}

fn aptos_event(proven: &ProvenVersionEvent) -> AptosEvent {
    let read = aptos::Event::decode(&proven.raw).ok();
    let account = read.as_ref().and_then(|event| event.handle).map(|handle| handle.account);
    let (r#type, data) = read.map(|event| (event.type_name, event.data)).unzip();
    AptosEvent {
        raw: proven.raw.clone(),
        event_root_hash: hash(proven.event_root),
        r#type,
        data,
        account: account.map(hash),
    }
}

impl From<LogBloom> for EvmBloom {
    fn from(bloom: LogBloom) -> Self {
        let bits = bloom.bits.into_iter();
        let bits = bits.map(|bits| BloomBits { bits: bits.map(u32::from).to_vec() });
        Self { in_receipt: bloom.in_receipt, in_header: bloom.in_header, bits: bits.collect() }
    }
}

impl From<&icp::Operation> for IcpOperation {
    fn from(operation: &icp::Operation) -> Self {
        let account = |account: &IcpAccount| Some(account.with_checksum().to_vec());
        let optional =
            |account: &Option<IcpAccount>| account.map(|account| account.with_checksum().to_vec());
        let amount = |e8s: &u64| Some(e8s.to_string());
        match operation {
            icp::Operation::Burn { from, amount_e8s, spender } => Self {
                kind: "burn".to_owned(),
                from: account(from),
                spender: optional(spender),
                amount_e8s: amount(amount_e8s),
                ..Self::default()
            },
            icp::Operation::Mint { to, amount_e8s } => Self {
                kind: "mint".to_owned(),
                to: account(to),
                amount_e8s: amount(amount_e8s),
                ..Self::default()
            },
            icp::Operation::Transfer { from, to, amount_e8s, fee_e8s, spender } => Self {
                kind: "transfer".to_owned(),
                from: account(from),
                to: account(to),
                spender: optional(spender),
                amount_e8s: amount(amount_e8s),
                fee_e8s: amount(fee_e8s),
                ..Self::default()
            },
            icp::Operation::Approve {
                from,
                spender,
                allowance_e8s,
                expected_allowance_e8s,
                expires_at_nanos,
                fee_e8s,
            } => Self {
                kind: "approve".to_owned(),
                from: account(from),
                spender: account(spender),
                fee_e8s: amount(fee_e8s),
                allowance_e8s: amount(allowance_e8s),
                expected_allowance_e8s: expected_allowance_e8s.as_ref().and_then(amount),
                expires_at_nanos: *expires_at_nanos,
                ..Self::default()
            },
        }
    }
}

impl From<verify::VerifyAnswer> for VerifyProofResponse {
    fn from(body: verify::VerifyAnswer) -> Self {
        let verify::VerifyAnswer { valid, level_reached, checks, anchored, retraction } = body;
        let verify::KnownSuperRoot { known_super_root, sequence, super_root_hash } = anchored;
        let super_root_hash = super_root_hash.map(hash);
        Self {
            valid,
            level_reached: level_reached.map(u32::from),
            checks: all(checks),
            anchored: Some(KnownSuperRoot { known_super_root, sequence, super_root_hash }),
            retraction: retraction.map(Into::into),
            v5_anchor: None,
        }
    }
}

impl From<verify::ProofCheck> for Check {
    fn from(check: verify::ProofCheck) -> Self {
        let verify::ProofCheck { level, name, ok, detail } = check;
        Self { level: level.map(u32::from), name, ok, detail }
    }
}
