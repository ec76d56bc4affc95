//! What the fuzz targets share: the policy of a verifier, and the seeds that a corpus begins with.
//!
//! A target holds two laws: nothing from outside panics, and what is accepted is what it says: it
//! encodes to the same bytes again, a second implementation reads the same, and under the root of a
//! known log nothing but that log is shown.

pub mod finality;
pub mod ledgers;
pub mod link;
pub mod parts;
pub mod seeds;

use superroot_chain::ChainRegistry;
use superroot_proof::bundle::{Facts, Policy};

/// A verifier that knows the chains of this build.
#[must_use]
pub fn policy() -> Policy<'static> {
    Policy::strict(ChainRegistry::builtin().proof_registry())
}

/// Holds what a proof has shown against the logs that are known: under the root of one of them, a
/// number has the block hash it has there, and no other number is shown.
///
/// # Panics
/// When it shows anything else: a forgery.
pub fn assert_genuine(facts: &Facts) {
    let Some(root) = facts.super_root_hash() else { return };
    let known = seeds::blocks();
    if !known.iter().any(|block| block.root == root) {
        return;
    }
    let statement = &facts.statement;
    let genuine = known.iter().any(|block| {
        block.root == root
            && (block.chain, block.number) == (statement.chain, statement.number)
            && Some(block.hash) == facts.block_hash
    });
    assert!(genuine, "{statement:?} was shown under {root} with hash {:?}", facts.block_hash);
}
