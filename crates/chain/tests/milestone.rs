//! Answers of Heimdall nodes as evidence: made ones, and the official proofs of ICS 23. There is no real data.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use superroot_chain::finality::finality_params;
use superroot_chain::finality::milestone::*;
use superroot_chain::ledger::cosmos::*;
use superroot_chain::registry::ChainRegistry;
use superroot_proof::finality::*;
use superroot_proof::ledger::cosmos::Header;
use superroot_types::{ChainId, Network, UnixSeconds};

use crate::commits::GENESIS;
use crate::milestones::*;

/// Roots and proofs of cosmos/ics23 `testdata/iavl`, `exist_left.json` and `exist_middle.json`.
const IAVL: [(&str, &str); 2] = [
    (
        "77e43ef93047a91fe457f5498bd7afc60b9dddd661d8f1225e5f40a91bda4623",
        "0a89040a143033763434454574647248423556417579715966121e76616c75655f666f725f30337634344545746472484235564175797159661a0b0801180120012a03000202222b08011204040602201a2120afca3de8c7aefe1041f185a34e977a976b37d6ce4cce80e5e4545b93413eca02222b08011204060c02201a21205e1712938d9dcef396a76bbd7ea844bcc7e72a64d416485ba14e8c679402dfc3222b08011204081802201a2120c6a6430436f6e95ab0c90d7c3d32c7e62884a1e28e22da87f9e8c863782b7195222b080112040a2c02201a21201204acd0c729844aa19ffa80cfdfcb931f1ea54167babe1872a2fdcdf520962a222b080112040c4402201a2120c21911260b253d74c89d95ec7534b7499b98a8b7523857f7f31e6af723245b89222b080112040e6e02201a212045a06e0b8f7391f60a5f716eeef9eb01d8c588bbdbfb4e6a67718e92ab3ed12d222c0801120512960202201a21209b77ab64f5b7c290b608533b70612d18a0d55ede4ccb2f9418b56aa17069e966222c0801120514e60302201a2120246dce928b807f040230219a808c049d7a172108db6b1c83c445c66373ea4cd9222c0801120516800802201a2120ec794fb7e49d3d3554680ad0df7d1cc3797201fe33fc8288581f7ad32bb995c0222c0801120518b60f02201a21203b05428644520c7bae4be197ecb6de54a03a18a1ebd34836eea31fe593a6b6e0",
    ),
    (
        "ce93fb31420cca24940fd7e8742ca1061b51c5d3c5438b68bf0526bc93e45274",
        "0ad7030a14367a757a4f7845416530357967617a57634b6b70121e76616c75655f666f725f367a757a4f7845416530357967617a57634b6b701a0b0801180120012a03000202222b08011204040602201a2120e573ba32e4d48752f750145e8f49272d81e5f4d81f418c6c8e01e2bd2bb03e92222b08011204060e02201a21202f7453b9df6afecefcecd464d557701685ceeddcf82e2064f5d6a751fe6f448c222b08011204081a02201a21200a6025a49f3aff53a9fd7bd60e0f241897bdff7ff5b0386de6e582fa60a2ff642229080112250a3402209bae0613f7ecad99b5b448714f1b66929f06ca05e92dad7a7fc9c6243475135020222a080112260e80010220e508b7f979ad0f1601b3442603f928b3aba91287a4c988045a88fa1bf26df17120222a0801122610cc0102201abeb41c3a4ec85c07a77af6017dcb2171a1d5c278b300cc361d7b51c593b7cf20222c0801120512fa0202201a212055337b4192edc05ba1ca4c51b110aa56feb46b5830ba19ee682c9c88a48cdfee222c08011205149c0602201a212092fdf4836b2561fb018c29660262b102761f25920ed43ae46bc4153a55fd161b222c0801120516d80c02201a212004ddd20b8bd3c1461293922bb3f9404eecaa2d1869d651f1a304a4757bd5f646",
    ),
];

