//! Profiles, registries, references and SuperRoots: what decodes encodes to the same bytes again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_fuzz::seeds;
use superroot_proof::registry::{Profile, ROWS_MAX, Registry, decode_rows};
use superroot_proof::superroot::{BlockReference, SuperRoot};
use superroot_types::SAFE_INTEGER_MAX;

fuzz_target!(init: seeds::plant("registry_decode", &seeds::preimages()), |bytes: &[u8]| {
    if let Ok(profile) = Profile::decode(bytes) {
        assert_eq!(profile.encode().as_deref(), Ok(bytes));
        assert_eq!(profile.code_at(SAFE_INTEGER_MAX), profile.rules.last().map(|rule| rule.code));
        assert!(profile.code_at(profile.first_number()).is_some());
        let registry = Registry::new(vec![profile.clone()]).expect("a registry of one row");
        let rows = decode_rows(&registry.preimage()).expect("its preimage");
        assert_eq!(rows, [(profile.chain, profile.hash().expect("it encodes"))]);
        let twice = Registry::new(vec![profile.clone(), profile]);
        assert!(twice.is_err());
    }
    if let Ok(rows) = decode_rows(bytes) {
        assert!(rows.len() <= ROWS_MAX);
        let mut again = vec![0x06];
        again.extend(u16::try_from(rows.len()).expect("few rows").to_be_bytes());
        for (chain, profile) in rows {
            again.push(chain.family.byte());
            again.extend(chain.id.0.to_be_bytes());
            again.extend(profile.0);
        }
        assert_eq!(again, bytes);
    }
    if let Some(reference) = BlockReference::decode(bytes) {
        assert_eq!(reference.encode(), bytes);
        assert!(reference.sealed_twigs() <= reference.open_twig_index());
    }
    if let Ok(super_root) = SuperRoot::decode(bytes) {
        assert_eq!(super_root.encode(), bytes);
    }
});
