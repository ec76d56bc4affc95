//! Checkpoints of the Sui family: the real one of a private network, found through `SUPERROOT_DATA`, the
//! synthetic ones of `vectors/sui`, and made-up ones. Second computation: the network's own types, and
//! its own check of signatures.

use serde_json::Value;
use sui_crypto::bls12381::{Bls12381PrivateKey, ValidatorCommitteeSignatureVerifier};
use sui_sdk_types as sdk;
use superroot_chain::ledger::sui::*;
use superroot_chain::{
    BlockCheck, ChainError, ChainRegistry, ChainSpec, Ledger, UntrustedBlock, VerifiedBlock, verify,
};
use superroot_proof::bundle::{self, *};
use superroot_types::*;

fn bcs_of(value: &impl serde::Serialize) -> Vec<u8> {
    bcs::to_bytes(value).unwrap()
}

/// A checkpoint of the network's own form, as a node would send its parts.
fn raw_of(data: &sdk::CheckpointData) -> RawSuiBlock {
    let sdk::SignedCheckpointSummary { checkpoint, signature } = &data.checkpoint_summary;
    let transactions = data.transactions.iter().map(|one| RawSuiTransaction {
        transaction: bcs_of(&one.transaction.transaction),
        effects: bcs_of(&one.effects),
        events: one.events.as_ref().map(bcs_of),
    });
    RawSuiBlock {
        digest: Hash(checkpoint.digest().into_inner()),
        summary: bcs_of(checkpoint),
        certificate: Some(Certificate {
            epoch: signature.epoch,
            signature: signature.signature.inner().to_vec(),
            // behind its length, which is below 128
            signers: bcs_of(&signature.bitmap)[1..].to_vec(),
        }),
        contents: Some(RawContents {
            contents: bcs_of(&data.checkpoint_contents),
            transactions: transactions.collect(),
        }),
    }
}

fn file(name: &str) -> Option<Vec<u8>> {
    let Ok(data) = std::env::var("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no checkpoint of Sui was read");
        return None;
    };
    Some(std::fs::read(format!("{data}/other/sui/{name}")).unwrap())
}

fn real() -> Option<(sdk::CheckpointData, Vec<u8>)> {
    Some((bcs::from_bytes(&file("1137.chk")?).unwrap(), file("committee.bcs")?))
}

/// The row with what is known of a network.
fn row(genesis: Hash, committee: Option<&[u8]>) -> ChainSpec {
    let mut row = ChainRegistry::builtin().find("sui").unwrap().clone();
    let committee = committee.map(|bytes| Committee::read(bytes).unwrap());
    row.ledger = Ledger::Sui(SuiParams { genesis, committee });
    row
}

fn check(row: &ChainSpec, raw: &RawSuiBlock) -> Result<VerifiedBlock, ChainError> {
    verify(row, &UntrustedBlock::Sui(Box::new(raw.clone())))
}

/// The checkpoints of `vectors/sui`, by number.
fn synthetic() -> Vec<RawSuiBlock> {
    let text = include_str!("../../../vectors/sui/synthetic.json");
    let all: Vec<Value> = serde_json::from_str(text).unwrap();
    let hex = |value: &Value| const_hex::decode(value.as_str().unwrap()).unwrap();
    let raw = |one: &Value| {
        let transactions =
            one["transactions"].as_array().unwrap().iter().map(|one| RawSuiTransaction {
                transaction: hex(&one["transaction"]),
                effects: hex(&one["effects"]),
                events: (!one["events"].is_null()).then(|| hex(&one["events"])),
            });
        let digest = bs58::decode(one["digest"].as_str().unwrap()).into_vec().unwrap();
        RawSuiBlock {
            digest: Hash(digest.try_into().unwrap()),
            summary: hex(&one["summary"]),
            certificate: None,
            contents: Some(RawContents {
                contents: hex(&one["contents"]),
                transactions: transactions.collect(),
            }),
        }
    };
    all.iter().map(raw).collect()
}

