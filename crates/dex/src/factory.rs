//! Factories, and checks of a pool's factory.

use std::fmt;
use std::sync::LazyLock;

use alloy_primitives::{Address, B256, I256, U256, hex, keccak256};
use alloy_sol_types::SolValue;
use serde::Deserialize;
use superroot_types::Hash;

use crate::bound::PairPools;

const BUILTIN: &str = include_str!("factories.toml");

/// Two pool tokens, with the fee if factories distinguish pools by fee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    pub token0: Address,
    pub token1: Address,
}

/// Salt of a pool's address, by factory type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SaltForm {
    /// `keccak256(token0 ‖ token1)`.
    V2,
    /// `keccak256(abi.encode(token0, token1, fee))`.
    V3,
    /// Pools without contracts: see [`id_within`].
    V4,
    /// PancakeSwap Infinity pools with ranges, without contracts: see [`Factory::id_of`].
    Infinity,
    /// `keccak256(token0 ‖ token1 ‖ is_stable)`: Solidly, Velodrome, Aerodrome.
    Solidly,
    /// `keccak256(abi.encode(token0, token1, tick_spacing))`: Slipstream of Velodrome and Aerodrome.
    Slipstream,
    /// `keccak256(abi.encode(token0, token1))`: Algebra.
    Algebra,
    /// Unknown salt: only the factory's creation events identify its pools.
    Event,
}

impl SaltForm {
    const fn changes_fees(self) -> bool {
        matches!(self, Self::Solidly | Self::Slipstream | Self::Algebra)
    }