/// The same of `testdata/tendermint`, `exist_middle.json` and `exist_right.json`.
const SIMPLE: [(&str, &str); 2] = [
    (
        "494b16e3a64a85df143b2881bdd3ec94c3f8e18b343e8ff9c2d61afd05d040c8",
        "0ad1030a14513334656d766f39447145585735325257523835121e76616c75655f666f725f513334656d766f394471455857353252575238351a090801180120012a010022250801122101e231d775380f2d663651e213cc726660e2ce0a2f2e9ee12cbb7df32294104a8c222708011201011a2014af194c63500236e52cc290ab24244fab39a520ece7e20fa93f4c9ff80c6626222508011221017966d2ead34418db2eaa04c0dffb9316805e8a0d421d1270c8954c35ee3221382225080112210172339e20a49bb16795a99bd905b47f99c45e5e5a9e6b7fb223dc8fe6751e1bda222708011201011a2053dd1ecc25ff906a0ef4db37ee068f3d8ad6d1d49913eefb847a675a681c5ffa222708011201011a20de90f9951a19497be7e389e02aa79e26faf77080e740e8743249a17a537f287d22250801122101ad4e53e981afc5a71e34ab0c4ffbccf1b468414d9d0939bd08edbd2461bc944a222708011201011a209b4cf89c3995b9dd66d58ab088846b2c6b59c52c6d10ec1d759ca9e9aa5eef5c222508011221013928a078bd66ab3949f5b1846b6d354dbdc1968a416607c7d91555ca26716667222708011201011a20d2d82cf8915b9ae6f92c7eae343e37d312ace05e654ce47acdf57d0a5490b873",
    ),
    (
        "f54227f1a7d90aa2bf7931066196fd3072b7fe6b1fbd49d1e26e85a90d9541bb",
        "0aab020a147a785a4e6b534c64634d655657526c7658456644121e76616c75655f666f725f7a785a4e6b534c64634d655657526c76584566441a090801180120012a0100222508011221012634b831468dbafb1fc61a979c348ff8462da9a7d550191a6afc916ade16cc9922250801122101ab814d419bfc94ee9920d0ce993ce5da011e43613daf4b6f302855760083d7dd222508011221015a1568c73eaeaba567a6b2b2944b0e9a0228c931884cb5942f58ed835b8a7ac522250801122101a171412db5ee84835ef247768914e835ff80b7711e4aa8060871c2667ec3ea2922250801122101f9c2491884de24fb61ba8f358a56b306a8989bd35f1f8a4c8dabce22f703cc14222508011221012f12a6aa6270eff8a1628052938ff5e36cfcc5bf2eaedc0941ee46398ebc7c38",
    ),
];

/// Key and value of an official proof, as the proof has them.
fn entry(proof: &[u8]) -> (&[u8], &[u8]) {
    assert_eq!((proof[3], proof[4], proof[25], proof[26]), (0x0a, 20, 0x12, 30));
    (&proof[5..25], &proof[27..57])
}

#[test]
fn official_proofs_lead_to_their_roots_and_no_change_does() {
    for (root, proof) in IAVL {
        let (root, proof) = (const_hex::decode(root).unwrap(), const_hex::decode(proof).unwrap());
        let (key, value) = entry(&proof);
        let path = iavl_path(&proof).unwrap();
        assert_eq!(path.root(key, value).unwrap().0[..], root[..]);
        for at in 57..proof.len() {
            let mut changed = proof.clone();
            changed[at] ^= 1 << (at % 8);
            let other = iavl_path(&changed).filter(|other| *other != path);
            let reached = other.and_then(|other| other.root(key, value));
            assert!(reached.is_none_or(|reached| reached.0[..] != root[..]), "{at}");
        }
        assert!((0..proof.len()).all(|cut| iavl_path(&proof[..cut]).is_none()));
        assert_eq!(store_path(&proof), None, "of the other tree");
    }
    for (root, proof) in SIMPLE {
        let (root, proof) = (const_hex::decode(root).unwrap(), const_hex::decode(proof).unwrap());
        let (key, value) = entry(&proof);
        let path = store_path(&proof).unwrap();
        let name = std::str::from_utf8(key).unwrap();
        assert_eq!(path.root(name, value).unwrap().0[..], root[..]);
        for at in 57..proof.len() {
            let mut changed = proof.clone();
            changed[at] ^= 1 << (at % 8);
            let other = store_path(&changed).filter(|other| *other != path);
            let reached = other.and_then(|other| other.root(name, value));
            assert!(reached.is_none_or(|reached| reached.0[..] != root[..]), "{at}");
        }
        assert!((0..proof.len()).all(|cut| store_path(&proof[..cut]).is_none()));
        assert_eq!(iavl_path(&proof), None, "of the other tree");
    }
}