/// Levels 1 and 2 of every subject of a block hold; gives how many.
fn prove_all(block: &VerifiedBlock) -> usize {
    let body = block.body().unwrap();
    let count = block.tx_count().unwrap() as u32;
    let events = |tx_index| {
        let proves = move |log_index: &u32| {
            body.prove(ProofSubject::Log { tx_index, log_index: *log_index }, true).is_ok()
        };
        (0..).take_while(proves).map(move |log_index| ProofSubject::Log { tx_index, log_index })
    };
    let each = (0..count).flat_map(|tx_index| {
        std::iter::once(ProofSubject::Transaction { tx_index }).chain(events(tx_index))
    });
    let subjects: Vec<_> = each.chain([ProofSubject::Absence { tx_index: count }]).collect();
    let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
    for subject in &subjects {
        let bundle = Bundle {
            origin: "recorded/test".to_owned(),
            statement: Statement {
                chain: block.chain(),
                number: block.number(),
                subject: *subject,
            },
            entry: body.prove(*subject, true).unwrap(),
            block: Some(BlockLevel {
                header: block.header().to_vec(),
                block_hash: block.hash(),
                twig: None,
            }),
        };
        bundle::verify(&bundle, &policy).unwrap();
    }
    subjects.len()
}

#[test]
fn the_real_checkpoint_verifies_with_the_signature_of_its_committee() {
    let Some((data, committee)) = real() else { return };
    let raw = raw_of(&data);
    let block = check(&row(Hash([1; 32]), Some(&committee)), &raw).unwrap();
    let summary = &data.checkpoint_summary.checkpoint;
    assert_eq!((block.number(), block.tx_count()), (BlockNumber(1137), Some(9)));
    assert_eq!(block.timestamp().0, summary.timestamp_ms / 1_000);
    assert_eq!(block.parent_hash().0, summary.previous_digest.unwrap().into_inner());
    let hashes = block.transaction_hashes().unwrap();
    for (hash, theirs) in hashes.iter().zip(&data.transactions) {
        assert_eq!(hash.0, theirs.transaction.transaction.digest().into_inner());
    }
    assert_eq!(prove_all(&block), 10);
    let theirs = ValidatorCommitteeSignatureVerifier::new(bcs::from_bytes(&committee).unwrap());
    let signature = &data.checkpoint_summary.signature;
    theirs.unwrap().verify_checkpoint_summary(summary, signature).unwrap();
}

#[test]
fn a_certificate_that_is_not_the_committees_is_refused() {
    let Some((data, committee)) = real() else { return };
    let known = row(Hash([1; 32]), Some(&committee));
    let raw = raw_of(&data);
    let refused = |change: &dyn Fn(&mut Certificate)| {
        let mut bad = raw.clone();
        change(bad.certificate.as_mut().unwrap());
        let error = check(&known, &bad).unwrap_err();
        assert_eq!((error.check(), error.kind()), (BlockCheck::Certificate, ErrorKind::Invalid));
        error.to_string()
    };
    let signed = |positions: &[u32]| {
        let mut bitmap = sdk::Bitmap::new();
        for position in positions {
            bitmap.insert(*position);
        }
        bcs_of(&bitmap)[1..].to_vec()
    };
    let expected = ", expected that of the epoch's committee";
    let cases = [
        (refused(&|one| one.epoch = 1), "one of epoch 1, where the committee is of 0"),
        (refused(&|one| one.signature[5] ^= 1), "one that does not hold"),
        (refused(&|one| one.signature.clear()), "one that does not hold"),
        (refused(&|one| one.signers = signed(&[0, 1, 2, 3])), "one that does not hold"),
        (
            refused(&|one| one.signers = signed(&[0])),
            "one of signers with 2500 of the stake, where 6667 is needed",
        ),
        (
            refused(&|one| one.signers = signed(&[])),
            "one of signers with 0 of the stake, where 6667 is needed",
        ),
        (
            refused(&|one| one.signers = signed(&[0, 1, 4])),
            "one whose bitmap of signers cannot be read, or names one past the 4 members",
        ),
        (
            refused(&|one| one.signers = vec![0xff; 40]),
            "one whose bitmap of signers cannot be read, or names one past the 4 members",
        ),
        (
            refused(&|one| one.signers.resize(1 << 20, 0)),
            "one whose bitmap of signers cannot be read, or names one past the 4 members",
        ),
    ];
    for (got, why) in cases {
        assert_eq!(got, format!("signature is {why}{expected}"));
    }
    let bare = RawSuiBlock { certificate: None, ..raw.clone() };
    assert_eq!(check(&known, &bare).unwrap_err().to_string(), "signature is missing");
    // of another epoch's committee nothing is known, and without one nothing is asked
    let mut other = committee;
    other[0] = 9;
    for row in [row(Hash([1; 32]), Some(&other)), row(Hash([1; 32]), None)] {
        check(&row, &bare).unwrap();
    }
}