    /// Whether its events report pools that do not follow from tokens and the usual fees.
    const fn tells_more(self) -> bool {
        matches!(self, Self::V3 | Self::V4 | Self::Infinity | Self::Slipstream | Self::Event)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Factory {
    pub dex: String,
    /// Names of the factory's chains.
    pub chains: Vec<String>,
    pub(crate) form: SaltForm,
    /// Contract whose events report pool creations.
    pub address: Address,
    deployer: Option<Address>,
    init_code_hash: Option<B256>,
    implementation: Option<Address>,
    /// Pool fees, in millionths.
    #[serde(default)]
    pub fees: Vec<u32>,
    /// Whether pool fees may change later, if not already given by the form.
    #[serde(default)]
    fees_change: bool,
    /// Tick spacings, one for each fee, unless derived from the fee.
    #[serde(default)]
    pub tick_spacings: Vec<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PoolKind {
    pub(crate) fee: u32,
    pub(crate) tick_spacing: i32,
    pub(crate) is_stable: bool,
}

/// Invalid list of factories.
#[derive(Debug)]
pub struct ParseFactoriesError(String);

impl fmt::Display for ParseFactoriesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParseFactoriesError {}

/// Tick spacing for a fee, as in Uniswap v3 factories and their forks.
pub(crate) const fn spacing_of(fee: u32) -> i32 {
    match fee {
        200 => 4,
        300 => 6,
        400 => 8,
        500 => 10,
        2_500 => 50,
        3_000 => 60,
        10_000 => 200,
        _ => 1,
    }
}

impl Factory {
    /// Address of the factory's pool for two tokens, and for this fee if pools differ by fee. Nobody else can deploy a
    /// contract there (EIP-1014). `None` if the address does not follow from these.
    #[must_use]
    pub fn pool_of(&self, pair: &Pair, fee: u32) -> Option<Address> {
        let kind = self.kinds().find(|kind| kind.fee == fee)?;
        self.address_of(pair, &kind)
    }

    /// Whether the factory's pool for two tokens has this address.
    #[must_use]
    pub fn makes(&self, pair: &Pair, pool: Address) -> bool {
        self.kinds().any(|kind| self.address_of(pair, &kind) == Some(pool))
    }

    pub(crate) const fn changes_fees(&self) -> bool {
        self.fees_change || self.form.changes_fees()
    }

    /// Possible pool kinds for two tokens.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = PoolKind> {
        self.fees.iter().enumerate().map(|(place, fee)| {
            let spacing = match self.form {
                SaltForm::V3 | SaltForm::Event => spacing_of(*fee),
                // what is between two ticks that may be used is held to be the least: Algebra changes it
                _ => 1,
            };
            PoolKind {
                fee: *fee,
                tick_spacing: self.tick_spacings.get(place).copied().unwrap_or(spacing),
                is_stable: self.form == SaltForm::Solidly && place == 1,
            }
        })
    }

    pub(crate) fn address_of(&self, pair: &Pair, kind: &PoolKind) -> Option<Address> {
        let Pair { token0, token1 } = *pair;
        let packed = || [token0.as_slice(), token1.as_slice()].concat();
        let salt = match self.form {
            SaltForm::V2 => keccak256(packed()),
            SaltForm::V3 => keccak256((token0, token1, U256::from(kind.fee)).abi_encode()),
            SaltForm::Solidly => keccak256([packed(), vec![u8::from(kind.is_stable)]].concat()),
            SaltForm::Slipstream => {
                let spacing = I256::try_from(kind.tick_spacing).unwrap_or_default();
                keccak256((token0, token1, spacing).abi_encode())
            }
            SaltForm::Algebra => keccak256((token0, token1).abi_encode()),
            SaltForm::V4 | SaltForm::Infinity | SaltForm::Event => return None,
        };
        let code = self.init_code_hash.or_else(|| self.implementation.map(clone_hash))?;
        Some(self.deployer.unwrap_or(self.address).create2(salt, code))
    }

    /// Id of the factory's pool for two tokens with this fee and spacing, without hooks: its key's hash. `None` if the
    /// pools are contracts.
    #[must_use]
    pub fn id_of(&self, pair: &Pair, fee: u32, tick_spacing: i32) -> Option<Hash> {
        match self.form {
            SaltForm::V4 => Some(id_within(pair, fee, tick_spacing, Address::ZERO)),
            // infinity-core, `PoolKey` and `PoolIdLibrary`: tokens, hooks, manager, fee, parameters
            SaltForm::Infinity => {
                let parameters = U256::from(u32::try_from(tick_spacing).ok()?) << 16_usize;
                let hooks = Address::ZERO;
                let manager = self.address;
                let key = (pair.token0, pair.token1, hooks, manager, U256::from(fee), parameters);
                Some(Hash(keccak256(key.abi_encode()).0))
            }
            _ => None,
        }
    }

    /// Chain on which both factories have the same address.
    fn stands_with<'a>(&'a self, other: &Self) -> Option<&'a str> {
        let is_there = |chain: &&String| other.chains.contains(chain);
        let chain = self.chains.iter().find(is_there).filter(|_| self.address == other.address);
        chain.map(String::as_str)
    }

    /// Fault in a row.
    fn fault(&self) -> Option<&'static str> {
        let codes =
            usize::from(self.init_code_hash.is_some()) + usize::from(self.implementation.is_some());
        let fees = self.fees.len();
        let spacings = self.tick_spacings.len();
        let (wanted_codes, wanted_fees, wanted_spacings) = match self.form {
            SaltForm::V4 | SaltForm::Infinity => (0, 0..=0, 0),
            SaltForm::V2 | SaltForm::Algebra => (1, 1..=1, 0),
            SaltForm::V3 => (1, 1..=16, 0),
            SaltForm::Solidly => (1, 2..=2, 0),
            SaltForm::Slipstream => (1, 1..=16, fees),
            SaltForm::Event => (0, 1..=16, 0),
        };
        if self.dex.is_empty() || self.chains.is_empty() {
            Some("dex and chains must not be empty")
        } else if codes != wanted_codes {
            Some(
                "one of init_code_hash and implementation is needed, but of forms v4, infinity and event none",
            )
        } else if !wanted_fees.contains(&fees) {
            Some("fees: v2 and algebra have one, solidly two, v4 and infinity none, others 1 to 16")
        } else if spacings != wanted_spacings {
            Some("tick_spacings are of slipstream, one for each fee")
        } else if self.fees.iter().any(|fee| *fee >= 1_000_000) {
            Some("a fee is in millionths, below 1,000,000")
        } else if self.tick_spacings.iter().any(|spacing| !(1..=16_384).contains(spacing)) {
            Some("a tick spacing is 1 to 16,384")
        } else {
            None
        }
    }
}

