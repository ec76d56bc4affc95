//! Profiles, registries, references and SuperRoots: what decodes encodes to the same bytes again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_fuzz::seeds;
use superroot_proof::perfect::root_of_path;
use superroot_proof::registry::{LogRegistry, Profile, root_of};
use superroot_proof::superroot::{ChainReference, SuperRoot};
use superroot_types::SAFE_INTEGER_MAX;

fuzz_target!(init: seeds::plant("registry_decode", &seeds::preimages()), |bytes: &[u8]| {
    if let Ok(profile) = Profile::decode(bytes) {
        assert_eq!(profile.encode().as_deref(), Ok(bytes));
        let withdrawn = profile.code_at(SAFE_INTEGER_MAX) == Some(0);
        assert_eq!(withdrawn, profile.withdrawn_from().is_some());
        assert!(profile.code_at(profile.first_number()).is_some());
        let registry = LogRegistry::new(vec![profile.clone()]).expect("a registry of one row");
        let hash = profile.hash().expect("it encodes");
        assert_eq!(registry.root(), root_of(1, &root_of_path(&hash, 0, &registry.tree().siblings(0))));
        let twice = LogRegistry::new(vec![profile.clone(), profile]);
        assert!(twice.is_err());
    }
    if let Some(reference) = ChainReference::decode(bytes) {
        assert_eq!(reference.encode(), bytes);
        assert!(reference.sealed_twigs() <= reference.open_twig_index().0);
    }
    if let Ok(super_root) = SuperRoot::decode(bytes) {
        assert_eq!(super_root.encode(), bytes);
    }
});