/// Our check of a quorum beside the network's own, with committees of our own making.
#[test]
fn quorums_are_counted_as_the_network_counts_them() {
    let keys: Vec<_> = (1..=5).map(|byte| Bls12381PrivateKey::new([byte; 32]).unwrap()).collect();
    let summary = bcs::from_bytes::<sdk::CheckpointSummary>(&synthetic()[4].summary).unwrap();
    let stakes = [4_000_u64, 2_667, 1_500, 1_333, 500];
    let members = keys
        .iter()
        .zip(stakes)
        .map(|(key, stake)| sdk::ValidatorCommitteeMember { public_key: key.public_key(), stake });
    let committee = sdk::ValidatorCommittee { epoch: summary.epoch, members: members.collect() };
    let ours = Committee::read(&bcs_of(&committee)).unwrap();
    assert_eq!(ours.quorum_stake(), 6_667);
    let theirs = ValidatorCommitteeSignatureVerifier::new(committee.clone()).unwrap();
    let mut enough = 0;
    for signers in 1_u32..32 {
        let places: Vec<usize> = (0..5).filter(|place| signers >> place & 1 == 1).collect();
        let signed: Vec<_> = places
            .iter()
            .map(|place| keys[*place].sign_checkpoint_summary(&summary).signature)
            .map(|one| blst::min_sig::Signature::from_bytes(one.inner()).unwrap())
            .collect();
        let all: Vec<_> = signed.iter().collect();
        let sum = blst::min_sig::AggregateSignature::aggregate(&all, false).unwrap().to_signature();
        let mut bitmap = sdk::Bitmap::new();
        for place in &places {
            bitmap.insert(*place as u32);
        }
        let certificate = Certificate {
            epoch: summary.epoch,
            signature: sum.to_bytes().to_vec(),
            signers: bcs_of(&bitmap)[1..].to_vec(),
        };
        let signature = sdk::ValidatorAggregatedSignature {
            epoch: summary.epoch,
            signature: sdk::Bls12381Signature::new(sum.to_bytes()),
            bitmap,
        };
        let checked = ours.check(&bcs_of(&summary), &certificate);
        let is_good = theirs.verify_checkpoint_summary(&summary, &signature).is_ok();
        assert_eq!(checked.is_ok(), is_good, "{places:?}: {checked:?}");
        enough += u32::from(is_good);
        // the same over another summary
        let mut other = summary.clone();
        other.timestamp_ms += 1;
        assert!(ours.check(&bcs_of(&other), &certificate).is_err());
    }
    assert!((8..24).contains(&enough), "{enough}");
}

#[test]
fn what_is_no_committee_is_not_read() {
    let Some((_, committee)) = real() else { return };
    assert!(Committee::read(&committee).is_some());
    for length in [0, 8, 9, committee.len() - 1] {
        assert!(Committee::read(&committee[..length]).is_none(), "{length}");
    }
    let bent = |at: usize, byte: u8| {
        let mut bent = committee.clone();
        bent[at] = byte;
        Committee::read(&bent).is_none()
    };
    // another count, another length of a key, no point of the curve
    assert!(bent(8, 3) && bent(9, 95) && bent(20, committee[20] ^ 1));
    let mut idle = committee.clone();
    (0..4).for_each(|member| idle[9 + 105 * member + 97..][..8].fill(0));
    assert!(Committee::read(&idle).is_none(), "no stake");
    assert!(Committee::read(&[&[0; 8][..], &[0]].concat()).is_none(), "nobody");
}

