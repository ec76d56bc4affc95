use core::fmt;

/// Proof level. Source: specification section 2.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum ProofLevel {
    /// Transaction or log in the tree inside the block.
    Entry = 1,
    /// Block header.
    Block = 2,
    /// Twig of 2,048 consecutive numbers.
    Twig = 3,
    /// Family Mini-MMR; skipped for a block in an open twig.
    MiniMmr = 4,
    /// SuperRoot.
    SuperRoot = 5,
}

impl ProofLevel {
    /// All levels, lowest first.
    pub const ALL: [Self; 5] =
        [Self::Entry, Self::Block, Self::Twig, Self::MiniMmr, Self::SuperRoot];

    /// Level number, 1 to 5.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Returns the level by number, 1 to 5.
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

    /// Word in messages and JSON.
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

/// Source of a log's blocks; the log origin alone determines the network, so nobody can relabel a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Network {
    /// Live chains.
    Live,
    /// Recordings of real chains: sparse, without current state.
    Recorded,
    /// Invented chains for a demo or a test.
    Simulated,
}

/// Word without a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("live, recorded or simulated")]
pub struct UnknownNetwork;

impl Network {
    /// All networks.
    pub const ALL: [Self; 3] = [Self::Live, Self::Recorded, Self::Simulated];

    /// Reads the network from a log origin. Source: `docs/protocol.md#networks`.
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

    /// Word in JSON and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Recorded => "recorded",
            Self::Simulated => "simulated",
        }
    }
}

impl core::str::FromStr for Network {
    type Err = UnknownNetwork;

    fn from_str(text: &str) -> Result<Self, UnknownNetwork> {
        Self::ALL.into_iter().find(|network| network.name() == text).ok_or(UnknownNetwork)
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
        for network in Network::ALL {
            assert_eq!(network.name().parse(), Ok(network));
        }
        assert_eq!("Live".parse::<Network>(), Err(UnknownNetwork));
        assert_eq!(Network::of_origin("recorded/a"), Network::Recorded);
        assert_eq!(Network::of_origin("simulated/a"), Network::Simulated);
        assert_eq!(Network::of_origin("recordedx/a"), Network::Live);
        assert_eq!(Network::of_origin("example.org/recorded/"), Network::Live);
    }
}
