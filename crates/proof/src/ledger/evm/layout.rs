//! The layouts of headers that the family has.

/// Which fields a header has, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Ethereum's.
    Ethereum,
    /// The same with the two `AuRa` seal fields.
    Aura,
    /// Celo's before Gingerbread: ten fields.
    CeloL1,
    /// Celo's from Gingerbread on: aggregated seal emptied.
    CeloGingerbread,
    /// Avalanche's of the C chain: external data fields.
    Avalanche,
    /// Sonic's.
    Sonic,
}