#[test]
fn synthetic_checkpoints_verify_in_a_row_and_prove_their_events() {
    let all = synthetic();
    let row = row(all[0].digest, None);
    let (mut parent, mut proven) = (Hash::ZERO, 0);
    for (number, raw) in (0_u64..).zip(&all) {
        let block = check(&row, raw).unwrap();
        assert_eq!((block.number(), block.parent_hash()), (BlockNumber(number), parent));
        parent = block.hash();
        proven += prove_all(&block);
        let bare = RawSuiBlock { contents: None, ..raw.clone() };
        let bare = check(&row, &bare).unwrap();
        assert_eq!((bare.tx_count(), bare.extent()), (None, superroot_chain::Extent::default()));
    }
    assert_eq!(proven, 10 + 13 + 5, "transactions, events, absences");
    let error =
        check(ChainRegistry::builtin().find("sui").unwrap(), &all[0]).unwrap_err().to_string();
    assert!(error.starts_with("genesis is "), "{error}");
}

#[test]
fn answers_of_every_wrong_kind_are_refused_by_name() {
    let all = synthetic();
    let row = row(all[0].digest, None);
    let good = &all[2];
    let refused = |change: &dyn Fn(&mut RawSuiBlock)| {
        let mut bad = good.clone();
        change(&mut bad);
        let error = check(&row, &bad).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        error.to_string()
    };
    fn list(raw: &mut RawSuiBlock) -> &mut Vec<RawSuiTransaction> {
        &mut raw.contents.as_mut().unwrap().transactions
    }
    let other = |place: usize| all[1].contents.as_ref().unwrap().transactions[place].clone();
    let cases: Vec<(String, &str)> = vec![
        (refused(&|raw| raw.digest = all[1].digest), "digest is "),
        (refused(&|raw| raw.summary = all[1].summary.clone()), "digest is "),
        (refused(&|raw| raw.summary.clear()), "summary cannot be read by a verifier: field epoch"),
        (refused(&|raw| raw.summary.push(0)), "summary cannot be read by a verifier: bytes follow"),
        (
            refused(&|raw| raw.summary = vec![0; 2 << 20]),
            "length of summary is 2097152, expected at most",
        ),
        (refused(&|raw| raw.contents = all[1].contents.clone()), "content_digest is "),
        (refused(&|raw| list(raw).clear()), "transactions is 0, expected 5"),
        (refused(&|raw| drop(list(raw).pop())), "transactions is 4, expected 5"),
        (refused(&|raw| list(raw).push(other(0))), "transactions is 6, expected 5"),
        (refused(&|raw| list(raw).swap(1, 3)), "transactions[1].digest is "),
        (refused(&|raw| list(raw)[4] = other(0)), "transactions[4].digest is "),
        (
            refused(&|raw| list(raw)[1].effects = other(0).effects),
            "transactions[1].effects_digest is ",
        ),
        (
            refused(&|raw| list(raw)[1].events = other(0).events),
            "transactions[1].events_digest is ",
        ),
        (refused(&|raw| list(raw)[1].events = None), "transactions[1].events is missing"),
        (
            refused(&|raw| list(raw)[0].events = other(0).events),
            "transactions[0].events is there, but the effects name none",
        ),
        (
            refused(&|raw| list(raw)[2].events = other(0).events),
            "transactions[2].events is there, but the effects name none",
        ),
        (
            refused(&|raw| list(raw)[0].effects = vec![0; 9 << 20]),
            "transactions[0].length of effects is 9437184, expected at most 8388608",
        ),
        (
            refused(&|raw| raw.contents.as_mut().unwrap().contents = vec![0; 13 << 20]),
            "length of contents is 13631488, expected at most 12582912",
        ),
        (
            refused(&|raw| raw.contents.as_mut().unwrap().contents[0] = 7),
            "contents cannot be read by a verifier: checkpoint contents of version 7 is not known",
        ),
    ];
    for (got, expected) in cases {
        assert!(got.starts_with(expected), "{got}\n{expected}");
    }
}

