/// Header fields and their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Ethereum.
    Ethereum,
    /// Ethereum with the two `AuRa` seal fields.
    Aura,
    /// Celo before Gingerbread: ten fields.
    CeloL1,
    /// Celo since Gingerbread: aggregated seal emptied.
    CeloGingerbread,
    /// Avalanche C-Chain: external data fields.
    Avalanche,
    /// Sonic.
    Sonic,
}
