//! Synthetic checkpoints, made with the network's own types (`sui-sdk-types`): five in a row, with what
//! no real checkpoint at hand has: events, failures, effects and contents of both versions, a change of
//! the committee. `vectors/sui/synthetic.json` holds them for whoever has not those types.

use serde::{Deserialize, Serialize};
use sui_sdk_types as sdk;
use sui_sdk_types::*;

/// A checkpoint in BCS, as hex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// What it has that others have not.
    pub name: String,
    /// Its digest, in base58.
    pub digest: String,
    /// `CheckpointSummary`.
    pub summary: String,
    /// `CheckpointContents`.
    pub contents: String,
    pub transactions: Vec<MadeTransaction>,
}

/// A transaction of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeTransaction {
    /// Its digest, in base58.
    pub digest: String,
    /// `TransactionData`.
    pub transaction: String,
    /// `TransactionEffects`.
    pub effects: String,
    /// `TransactionEvents`, where there are some.
    pub events: Option<String>,
    /// Types of the events, as the network's types write them.
    pub types: Vec<String>,
}

/// One transaction with what came of it.
pub struct Executed {
    pub transaction: Transaction,
    pub effects: TransactionEffects,
    pub events: Option<TransactionEvents>,
}

const fn id(byte: u8) -> Address {
    Address::new([byte; 32])
}

fn name(text: &str) -> Identifier {
    Identifier::new(text).unwrap()
}

/// A struct of the package `0x02..`.
fn of(name_of: &str, of: Vec<TypeTag>) -> StructTag {
    StructTag::new(id(2), name("pool"), name(name_of), of)
}

/// Every kind of type there is.
pub fn types() -> Vec<StructTag> {
    let plain = [
        TypeTag::Bool,
        TypeTag::U8,
        TypeTag::U16,
        TypeTag::U32,
        TypeTag::U64,
        TypeTag::U128,
        TypeTag::U256,
        TypeTag::Address,
        TypeTag::Signer,
    ];
    let deep = (0..7).fold(TypeTag::U8, |inner, _| TypeTag::Vector(Box::new(inner)));
    let pair = vec![TypeTag::Struct(Box::new(of("A", vec![]))), deep];
    vec![of("Swapped", vec![]), of("All", plain.to_vec()), of("Pair_2", pair)]
}

fn events_of(count: usize) -> Option<TransactionEvents> {
    let event = |(place, type_): (usize, StructTag)| Event {
        package_id: id(2),
        module: name("pool"),
        sender: id(9),
        type_,
        contents: vec![place as u8; place * 100],
    };
    let events = types().into_iter().cycle().take(count).enumerate().map(event).collect();
    (count > 0).then_some(TransactionEvents(events))
}

fn transaction(nonce: u64) -> Transaction {
    let input = Input::Pure(nonce.to_le_bytes().to_vec());
    let reference = ObjectReference::new(id(7), nonce, Digest::new([8; 32]));
    Transaction {
        kind: TransactionKind::ProgrammableTransaction(ProgrammableTransaction {
            inputs: vec![input],
            commands: vec![],
        }),
        sender: id(9),
        gas_payment: GasPayment {
            objects: vec![reference],
            owner: id(9),
            price: 1_000,
            budget: 50_000_000,
        },
        expiration: TransactionExpiration::None,
    }
}

pub fn succeeded(nonce: u64, event_count: usize, is_v1: bool) -> Executed {
    executed(nonce, ExecutionStatus::Success, event_count, is_v1)
}

fn failed(nonce: u64, error: ExecutionError, is_v1: bool) -> Executed {
    let status = ExecutionStatus::Failure { error, command: Some(3) };
    executed(nonce, status, 0, is_v1)
}

fn executed(nonce: u64, status: ExecutionStatus, event_count: usize, is_v1: bool) -> Executed {
    let (transaction, events) = (transaction(nonce), events_of(event_count));
    let transaction_digest = transaction.digest();
    let events_digest = events.as_ref().map(TransactionEvents::digest);
    let gas_used = GasCostSummary::new(1, 2, 3, 4);
    let digest = Digest::new([3; 32]);
    let reference = |byte: u8| ObjectReference::new(id(byte), nonce, digest);
    let owners = [
        Owner::Address(id(4)),
        Owner::Object(id(5)),
        Owner::Shared(6),
        Owner::Immutable,
        Owner::ConsensusAddress { start_version: 7, owner: id(8) },
    ];
    let owned = |owner: &Owner| ObjectReferenceWithOwner { reference: reference(1), owner: *owner };
    let effects = if is_v1 {
        TransactionEffects::V1(Box::new(TransactionEffectsV1 {
            status,
            epoch: 0,
            gas_used,
            modified_at_versions: vec![ModifiedAtVersion { object_id: id(1), version: nonce }],
            consensus_objects: vec![reference(2), reference(3)],
            transaction_digest,
            created: owners.iter().map(owned).collect(),
            mutated: owners[1..3].iter().map(owned).collect(),
            unwrapped: owners[3..].iter().map(owned).collect(),
            deleted: vec![reference(4)],
            unwrapped_then_deleted: vec![],
            wrapped: vec![reference(5), reference(6)],
            gas_object: owned(&owners[0]),
            events_digest,
            dependencies: vec![digest],
        }))
    } else {
        TransactionEffects::V2(Box::new(TransactionEffectsV2 {
            status,
            epoch: 1,
            gas_used,
            transaction_digest,
            gas_object_index: nonce.is_multiple_of(2).then_some(0),
            events_digest,
            dependencies: vec![digest],
            lamport_version: nonce,
            changed_objects: vec![ChangedObject {
                object_id: id(7),
                input_state: ObjectIn::Exist { version: 1, digest, owner: owners[0] },
                output_state: ObjectOut::ObjectWrite { digest, owner: owners[0] },
                id_operation: IdOperation::None,
            }],
            unchanged_consensus_objects: vec![],
            auxiliary_data_digest: Some(digest),
        }))
    };
    Executed { transaction, effects, events }
}

