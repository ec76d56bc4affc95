//! Chain registry: `chains.toml`, one table per row, in slot order.
//!
//! ```
//! use superroot_chain::registry::ChainRegistry;
//!
//! let ethereum = ChainRegistry::builtin().find("eip155:1").unwrap();
//! assert_eq!((ethereum.id.0, ethereum.slug.as_str()), (1, "ethereum"));
//! assert_eq!(ChainRegistry::builtin().find("ETH"), Some(ethereum));
//! ```

use std::collections::HashMap;
use std::sync::OnceLock;

use superroot_proof::registry::{HashRule, HashRuleFrom, Profile};
use superroot_types::{BlockNumber, ChainId, ChainKey, Family};

use crate::finality::EvidenceKind;
use crate::ledger::Ledger;
use crate::ledger::evm::{self, Encoding};

mod error;
pub(crate) mod fields;
mod row;
mod withdrawal;

pub use error::ChainRegistryError;
pub use fields::TEXT_BYTES_MAX;

/// Text of the built-in `chains.toml`. Extra chain definitions for your own log are appended.
pub const ROWS: &str = include_str!("../chains.toml");

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainSpec {
    /// Chain id, below 2^53, unique in the registry.
    pub id: ChainId,
    pub name: String,
    /// Short lower-case word for paths.
    pub slug: String,
    pub ledger: Ledger,
    pub caip2: String,
    /// Other ids accepted on input; any 64-bit number.
    pub alias_ids: Vec<u64>,
    /// Other words accepted on input.
    pub alias_words: Vec<String>,
    /// Strongest finality evidence available.
    pub evidence: EvidenceKind,
    /// Nominal time between blocks, in milliseconds.
    pub block_time_ms: u64,
    /// Block hash rules by start number, ascending, never empty.
    pub rules: Vec<HashRuleFrom>,
    /// Last review of the rules; `None` if unstated.
    pub rules_checked: Option<RulesReview>,
    /// Rules known from sources only, not from recomputed blocks; `None` if all were proven on real blocks.
    pub unproven_rules: Option<String>,
    /// Real blocks that proved the rules, in words.
    pub proven_on: Option<String>,
}

/// Last comparison between the rules and the chain's own sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesReview {
    /// Newest fork in the review.
    pub fork: String,
    pub source: String,
    /// The review's day, `YYYY-MM-DD`.
    pub date: String,
}

impl ChainSpec {
    #[must_use]
    pub const fn family(&self) -> Family {
        self.ledger.family()
    }

    /// Family and id: the chain in every hash.
    #[must_use]
    pub const fn key(&self) -> ChainKey {
        ChainKey { family: self.family(), id: self.id }
    }

    /// A log's chain commitment. Bytes: `docs/protocol.md#chains-numbers-block-hashes`.
    #[must_use]
    pub fn profile(&self) -> Profile {
        Profile { chain: self.key(), caip2: self.caip2.clone(), rules: self.rules.clone() }
    }

    /// Rule in force at a number; `None` before the ledger's first number, or for a rule unknown to this build.
    #[must_use]
    pub fn rule_at(&self, number: BlockNumber) -> Option<HashRule> {
        let rule = self.rules.iter().rev().find(|rule| rule.from_number <= number.0)?;
        HashRule::from_code(rule.code).map(|rule| rule.at(number.0))
    }

    /// Row of an EVM chain with one encoding and no unprovable blocks: for simulated or newly started chains under this
    /// row's name.
    #[must_use]
    pub fn read_as(mut self, encoding: Encoding) -> Self {
        let from_number = self.rules.first().map_or(0, |first| first.from_number);
        self.ledger = Ledger::Evm(evm::EvmParams::of(encoding, from_number));
        self.unproven_rules = None;
        self
    }

    /// Row of a simulated chain with this name: Ethereum rules in the EVM family; work, keys and committees available
    /// to anybody in others.
    #[must_use]
    pub fn as_simulated(mut self) -> Self {
        self.ledger = self.ledger.simulated();
        self.unproven_rules = None;
        self
    }

    /// First number withdrawn from proof; `None` while not withdrawn.
    #[must_use]
    pub fn withdrawn_from(&self) -> Option<BlockNumber> {
        let rule = self.rules.iter().find(|rule| rule.code == HashRule::Withdrawn.code())?;
        Some(BlockNumber(rule.from_number))
    }
}

