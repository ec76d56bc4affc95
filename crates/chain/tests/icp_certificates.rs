//! Certificates of the Internet Computer: real ones of its mainnet, and made ones that are bent.

use ic_certification::{Certificate, Delegation, HashTree, fork, label, leaf, pruned};
use ic_verify_bls_signature::PrivateKey;
use serde_bytes::ByteBuf;
use superroot_chain::ledger::icp::{
    CertificateError, Principal, SIMULATED_KEY, check_certificate, sign_certificate,
    simulated_root_key,
};

/// Root key of the Internet Computer.
const ROOT_KEY: &str = "814c0e6ec71fab583b08bd81373c255c3c371b2e84863c98a4f1e08b74235d14fb5d9c0cd\
                        546d9685f913a0c0b2cc5341583bf4b4392e467db96d65b9bb4cb717112f8472e0d5a4d14\
                        505ffd7484b01291091c5f87b98883463f98091a0baaae";
const LEDGER: &str = "ryjl3-tyaaa-aaaaa-aaaba-cai";
const NOW: u64 = 1_795_000_000_000_000_000;
const DATA: [u8; 32] = [7; 32];

fn key(hex: &str) -> [u8; 96] {
    const_hex::decode(hex).unwrap().try_into().unwrap()
}

fn ledger() -> Principal {
    LEDGER.parse().unwrap()
}

/// The certificates at hand: file, bytes.
fn real() -> Vec<(String, Vec<u8>)> {
    let Ok(data) = std::env::var("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no certificate of the mainnet was read");
        return Vec::new();
    };
    #[derive(serde::Deserialize)]
    struct Answer {
        certificate: ByteBuf,
    }
    let folder = std::path::PathBuf::from(data).join("other/icp");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "bin"));
    files.sort();
    assert_eq!(files.len(), 5);
    let read = |path: std::path::PathBuf| {
        let bytes = std::fs::read(&path).unwrap();
        let Answer { certificate } = ciborium::from_reader(bytes.as_slice()).unwrap();
        (path.file_name().unwrap().to_str().unwrap().to_owned(), certificate.into_vec())
    };
    files.into_iter().map(read).collect()
}

#[test]
fn certificates_of_the_mainnet_have_both_signatures() {
    for (name, bytes) in real() {
        let certified = check_certificate(&bytes, &key(ROOT_KEY))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(certified.time_nanos > 1_600_000_000_000_000_000, "{name}");
        certified.check_time(certified.time_nanos + 5, 5).unwrap();
        assert!(matches!(
            certified.check_time(certified.time_nanos + 6, 5),
            Err(CertificateError::Time { within_nanos: 5, .. })
        ));
        let error = check_certificate(&bytes, &simulated_root_key()).unwrap_err();
        assert_eq!(error, CertificateError::Signature { whose: "delegation" }, "{name}");
        // none of them is of the ledger's subnet
        let canister = ledger();
        let error = certified.data_of(&canister).unwrap_err();
        assert_eq!(error, CertificateError::OtherCanisters { canister }, "{name}");
    }
}

/// The range of canisters that a delegation of the mainnet gives, in the form of today and in that of
/// before.
#[test]
fn canisters_are_found_in_the_ranges_of_their_subnet() {
    let within: Principal = "ivg37-qiaaa-aaaab-aaaga-cai".parse().unwrap();
    for (name, bytes) in real() {
        let certified = check_certificate(&bytes, &key(ROOT_KEY)).unwrap();
        let error = certified.data_of(&within).unwrap_err();
        let is_named = matches!(&*name, "ivg37_delegated_v2.bin" | "ivg37_time.bin");
        let expected = match is_named {
            true => CertificateError::NotShown { what: "the canister's certified data" },
            false => CertificateError::OtherCanisters { canister: within.clone() },
        };
        assert_eq!(error, expected, "{name}");
    }
}

#[test]
fn one_changed_bit_of_a_certificate_of_the_mainnet_is_refused() {
    let Some((_, bytes)) = real().into_iter().find(|(name, _)| name == "ivg37_delegated_v2.bin")
    else {
        return;
    };
    for at in (0..bytes.len() * 8).step_by(61) {
        let mut bent = bytes.clone();
        bent[at / 8] ^= 1 << (at % 8);
        assert!(check_certificate(&bent, &key(ROOT_KEY)).is_err(), "bit {at}");
    }
}