fn raw(op: &str, data: &[u8]) -> RawProofOp {
    RawProofOp { name: op.to_owned(), data: STANDARD.encode(data) }
}

fn raw_milestone(state: &MadeState) -> RawMilestone {
    let [path, stores] = state.commitments();
    RawMilestone {
        number: state.number,
        value: state.milestone.clone(),
        proofs: vec![raw("ics23:iavl", &path), raw("ics23:simple", &stores)],
    }
}

/// Height as a node tells of it, with the votes of all but the last member.
fn raw_height(header: &Header, members: &[(u8, u64)]) -> RawHeimdallHeight {
    let signers: Vec<_> = (0..members.len() - 1).collect();
    let commit = commit(header, members, &signers);
    let validators = list(members).into_iter().map(|one| RawValidator {
        pub_key: RawPublicKey {
            name: "cometbft/PubKeySecp256k1eth".to_owned(),
            value: STANDARD.encode(one.key.0),
        },
        voting_power: one.power.to_string(),
    });
    let mut signatures: Vec<_> = commit
        .signatures
        .iter()
        .map(|one| {
            let at = Header {
                seconds: one.time / 1_000_000_000,
                nanos: u32::try_from(one.time % 1_000_000_000).unwrap(),
                ..header.clone()
            };
            RawCommitSignature {
                block_id_flag: 2,
                timestamp: RawCosmosHeader::from(&at).time,
                signature: Some(STANDARD.encode([&one.signature[..], &[1]].concat())),
            }
        })
        .collect();
    signatures.push(RawCommitSignature {
        block_id_flag: 1,
        timestamp: "0001-01-01T00:00:00Z".to_owned(),
        signature: None,
    });
    let parts =
        RawParts { total: commit.part_count, hash: const_hex::encode_upper(commit.parts_hash.0) };
    RawHeimdallHeight {
        header: RawCosmosHeader::from(header),
        commit: RawCosmosCommit {
            round: commit.round,
            parts,
            signatures,
            validators: validators.collect(),
        },
    }
}

const MEMBERS: [(u8, u64); 6] = [(1, 20), (2, 20), (3, 20), (4, 10), (5, 10), (6, 10)];

#[test]
fn a_nodes_answers_are_evidence_with_the_fewest_votes() {
    let (params, state) = (params(), state(9));
    let about = header(330, &MEMBERS, &MEMBERS, &state);
    let (milestone, height) = (raw_milestone(&state), raw_height(&about, &MEMBERS));
    let evidence = milestone_evidence(&params, &milestone, &height).unwrap();
    assert_eq!((evidence.number, evidence.hash), block(9));
    let known = FinalityParams::Milestone(params.clone());
    let first = header(320, &MEMBERS, &MEMBERS, &state);
    let set = set(&known, &first, &MEMBERS);
    let now = UnixSeconds(GENESIS + 6 * 340);
    let verdict = check_evidence(&known, &set, &evidence, now);
    assert!(
        verdict.shown().unwrap().by().starts_with("70 of 90 of the voting power at height 330")
    );
    // a false vote is left out, with its power; and what is left must be enough
    let mut lying = height.clone();
    lying.commit.signatures[0].signature = lying.commit.signatures[1].signature.clone();
    let less = milestone_evidence(&params, &milestone, &lying);
    assert_eq!(less, Err(MilestoneFault { part: "commit" }));
    lying.commit.signatures[0] = height.commit.signatures[0].clone();
    lying.commit.signatures[4].signature = Some("no base64".to_owned());
    let same = milestone_evidence(&params, &milestone, &lying).unwrap();
    assert_eq!(same, evidence);
    // without the recovery byte no signature is a node's
    let mut short = height.clone();
    for vote in short.commit.signatures.iter_mut().take(2) {
        let bytes = STANDARD.decode(vote.signature.as_ref().unwrap()).unwrap();
        vote.signature = Some(STANDARD.encode(&bytes[..64]));
    }
    assert!(milestone_evidence(&params, &milestone, &short).is_err());
}

