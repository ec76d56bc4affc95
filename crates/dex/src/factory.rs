//! Factories, and whose pool a contract is.

use std::fmt;
use std::sync::LazyLock;

use alloy_primitives::{Address, B256, I256, U256, keccak256};
use alloy_sol_types::SolValue;
use serde::Deserialize;
use superroot_types::Hash;

/// Those that this build knows.
const BUILTIN: &str = include_str!("factories.toml");

/// Two tokens of a pool, and its fee where factories tell pools apart by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The lower address.
    pub token0: Address,
    /// The higher.
    pub token1: Address,
}

/// How a factory makes the salt of a pool's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    /// `keccak256(token0 ‖ token1)`.
    V2,
    /// `keccak256(abi.encode(token0, token1, fee))`.
    V3,
    /// Pools have no contracts: see [`id_within`].
    V4,
}

/// A factory of pools.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Factory {
    /// Its exchange.
    pub dex: String,
    /// Names of the chains on which it stands.
    pub chains: Vec<String>,
    pub(crate) form: Form,
    /// The contract whose events say that a pool was made.
    pub address: Address,
    deployer: Option<Address>,
    init_code_hash: Option<B256>,
    /// Fees of its pools, in millionths.
    #[serde(default)]
    pub fees: Vec<u32>,
}

/// Why a list of factories is none.
#[derive(Debug)]
pub struct ParseFactoriesError(String);

impl fmt::Display for ParseFactoriesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParseFactoriesError {}

impl Factory {
    /// The address of its pool of two tokens, and of that fee where pools are told apart by it. Nobody else can
    /// put a contract there (EIP-1014). `None` where its pools have no contracts.
    #[must_use]
    pub fn pool_of(&self, pair: &Pair, fee: u32) -> Option<Address> {
        let Pair { token0, token1 } = *pair;
        let salt = match self.form {
            Form::V2 => keccak256([token0.as_slice(), token1.as_slice()].concat()),
            Form::V3 => keccak256((token0, token1, U256::from(fee)).abi_encode()),
            Form::V4 => return None,
        };
        Some(self.deployer.unwrap_or(self.address).create2(salt, self.init_code_hash?))
    }

    /// The fee of that pool of these tokens, if it is of this factory.
    #[must_use]
    pub fn fee_of(&self, pool: Address, pair: &Pair) -> Option<u32> {
        self.fees.iter().copied().find(|fee| self.pool_of(pair, *fee) == Some(pool))
    }
}

/// The id of a pool within a manager of Uniswap v4: the hash of its key (v4-core, `PoolId`).
#[must_use]
pub fn id_within(pair: &Pair, fee: u32, tick_spacing: i32, hooks: Address) -> Hash {
    let spacing = I256::try_from(tick_spacing).unwrap_or_default();
    let key = (pair.token0, pair.token1, U256::from(fee), spacing, hooks).abi_encode();
    Hash(keccak256(key).0)
}

/// Factories whose pools are believed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Factories {
    #[serde(default)]
    factory: Vec<Factory>,
}

impl Factories {
    /// Those that this build knows.
    pub fn builtin() -> &'static Self {
        static FACTORIES: LazyLock<Factories> =
            LazyLock::new(|| Factories::parse(BUILTIN).expect("a test reads them"));
        &FACTORIES
    }

    /// Reads a list in the form of `factories.toml`.
    ///
    /// # Errors
    /// [`ParseFactoriesError`] naming the row and the field.
    pub fn parse(text: &str) -> Result<Self, ParseFactoriesError> {
        let read: Self =
            toml::from_str(text).map_err(|why| ParseFactoriesError(why.to_string()))?;
        for row in &read.factory {
            let fault = |why: &str| ParseFactoriesError(format!("factory {}: {why}", row.address));
            if row.dex.is_empty() || row.chains.is_empty() {
                return Err(fault("dex and chains must not be empty"));
            }
            let has = (row.init_code_hash.is_some(), !row.fees.is_empty());
            let wanted = row.form != Form::V4;
            if has != (wanted, wanted) {
                return Err(fault("init_code_hash and fees are of v2 and v3, and needed there"));
            }
            if row.form == Form::V2 && row.fees.len() != 1 {
                return Err(fault("pools of form v2 have one fee"));
            }
            if row.fees.iter().any(|fee| *fee >= 1_000_000) {
                return Err(fault("a fee is in millionths, below 1,000,000"));
            }
        }
        Ok(read)
    }

    /// All of them.
    pub fn rows(&self) -> &[Factory] {
        &self.factory
    }

    /// The factory of a chain at that address.
    #[must_use]
    pub fn at(&self, chain: &str, address: Address) -> Option<&Factory> {
        self.on(chain).find(|row| row.address == address)
    }

    /// The factory whose pool of these tokens has that address, and the pool's fee in millionths.
    #[must_use]
    pub fn of_pool(&self, chain: &str, pool: Address, pair: &Pair) -> Option<(&Factory, u32)> {
        self.on(chain).find_map(|row| Some((row, row.fee_of(pool, pair)?)))
    }

    pub(crate) fn on(&self, chain: &str) -> impl Iterator<Item = &Factory> {
        self.factory.iter().filter(move |row| row.chains.iter().any(|name| name == chain))
    }
}