fn sign(tree: &HashTree, key: &PrivateKey) -> Vec<u8> {
    let message = [b"\x0dic-state-root".as_slice(), &tree.digest()].concat();
    key.sign(&message).serialize().to_vec()
}

fn write(certificate: &Certificate) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(certificate, &mut bytes).unwrap();
    bytes
}

fn root() -> PrivateKey {
    PrivateKey::deserialize(&SIMULATED_KEY).unwrap()
}

fn subnet() -> PrivateKey {
    PrivateKey::deserialize(&[9; 32]).unwrap()
}

fn der(key: &PrivateKey) -> Vec<u8> {
    let prefix = "308182301d060d2b0601040182dc7c0503010201060c2b0601040182dc7c05030201036100";
    [const_hex::decode(prefix).unwrap(), key.public_key().serialize().to_vec()].concat()
}

fn state(data: &[u8]) -> HashTree {
    let of_ledger = label(ledger().as_slice(), label("certified_data", leaf(data)));
    fork(label("canister", of_ledger), label("time", leaf([0x80, 0x01])))
}

/// What a delegation shows: the key and the canisters of a subnet.
struct Given {
    key: Vec<u8>,
    ranges: Vec<(Vec<u8>, Vec<u8>)>,
    in_shards: bool,
    signer: PrivateKey,
}

impl Given {
    fn good() -> Self {
        let ranges = vec![(vec![0; 10], vec![0, 0, 0, 0, 0, 0, 0, 9, 1, 1])];
        Self { key: der(&subnet()), ranges, in_shards: false, signer: root() }
    }

    fn tree(&self) -> HashTree {
        let ranges: Vec<_> = self
            .ranges
            .iter()
            .map(|(first, last)| (ByteBuf::from(first.clone()), ByteBuf::from(last.clone())))
            .collect();
        let mut list = Vec::new();
        ciborium::into_writer(&ranges, &mut list).unwrap();
        let key = label("public_key", leaf(self.key.clone()));
        if self.in_shards {
            let shard =
                label("canister_ranges", label("subnet", label([0; 10].as_slice(), leaf(list))));
            return fork(
                fork(shard, label("subnet", label("subnet", key))),
                label("time", leaf([1])),
            );
        }
        let of_subnet = fork(label("canister_ranges", leaf(list)), key);
        fork(label("subnet", label("subnet", of_subnet)), label("time", leaf([1])))
    }

    fn delegate(&self, tree: &HashTree, signer: &PrivateKey) -> Vec<u8> {
        let given = self.tree();
        let given =
            Certificate { signature: sign(&given, &self.signer), tree: given, delegation: None };
        let delegation = Delegation { subnet_id: b"subnet".to_vec(), certificate: write(&given) };
        write(&Certificate {
            tree: tree.clone(),
            signature: sign(tree, signer),
            delegation: Some(delegation),
        })
    }
}

fn check(bytes: &[u8]) -> Result<Vec<u8>, CertificateError> {
    let certified = check_certificate(bytes, &simulated_root_key())?;
    Ok(certified.data_of(&ledger())?.to_vec())
}

#[test]
fn what_is_signed_for_a_made_up_chain_is_certified() {
    let bytes = sign_certificate(&ledger(), &DATA, NOW);
    assert_eq!(check(&bytes).unwrap(), DATA);
    let certified = check_certificate(&bytes, &simulated_root_key()).unwrap();
    assert_eq!(certified.time_nanos, NOW);
    assert!(certified.check_time(NOW - 1, 1).is_ok() && certified.check_time(NOW - 2, 1).is_err());
    let other: Principal = "qhbym-qaaaa-aaaaa-aaafq-cai".parse().unwrap();
    let what = "the canister's certified data";
    assert_eq!(certified.data_of(&other), Err(CertificateError::NotShown { what }));
    let error = check_certificate(&bytes, &key(ROOT_KEY)).unwrap_err();
    assert_eq!(error, CertificateError::Signature { whose: "certificate" });
    for at in 0..bytes.len() {
        for bit in [0, 3, 7] {
            let mut bent = bytes.clone();
            bent[at] ^= 1 << bit;
            // the mark in front says nothing
            assert!(check(&bent).is_err() || at < 3, "byte {at}, bit {bit}");
        }
    }
    for length in 0..bytes.len() {
        assert!(check(&bytes[..length]).is_err(), "{length}");
    }
    assert!(check(&[&bytes[..], &[0]].concat()).is_err());
}

