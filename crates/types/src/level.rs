//! Proof levels and networks.

use core::fmt;

/// How far up a proof goes. Source: specification section 2.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum ProofLevel {
    /// A transaction or a log in its block's own tree.
    Entry = 1,
    /// The block's header.
    Block = 2,
    /// The twig of 2,048 consecutive numbers.
    Twig = 3,
    /// The Mini-MMR of the family; not on the way of a block in an open twig.
    MiniMmr = 4,
    /// The SuperRoot.
    SuperRoot = 5,
}

impl ProofLevel {
    /// Every level, lowest first.
    pub const ALL: [Self; 5] =
        [Self::Entry, Self::Block, Self::Twig, Self::MiniMmr, Self::SuperRoot];

    /// The level's number, 1 to 5.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The level of that number, if there is one.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            1 => Some(Self::Entry),
            2 => Some(Self::Block),
            3 => Some(Self::Twig),
            4 => Some(Self::MiniMmr),
            5 => Some(Self::SuperRoot),
            _ => None,
        }
    }

    /// The word used in messages and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::Block => "block",
            Self::Twig => "twig",
            Self::MiniMmr => "mini_mmr",
            Self::SuperRoot => "super_root",
        }
    }
}

impl fmt::Display for ProofLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "level {} ({})", self.number(), self.name())
    }
}

/// Where the blocks of a log come from; told by the log's origin alone, so nobody can relabel it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Network {
    /// Live chains.
    Live,
    /// Recordings of real chains: sparse, of no current state.
    Recorded,
    /// Made-up chains of a demo or a test.
    Simulated,
}

impl Network {
    /// The network that a log's origin names. Source: `docs/protocol.md#networks`.
    #[must_use]
    pub fn of_origin(origin: &str) -> Self {
        if origin.starts_with("recorded/") {
            Self::Recorded
        } else if origin.starts_with("simulated/") {
            Self::Simulated
        } else {
            Self::Live
        }
    }

    /// The word used in JSON and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Recorded => "recorded",
            Self::Simulated => "simulated",
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_numbers_lead_back() {
        for level in ProofLevel::ALL {
            assert_eq!(ProofLevel::from_number(level.number()), Some(level));
        }
        assert_eq!(ProofLevel::from_number(0), None);
        assert_eq!(ProofLevel::from_number(6), None);
    }

    #[test]
    fn only_the_whole_first_word_of_an_origin_names_a_network() {
        assert_eq!(Network::of_origin("recorded/a"), Network::Recorded);
        assert_eq!(Network::of_origin("simulated/a"), Network::Simulated);
        assert_eq!(Network::of_origin("recordedx/a"), Network::Live);
        assert_eq!(Network::of_origin("example.org/recorded/"), Network::Live);
    }
}
