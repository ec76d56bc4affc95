//! Sources for ids of sets, for people.

use superroot_proof::finality::FinalityKind;

/// Sources for an id, in words.
pub(super) const fn elsewhere(kind: FinalityKind) -> &'static str {
    match kind {
        FinalityKind::Beacon | FinalityKind::Anchor => {
            "Compare it with the root of the sync committee that a beacon node of your own, or two that you trust, name."
        }
        FinalityKind::Work => {
            "Compare it with the block hash that a Bitcoin node of your own, or two explorers, name for that height; they \
             write its bytes from the last to the first."
        }
        FinalityKind::Checkpoint => {
            "It is the SHA-256 of the ValidatorCommittee in BCS: compare it with that of a full node of your own."
        }
        FinalityKind::Vote => {
            "Compare it with the block hash that a node of your own, or two explorers, name for the first block of that epoch."
        }
        FinalityKind::Commit => {
            "Compare it with the block hash that a node of your own, or two explorers, name for the height of 5,000 times the set's number."
        }
        FinalityKind::LedgerInfo => {
            "It is the hash of the waypoint at the end of the epoch before: compare it with the waypoints in the epoch_ending \
             manifest of a backup, made of a node of your own or published."
        }
        FinalityKind::Milestone => {
            "Compare it with the block hash that a Heimdall node of your own, or two that you trust, name for the height of 5,000 times the set's number."
        }
        FinalityKind::Grandpa => {
            "Compare it with the block hash that a node of your own, or two explorers, name for the block in which the set before names the authorities; the set's number is GrandpaApi_current_set_id of that block's state."
        }
        FinalityKind::Producers => {
            "It is the SHA-256 of the day's number and of the 27 producers with their signing addresses: compare it with that \
             of /wallet/listwitnesses (isJobs) and each one's witness permission in /wallet/getaccount, from two full nodes."
        }
        FinalityKind::Certificate => {
            "It is the SHA-256 of the root key, which is built in: nothing has to be pinned."
        }
    }
}