pub fn contents(executed: &[Executed], is_v1: bool) -> CheckpointContents {
    let signature = UserSignature::Simple(SimpleSignature::Ed25519 {
        signature: Ed25519Signature::new([0x51; 64]),
        public_key: Ed25519PublicKey::new([0x52; 32]),
    });
    let info = |(place, one): (usize, &Executed)| {
        let version = (place % 2 == 0).then_some(77);
        let signatures = vec![(signature.clone(), version); place % 3];
        CheckpointTransactionInfo::new_with_address_aliases_versions(
            one.transaction.digest(),
            one.effects.digest(),
            signatures,
        )
    };
    let infos = executed.iter().enumerate().map(info).collect();
    if is_v1 { CheckpointContents::new_v1(infos) } else { CheckpointContents::new_v2(infos) }
}

pub fn summary(
    number: u64,
    previous: Option<Digest>,
    contents: &CheckpointContents,
) -> CheckpointSummary {
    CheckpointSummary {
        epoch: number / 3,
        sequence_number: number,
        network_total_transactions: 10 * number,
        content_digest: contents.digest(),
        previous_digest: previous,
        epoch_rolling_gas_cost_summary: GasCostSummary::new(5, 6, 7, 8),
        timestamp_ms: 1_700_000_000_123 + 250 * number,
        checkpoint_commitments: vec![],
        end_of_epoch_data: None,
        version_specific_data: vec![0, 1, 2],
    }
}

pub fn made() -> Vec<Made> {
    let abort = ExecutionError::MoveAbort {
        location: MoveLocation {
            package: id(2),
            module: name("pool"),
            function: 1,
            instruction: 2,
            function_name: Some(name("swap")),
        },
        code: 7,
    };
    let plans: Vec<(&str, bool, Vec<Executed>)> = vec![
        ("the first, contents and effects of V1", true, vec![succeeded(0, 1, true)]),
        (
            "contents of V1, effects of V1 with events, without, and of a failure",
            true,
            vec![
                succeeded(1, 3, true),
                failed(2, ExecutionError::InsufficientGas, true),
                succeeded(3, 0, true),
            ],
        ),
        (
            "contents of V2, effects of V2 with events, without, and of a failure",
            false,
            vec![
                succeeded(4, 0, false),
                succeeded(5, 5, false),
                failed(6, abort, false),
                succeeded(7, 1, false),
                succeeded(8, 2, true),
            ],
        ),
        ("no transaction", false, vec![]),
        ("the last of an epoch", false, vec![succeeded(9, 1, false)]),
    ];
    let (mut all, mut previous) = (Vec::new(), None);
    for (number, (what, is_v1, executed)) in (0_u64..).zip(plans) {
        let contents = contents(&executed, is_v1);
        let mut summary = summary(number, previous, &contents);
        if number == 4 {
            let digest = Digest::new([6; 32]);
            let artifacts = CheckpointCommitment::CheckpointArtifacts { digest };
            summary.checkpoint_commitments = vec![artifacts];
            let key = Bls12381PublicKey::new([0x61; 96]);
            let member = ValidatorCommitteeMember { public_key: key, stake: 5_000 };
            summary.end_of_epoch_data = Some(EndOfEpochData {
                next_epoch_committee: vec![member.clone(), member],
                next_epoch_protocol_version: 99,
                epoch_commitments: vec![CheckpointCommitment::EcmhLiveObjectSet { digest }],
            });
        }
        let digest = summary.digest();
        previous = Some(digest);
        let transactions = executed.iter().map(|one| MadeTransaction {
            digest: one.transaction.digest().to_base58(),
            transaction: hex(&one.transaction),
            effects: hex(&one.effects),
            events: one.events.as_ref().map(hex),
            types: type_names(one.events.as_ref()),
        });
        all.push(Made {
            name: what.to_owned(),
            digest: digest.to_base58(),
            summary: hex(&summary),
            contents: hex(&contents),
            transactions: transactions.collect(),
        });
    }
    all
}

pub fn type_names(events: Option<&sdk::TransactionEvents>) -> Vec<String> {
    let events = events.map(|events| &events.0[..]).unwrap_or_default();
    events.iter().map(|event| event.type_.to_string()).collect()
}

pub fn hex(value: &impl Serialize) -> String {
    const_hex::encode(::bcs::to_bytes(value).unwrap())
}