/// The builder's checkpoints are the network's, to the last byte.
#[test]
fn made_up_checkpoints_are_read_by_the_networks_own_types() {
    let mut before = None::<RawSuiBlock>;
    for sequence_number in 0_u64..40 {
        let transaction = |place: u64| TransactionPlan {
            sender: Hash([place as u8; 32]),
            input: vec![7; (place * 60) as usize],
            is_success: place % 5 != 3,
            events: vec![vec![1; place as usize * 50]; (place % 4) as usize],
        };
        let plan = CheckpointPlan {
            epoch: sequence_number / 10,
            sequence_number,
            previous_digest: before.as_ref().map_or(Hash::ZERO, |raw| raw.digest),
            transactions_before: 100,
            timestamp_ms: 1_700_000_000_000 + sequence_number,
            transactions: (0..sequence_number).map(transaction).collect(),
            next_committee: None,
        };
        let raw = build_checkpoint(&plan);
        let block = check(&row(raw.digest, None), &raw).unwrap();
        assert!(prove_all(&block) > sequence_number as usize);
        let summary: sdk::CheckpointSummary = bcs::from_bytes(&raw.summary).unwrap();
        assert_eq!(summary.digest().into_inner(), raw.digest.0);
        assert_eq!(summary.network_total_transactions, 100 + sequence_number);
        let contents = raw.contents.as_ref().unwrap();
        let read: sdk::CheckpointContents = bcs::from_bytes(&contents.contents).unwrap();
        assert_eq!(read.digest(), summary.content_digest);
        for (one, listed) in contents.transactions.iter().zip(read.transactions()) {
            let transaction: sdk::Transaction = bcs::from_bytes(&one.transaction).unwrap();
            let effects: sdk::TransactionEffects = bcs::from_bytes(&one.effects).unwrap();
            let digests = (&transaction.digest(), &effects.digest());
            assert_eq!(digests, (listed.transaction(), listed.effects()));
            assert_eq!(effects.transaction_digest(), listed.transaction());
            let events = one.events.as_deref();
            let events =
                events.map(|bytes| bcs::from_bytes::<sdk::TransactionEvents>(bytes).unwrap());
            let digest = events.map(|events| events.digest());
            assert_eq!(digest.as_ref(), effects.events_digest());
        }
        before = Some(raw);
    }
}

#[test]
fn a_row_says_which_network_it_is() {
    let row = |lines: &str| {
        let base = "[[chain]]\nid = 7\nname = \"Own\"\nslug = \"own\"\nfamily = \"sui\"\naliases = []\n\
                    evidence = \"consensus\"\nblock_time_ms = 250\n\
                    rules = [{ from = 0, code = 0x0601 }]\n";
        ChainRegistry::parse(&format!("{base}{lines}")).map(|all| all.rows()[0].clone())
    };
    let genesis = "genesis = \"4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S\"\n";
    let good = row(&format!("caip2 = \"sui:35834a8a\"\n{genesis}")).unwrap();
    assert_eq!(good.ledger, ChainRegistry::builtin().find("sui").unwrap().ledger);
    let refused = |lines: &str| row(lines).unwrap_err().to_string();
    let contradiction = refused(&format!("caip2 = \"sui:4c78adac\"\n{genesis}"));
    let expected = "sui: and the first four bytes of genesis in hex";
    assert!(contradiction.contains("caip2") && contradiction.contains(expected), "{contradiction}");
    let missing = refused("caip2 = \"sui:35834a8a\"\n");
    assert!(missing.contains("genesis is missing"), "{missing}");
    let short = refused("caip2 = \"sui:35834a8a\"\ngenesis = \"4bti\"\n");
    assert!(short.contains("the digest of checkpoint 0 in base58"), "{short}");
    let nobody = refused(&format!("caip2 = \"sui:35834a8a\"\n{genesis}committee = \"00\"\n"));
    assert!(nobody.contains("hex of a ValidatorCommittee in BCS"), "{nobody}");
    let Some((_, committee)) = real() else { return };
    let committee = const_hex::encode(committee);
    let known = row(&format!("caip2 = \"sui:35834a8a\"\n{genesis}committee = \"{committee}\"\n"));
    let Ledger::Sui(params) = known.unwrap().ledger else { panic!("of another family") };
    assert_eq!(params.committee.unwrap().quorum_stake(), 6_667);
}