#[derive(Clone, Debug)]
pub struct ChainRegistry {
    rows: Vec<ChainSpec>,
    by_id: HashMap<u64, usize>,
    by_word: HashMap<String, usize>,
    profiles: superroot_proof::registry::LogRegistry,
}

impl ChainRegistry {
    /// Built-in registry: `chains.toml`.
    ///
    /// # Panics
    /// Invalid `chains.toml`; a test excludes this for every build.
    #[must_use]
    pub fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<ChainRegistry> = OnceLock::new();
        #[allow(clippy::expect_used, reason = "our own file, read by the tests of this module")]
        BUILTIN.get_or_init(|| Self::parse(ROWS).expect("chains.toml is a registry"))
    }

    /// Reads a registry: rows in `[[chain]]` tables, and `[[withdraw]]` tables, which append rule 0000 to a row: `chain
    /// = "base"`, `from = 123`. Errors name the row and the field.
    pub fn parse(text: &str) -> Result<Self, ChainRegistryError> {
        let (rows, withdrawals) = row::tables(text)?;
        let mut rows = row::parse_rows(rows)?;
        let mut by_id = HashMap::new();
        let mut by_word = HashMap::new();
        for (position, row) in rows.iter().enumerate() {
            let ids = row.alias_ids.iter().map(|id| ("aliases", *id));
            for (field, id) in ids.chain([("id", row.id.0)]) {
                claim(&mut by_id, id, position, field)?;
            }
            let words = row.alias_words.iter().map(|word| ("aliases", word));
            let own = [("name", &row.name), ("slug", &row.slug), ("caip2", &row.caip2)];
            for (field, word) in own.into_iter().chain(words) {
                claim(&mut by_word, word.to_lowercase(), position, field)?;
            }
        }
        for (place, table) in withdrawals.into_iter().enumerate() {
            withdrawal::append(place, table, &mut rows, |text| position(&by_id, &by_word, text))?;
        }
        let profiles = rows.iter().map(ChainSpec::profile).collect();
        let profiles = superroot_proof::registry::LogRegistry::new(profiles)?;
        Ok(Self { rows, by_id, by_word, profiles })
    }

    /// Rows: row `r` has SuperRoot slot `9 + r`.
    #[must_use]
    pub fn rows(&self) -> &[ChainSpec] {
        &self.rows
    }

    /// Finds a chain by id, alias, slug, name or CAIP-2 name, case-insensitive.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<&ChainSpec> {
        self.rows.get(position(&self.by_id, &self.by_word, text)?)
    }

    #[must_use]
    pub fn by_id(&self, id: ChainId) -> Option<&ChainSpec> {
        self.rows.get(*self.by_id.get(&id.0)?).filter(|row| row.id == id)
    }

    /// Row number and row of a chain.
    #[must_use]
    pub fn by_key(&self, chain: ChainKey) -> Option<(usize, &ChainSpec)> {
        let position = *self.by_id.get(&chain.id.0)?;
        let row = self.rows.get(position).filter(|row| row.key() == chain)?;
        Some((position, row))
    }

    /// The same rows' verifier form.
    #[must_use]
    pub const fn proof_registry(&self) -> &superroot_proof::registry::LogRegistry {
        &self.profiles
    }
}

fn position(
    by_id: &HashMap<u64, usize>,
    by_word: &HashMap<String, usize>,
    text: &str,
) -> Option<usize> {
    if text.is_empty() || text.len() > TEXT_BYTES_MAX {
        return None;
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        by_id.get(&text.parse().ok()?).copied()
    } else {
        by_word.get(&text.to_lowercase()).copied()
    }
}

/// Assigns an id or word to a row, unless assigned to another row.
fn claim<K: std::hash::Hash + Eq + Clone + ToString>(
    taken: &mut HashMap<K, usize>,
    key: K,
    row: usize,
    field: &'static str,
) -> Result<(), ChainRegistryError> {
    match taken.insert(key.clone(), row) {
        Some(first) if first != row => {
            Err(ChainRegistryError::Duplicate { row, field, got: key.to_string(), first })
        }
        _ => Ok(()),
    }
}