#[test]
fn a_delegation_gives_a_subnet_its_key_and_canisters() {
    for in_shards in [false, true] {
        let given = Given { in_shards, ..Given::good() };
        assert_eq!(check(&given.delegate(&state(&DATA), &subnet())).unwrap(), DATA);
    }
    let bad = |given: Given, signer: &PrivateKey| {
        check(&given.delegate(&state(&DATA), signer)).unwrap_err()
    };
    assert_eq!(bad(Given::good(), &root()), CertificateError::Signature { whose: "certificate" });
    let given = Given { signer: subnet(), ..Given::good() };
    assert_eq!(bad(given, &subnet()), CertificateError::Signature { whose: "delegation" });
    for ranges in [vec![], vec![(vec![0, 0, 0, 0, 0, 0, 0, 3, 1, 1], vec![0xff; 10])]] {
        let given = Given { ranges, ..Given::good() };
        let canister = ledger();
        assert_eq!(bad(given, &subnet()), CertificateError::OtherCanisters { canister });
    }
    let mut cut = Given::good();
    cut.key.pop();
    let field = "the subnet's public key";
    assert_eq!(bad(cut, &subnet()), CertificateError::Malformed { field });
    let mut other = Given::good();
    other.key[5] ^= 1;
    assert_eq!(bad(other, &subnet()), CertificateError::Malformed { field });
}

#[test]
fn a_delegation_of_a_delegation_is_refused() {
    let state = state(&DATA);
    let inner = Given::good().delegate(&Given::good().tree(), &subnet());
    let delegation = Delegation { subnet_id: b"subnet".to_vec(), certificate: inner };
    let signature = sign(&state, &subnet());
    let outer = write(&Certificate { tree: state, signature, delegation: Some(delegation) });
    let field = "delegation of a delegation";
    assert_eq!(check(&outer), Err(CertificateError::Malformed { field }));
}

#[test]
fn what_a_tree_hides_is_not_shown() {
    let signed = |tree: HashTree| {
        let signature = sign(&tree, &root());
        write(&Certificate { tree, signature, delegation: None })
    };
    let time: HashTree = label("time", leaf([1]));
    assert_eq!(
        check(&signed(time.clone())),
        Err(CertificateError::NotShown { what: "the canister's certified data" })
    );
    let hidden = fork(pruned([1; 32]), time);
    assert_eq!(
        check(&signed(hidden)),
        Err(CertificateError::NotShown { what: "the canister's certified data" })
    );
    let timeless =
        label("canister", label(ledger().as_slice(), label("certified_data", leaf(DATA))));
    assert_eq!(check(&signed(timeless)), Err(CertificateError::NotShown { what: "its time" }));
    for time in [vec![], vec![0x80], vec![0x80; 11]] {
        let tree = fork(label("canister", leaf([1])), label("time", leaf(time)));
        assert_eq!(check(&signed(tree)), Err(CertificateError::Malformed { field: "its time" }));
    }
}

#[test]
fn bytes_that_nest_or_claim_too_much_are_refused() {
    let mut deep = leaf([1]);
    for _ in 0..400 {
        deep = label("a", deep);
    }
    let bytes =
        write(&Certificate { signature: sign(&deep, &root()), tree: deep, delegation: None });
    let malformed = Err(CertificateError::Malformed { field: "certificate" });
    assert_eq!(check(&bytes), malformed);
    // a map of 2^62 entries, an array of as many, bytes of as many
    for claim in [[0xbb, 0x40], [0x9b, 0x40], [0x5b, 0x40]] {
        let bytes = [&claim[..], &[0; 7], &[1; 40]].concat();
        assert_eq!(check(&bytes), malformed);
    }
    let large = sign_certificate(&ledger(), &[0; 70_000], NOW);
    assert_eq!(check(&large), malformed);
}
