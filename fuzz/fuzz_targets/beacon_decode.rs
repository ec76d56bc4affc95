//! Evidence and steps of beacon chains: one form each.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_proof::finality::beacon::{BeaconEvidence, BeaconParams, BeaconStep};

fuzz_target!(|bytes: &[u8]| {
    for params in [BeaconParams::ETHEREUM, BeaconParams::GNOSIS] {
        if let Ok(evidence) = BeaconEvidence::decode(&params, bytes) {
            assert_eq!(evidence.encode(), bytes);
        }
        if let Ok(step) = BeaconStep::decode(&params, bytes) {
            assert_eq!(step.encode(), bytes);
        }
    }
});
