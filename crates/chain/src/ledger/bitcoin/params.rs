use super::checkpoint::DifficultyCheckpoint;
use crate::unprovable::UnprovableRange;

/// Easiest possible target in compact form: every second hash is below the target.
pub const EASY_BITS: u32 = 0x207f_ffff;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitcoinParams {
    /// Easiest allowed target, in compact form.
    pub target_limit_bits: u32,
    /// First number with a mandatory height at the start of the coinbase (BIP 34).
    pub coinbase_height_from: u64,
    /// Following blocks required for finality: with 6, the head minus 6. At least 1.
    pub confirmations: u64,
    pub retarget: Retarget,
    /// Known headers, ascending: a base for targets even without stored previous headers.
    pub checkpoints: Vec<DifficultyCheckpoint>,
    pub unprovable: Vec<UnprovableRange>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Retarget {
    /// Every 2016 blocks.
    Main,
    /// As `Main`, but a block more than 20 minutes after the previous block may have the easiest target (third test
    /// network).
    Test3,
    /// As `Test3`, but adjusted from the target of the first of 2016 blocks, never an exception (BIP 94, fourth test
    /// network).
    Test4,
    /// Never (regression tests).
    Never,
}

impl Retarget {
    /// Reads a rule name: `main`, `test3`, `test4`, `never`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "main" => Some(Self::Main),
            "test3" => Some(Self::Test3),
            "test4" => Some(Self::Test4),
            "never" => Some(Self::Never),
            _ => None,
        }
    }
}