#[test]
fn what_a_node_may_not_say_is_named() {
    let (params, state) = (params(), state(9));
    let about = header(330, &MEMBERS, &MEMBERS, &state);
    let (milestone, height) = (raw_milestone(&state), raw_height(&about, &MEMBERS));
    let fault = |change: &dyn Fn(&mut RawMilestone, &mut RawHeimdallHeight)| {
        let (mut milestone, mut height) = (milestone.clone(), height.clone());
        change(&mut milestone, &mut height);
        milestone_evidence(&params, &milestone, &height).err().map(|fault| fault.part)
    };
    assert_eq!(fault(&|_, _| ()), None);
    assert_eq!(fault(&|milestone, _| milestone.value.truncate(40)), Some("milestone"));
    assert_eq!(fault(&|milestone, _| milestone.number = 8), Some("app hash"));
    assert_eq!(fault(&|milestone, _| _ = milestone.proofs.pop()), Some("proofs"));
    assert_eq!(fault(&|milestone, _| milestone.proofs.swap(0, 1)), Some("proof in the store"));
    assert_eq!(
        fault(&|milestone, _| milestone.proofs[1] = milestone.proofs[0].clone()),
        Some("proof over the stores")
    );
    assert_eq!(
        fault(&|_, height| height.header.chain_id = "heimdall-other".to_owned()),
        Some("chain id of the header")
    );
    assert_eq!(fault(&|_, height| height.header.height = "331".to_owned()), Some("commit"));
    assert_eq!(fault(&|_, height| height.header.time.clear()), Some("header"));
    assert_eq!(
        fault(&|_, height| height.commit.validators[0].voting_power.clear()),
        Some("commit")
    );
    assert_eq!(fault(&|_, height| _ = height.commit.validators.pop()), Some("commit"));
    assert_eq!(fault(&|_, height| height.commit.parts.total = 4), Some("commit"));
    // a step is of its set's height
    let first = header(352, &MEMBERS, &MEMBERS, &state);
    let raw = raw_height(&first, &MEMBERS);
    let step = heimdall_step(&params, 11, &raw).unwrap();
    let known = FinalityParams::Milestone(params.clone());
    let named = FinalitySet::named_by(&known, &step).unwrap();
    assert_eq!((named.number(), named.id()), (11, first.hash()));
    let fault = MilestoneFault { part: "height of the header" };
    assert_eq!(heimdall_step(&params, 12, &raw), Err(fault));
    assert_eq!(heimdall_step(&params, u64::MAX, &raw), Err(fault));
}

#[test]
fn polygon_alone_has_milestones() {
    let registry = ChainRegistry::builtin();
    for row in registry.rows() {
        let is_polygon = row.caip2 == "eip155:137";
        for (network, chain_id) in
            [(Network::Live, "heimdallv2-137"), (Network::Simulated, "heimdallv2-simulated")]
        {
            let params = match finality_params(row, network) {
                Some(FinalityParams::Milestone(params)) => Some(params),
                _ => None,
            };
            assert_eq!(params.is_some(), is_polygon, "{}", row.slug);
            let Some(params) = params else { continue };
            assert_eq!(params.bor_chain, ChainId(137));
            assert_eq!(params.heimdall.chain_id, chain_id);
            assert!(params.heimdall.trusted_seconds <= 86_400);
        }
    }
}