/// Code hash of a minimal proxy for a contract (EIP-1167).
fn clone_hash(implementation: Address) -> B256 {
    let before = hex!("3d602d80600a3d3981f3363d3d373d3d3d363d73");
    let after = hex!("5af43d82803e903d91602b57fd5bf3");
    keccak256([before.as_slice(), implementation.as_slice(), after.as_slice()].concat())
}

/// Pool id within a Uniswap v4 manager: the pool key's hash (v4-core, `PoolId`).
#[must_use]
pub fn id_within(pair: &Pair, fee: u32, tick_spacing: i32, hooks: Address) -> Hash {
    let spacing = I256::try_from(tick_spacing).unwrap_or_default();
    let key = (pair.token0, pair.token1, U256::from(fee), spacing, hooks).abi_encode();
    Hash(keccak256(key).0)
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Factories {
    #[serde(default)]
    factory: Vec<Factory>,
    #[serde(skip)]
    pub(crate) pools: PairPools,
}

impl Factories {
    pub fn builtin() -> &'static Self {
        static FACTORIES: LazyLock<Factories> =
            LazyLock::new(|| Factories::parse(BUILTIN).expect("a test reads them"));
        &FACTORIES
    }

    /// Parses a list in the form of `factories.toml`.
    ///
    /// # Errors
    /// [`ParseFactoriesError`] naming the row and the field.
    pub fn parse(text: &str) -> Result<Self, ParseFactoriesError> {
        let read: Self =
            toml::from_str(text).map_err(|why| ParseFactoriesError(why.to_string()))?;
        for row in &read.factory {
            if let Some(why) = row.fault() {
                return Err(ParseFactoriesError(format!("factory {}: {why}", row.address)));
            }
        }
        for (place, row) in read.factory.iter().enumerate() {
            if let Some(chain) =
                read.factory[..place].iter().find_map(|other| row.stands_with(other))
            {
                let why = format!("factory {}: it is listed twice for {chain}", row.address);
                return Err(ParseFactoriesError(why));
            }
        }
        Ok(read)
    }

    /// Adds another list in the same form, with the errors of [`Factories::parse`]; its entries replace existing ones
    /// with the same chain and address.
    pub fn with(&self, more: &str) -> Result<Self, ParseFactoriesError> {
        let mut all = Self::parse(more)?;
        for mut row in self.factory.iter().cloned() {
            row.chains.retain(|chain| all.at(chain, row.address).is_none());
            if !row.chains.is_empty() {
                all.factory.push(row);
            }
        }
        Ok(all)
    }

    pub fn rows(&self) -> &[Factory] {
        &self.factory
    }

    #[must_use]
    pub fn at(&self, chain: &str, address: Address) -> Option<&Factory> {
        self.on(chain).find(|row| row.address == address)
    }

    /// Factories on a chain whose events report pools missing in [`Factories::pools_of`].
    pub fn telling<'a>(&'a self, chain: &'a str) -> impl Iterator<Item = Address> + 'a {
        self.on(chain).filter(|row| row.form.tells_more()).map(|row| row.address)
    }

    /// Factory addresses on a chain.
    pub fn of_chain<'a>(&'a self, chain: &'a str) -> impl Iterator<Item = Address> + 'a {
        self.on(chain).map(|row| row.address)
    }

    pub(crate) fn on(&self, chain: &str) -> impl Iterator<Item = &Factory> {
        self.factory.iter().filter(move |row| row.chains.iter().any(|name| name == chain))
    }
}
