use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

/// Tier of an account (specification 8.1), lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Free: proofs, gas, status.
    Explorer,
    /// All of REST, streams and webhooks.
    Builder,
    /// With gRPC.
    Protocol,
    /// By individual agreement.
    Enterprise,
}

impl Tier {
    /// Every tier, lowest first.
    pub const ALL: [Self; 4] = [Self::Explorer, Self::Builder, Self::Protocol, Self::Enterprise];

    /// Name in configuration, answers and rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Explorer => "explorer",
            Self::Builder => "builder",
            Self::Protocol => "protocol",
            Self::Enterprise => "enterprise",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Unknown tier name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown tier: expected explorer, builder, protocol or enterprise")]
pub struct UnknownTier;

impl FromStr for Tier {
    type Err = UnknownTier;

    fn from_str(text: &str) -> Result<Self, UnknownTier> {
        Self::ALL.into_iter().find(|tier| tier.name() == text).ok_or(UnknownTier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tier_is_read_as_it_is_written_and_ranks_as_listed() {
        for tier in Tier::ALL {
            assert_eq!(tier.name().parse(), Ok(tier));
            assert_eq!(serde_json::to_string(&tier).unwrap(), format!("\"{tier}\""));
        }
        assert!(Tier::ALL.is_sorted());
        assert_eq!("gold".parse::<Tier>(), Err(UnknownTier));
    }
}
