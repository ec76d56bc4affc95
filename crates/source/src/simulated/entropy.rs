//! Where everything made up comes from: one hash of seed and chain.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use superroot_proof::hash::keccak256_joined;
use superroot_types::{ChainKey, Hash};

/// The randomness of one simulated chain: the same for one seed and chain, on every machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entropy(Hash);

impl Entropy {
    pub(super) fn new(seed: u64, chain: ChainKey) -> Self {
        let (family, id) = ([chain.family.byte()], chain.id.0.to_be_bytes());
        Self(keccak256_joined(&[b"superroot simulated chain", &seed.to_be_bytes(), &family, &id]))
    }

    /// A hash for one purpose and number.
    pub(super) fn hash(&self, purpose: &str, number: u64) -> Hash {
        let (length, number) = ((purpose.len() as u64).to_be_bytes(), number.to_be_bytes());
        keccak256_joined(&[&self.0.0, &length, purpose.as_bytes(), &number])
    }

    /// A stream of random numbers for one purpose and number.
    pub(super) fn rng(&self, purpose: &str, number: u64) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(self.hash(purpose, number).0)
    }
}
