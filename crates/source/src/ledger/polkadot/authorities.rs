//! Authorities of a simulated chain, with public keys, and their votes.

use ed25519_dalek::{Signer, SigningKey};
use superroot_chain::ledger::polkadot::RawGrandpaVotes;
use superroot_proof::hash::sha256_joined;
use superroot_proof::ledger::polkadot::{
    GrandpaAuthority, GrandpaFinalityProof, GrandpaJustification, GrandpaPrecommit, Header,
    encode_authorities, precommit_bytes,
};

/// Blocks of a set: the last one's number is a multiple, and the block names the next authorities.
pub(super) const SET_BLOCKS: u64 = 32;
const MEMBERS: u64 = 4;
/// Members that vote: more than two thirds.
const VOTERS: usize = 3;
const ROUND: u64 = 1;

/// Authorities of a set.
#[derive(Debug)]
pub(super) struct SimulatedAuthorities {
    set: u64,
    keys: Vec<SigningKey>,
}

impl SimulatedAuthorities {
    /// Set that signs a block.
    pub(super) fn at(number: u64) -> Self {
        Self::of_set(number.div_ceil(SET_BLOCKS))
    }

    /// Changed by one authority in each set.
    pub(super) fn of_set(set: u64) -> Self {
        let key = |rank: u64| {
            let index = set.saturating_add(rank);
            let seed = format!("superroot simulated, not secret: authority {index}");
            SigningKey::from_bytes(&sha256_joined(&[seed.as_bytes()]).0)
        };
        Self { set, keys: (0..MEMBERS).map(key).collect() }
    }

    pub(super) fn next(&self) -> Self {
        Self::of_set(self.set.saturating_add(1))
    }

    pub(super) fn list(&self) -> Vec<GrandpaAuthority> {
        let one =
            |key: &SigningKey| GrandpaAuthority { key: key.verifying_key().to_bytes(), weight: 1 };
        self.keys.iter().map(one).collect()
    }

    pub(super) fn votes(&self, header: &Header) -> RawGrandpaVotes {
        let hash = header.hash();
        let number = u32::try_from(header.number).unwrap_or(u32::MAX);
        let bytes = precommit_bytes(&hash, number, ROUND, self.set);
        let vote = |key: &SigningKey| GrandpaPrecommit {
            hash,
            number,
            signature: key.sign(&bytes).to_bytes(),
            key: key.verifying_key().to_bytes(),
        };
        let precommits = self.keys.iter().take(VOTERS).map(vote).collect();
        let ancestries = Vec::new();
        let justification =
            GrandpaJustification { round: ROUND, hash, number, precommits, ancestries };
        let (justification, headers) = (justification.encode(), Vec::new());
        RawGrandpaVotes {
            set_id: self.set,
            authorities: encode_authorities(&self.list()).into(),
            proof: GrandpaFinalityProof { hash, justification, headers }.encode().into(),
        }
    }
}
