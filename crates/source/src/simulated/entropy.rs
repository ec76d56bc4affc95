//! Randomness of simulated chains: a hash of seed and chain.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use superroot_proof::hash::keccak256_joined;
use superroot_types::{ChainKey, Hash};

/// A simulated chain's randomness: the same for the same seed and chain, on every machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entropy(Hash);

impl Entropy {
    pub(super) fn new(seed: u64, chain: ChainKey) -> Self {
        let family = [chain.family.byte()];
        let id = chain.id.0.to_be_bytes();
        Self(keccak256_joined(&[b"superroot simulated chain", &seed.to_be_bytes(), &family, &id]))
    }

    pub(super) fn hash(&self, purpose: &str, number: u64) -> Hash {
        let length = (purpose.len() as u64).to_be_bytes();
        let number = number.to_be_bytes();
        keccak256_joined(&[&self.0.0, &length, purpose.as_bytes(), &number])
    }

    pub(super) fn rng(&self, purpose: &str, number: u64) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(self.hash(purpose, number).0)
    }
}
