//! Finality of every kind: one form each, and nothing that a fuzzer makes is shown.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_chain::ChainRegistry;
use superroot_chain::finality::milestone::{iavl_path, store_path};
use superroot_chain::finality::{builtin_set, finality_params};
use superroot_proof::finality::milestone::MilestoneBody;
use superroot_proof::finality::{
    ConsensusEvidence, FinalityProof, FinalitySet, ProofFile, TrustedSet, Verdict, check_evidence,
};
use superroot_types::{Network, UnixSeconds};

const NOW: UnixSeconds = UnixSeconds(1_795_000_000);

fuzz_target!(|bytes: &[u8]| {
    if let Ok(file) = ProofFile::decode(bytes) {
        assert_eq!(file.encode(), bytes);
    }
    if let Ok(proof) = FinalityProof::decode(bytes) {
        assert_eq!(proof.encode(), bytes);
    }
    if let Some(set) = TrustedSet::decode(bytes) {
        assert_eq!(set.encode(), bytes);
    }
    if let Some(body) = MilestoneBody::decode(bytes) {
        assert_eq!(body.encode(), bytes);
        assert!(body.check_state(&[0; 32]).is_err());
    }
    let _ = (iavl_path(bytes), store_path(bytes));
    let evidence = ConsensusEvidence::decode(bytes);
    for slug in [
        "bitcoin", "sui", "icp", "ethereum", "bnb", "optimism", "arbitrum", "cosmoshub", "polygon", "aptos",
        "polkadot", "tron",
    ] {
        let row = ChainRegistry::builtin().find(slug).expect("a built-in row");
        let params = finality_params(row, Network::Live).expect("a chain with evidence");
        if let Ok(set) = FinalitySet::decode(&params, bytes) {
            assert_eq!(set.encode(), bytes);
        }
        let _ = FinalitySet::named_by(&params, bytes);
        if let Some(set) = builtin_set(row, Network::Live) {
            let next = set.advance(&params, bytes, NOW);
            assert!(!matches!(next, Verdict::Shown(_)));
            if let Some(evidence) = &evidence {
                let shown = check_evidence(&params, &set, evidence, NOW);
                assert!(!matches!(shown, Verdict::Shown(_)));
            }
        }
    }
});
