//! The chains of a log as data: `chains.toml`, one table a row, in the order of their slots.
//!
//! ```
//! use superroot_chain::registry::Registry;
//!
//! let ethereum = Registry::builtin().find("eip155:1").unwrap();
//! assert_eq!((ethereum.id.0, ethereum.slug.as_str()), (1, "ethereum"));
//! assert_eq!(Registry::builtin().find("ETH"), Some(ethereum));
//! ```

use std::collections::HashMap;
use std::sync::OnceLock;

use superroot_proof::registry::{Profile, Rule, RuleFrom};
use superroot_types::{BlockNumber, ChainId, ChainKey, Family};

use crate::evm::{self, Encoding};
use crate::finality::EvidenceKind;
use crate::ledger::Ledger;

mod error;
pub(crate) mod fields;
mod row;
mod withdrawal;

pub use error::RegistryError;
pub use fields::TEXT_BYTES_MAX;

/// The rows of this build as text: `chains.toml`. Rows of a log of one's own are appended to it.
pub const ROWS: &str = include_str!("../chains.toml");

/// A row: what is known of a chain besides its blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainRow {
    /// Chain id, below 2^53, unique over the registry.
    pub id: ChainId,
    /// Name shown to people.
    pub name: String,
    /// Short lower-case word for paths.
    pub slug: String,
    /// Its ledger, with what differs between chains of it.
    pub ledger: Ledger,
    /// CAIP-2 name.
    pub caip2: String,
    /// Other ids that lead here on input; any 64-bit number.
    pub alias_ids: Vec<u64>,
    /// Other words that lead here on input.
    pub alias_words: Vec<String>,
    /// Strongest finality evidence within reach.
    pub evidence: EvidenceKind,
    /// Nominal time between blocks, in milliseconds.
    pub block_time_ms: u64,
    /// From which number on which rule makes the block hash; rising, never empty.
    pub rules: Vec<RuleFrom>,
    /// When its rules were last checked; `None` of a row that does not say.
    pub rules_checked: Option<RulesChecked>,
    /// Which of its rules are known from sources alone, not from recomputed blocks; `None` when
    /// each was proven on real blocks.
    pub unproven_rules: Option<String>,
    /// On which real blocks its rules were proven, in words.
    pub proven_on: Option<String>,
}

/// When the rules of a chain were last held against the chain's own sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesChecked {
    /// Newest fork of the chain that was looked at.
    pub fork: String,
    /// What was read.
    pub source: String,
    /// Day of it, `YYYY-MM-DD`.
    pub date: String,
}

impl ChainRow {
    /// Ledger family.
    #[must_use]
    pub const fn family(&self) -> Family {
        self.ledger.family()
    }

    /// Family and id: what a chain is in every hash.
    #[must_use]
    pub const fn key(&self) -> ChainKey {
        ChainKey { family: self.family(), id: self.id }
    }

    /// What a log commits to for this chain. Bytes: `docs/protocol.md#chains-numbers-block-hashes`.
    #[must_use]
    pub fn profile(&self) -> Profile {
        Profile { chain: self.key(), caip2: self.caip2.clone(), rules: self.rules.clone() }
    }

    /// The rule in force at that number; `None` before the ledger's first number or when this
    /// build does not know the rule.
    #[must_use]
    pub fn rule_at(&self, number: BlockNumber) -> Option<Rule> {
        let rule = self.rules.iter().rev().find(|rule| rule.from_number <= number.0)?;
        Rule::from_code(rule.code).map(|rule| rule.at(number.0))
    }

    /// The row of a chain of the EVM family whose blocks all have that encoding and nothing unprovable:
    /// for chains that are simulated or started afresh under this row's name.
    #[must_use]
    pub fn read_as(mut self, encoding: Encoding) -> Self {
        let from_number = self.rules.first().map_or(0, |first| first.from_number);
        self.ledger = Ledger::Evm(evm::Params::of(encoding, from_number));
        self.unproven_rules = None;
        self
    }

    /// The row of a chain that is made up under this one's name: by Ethereum's rules in the EVM family, and
    /// with work, keys and committees that anybody can do in others.
    #[must_use]
    pub fn as_simulated(mut self) -> Self {
        self.ledger = self.ledger.simulated();
        self.unproven_rules = None;
        self
    }

    /// The number from which on nothing of the chain is provable; `None` while it is not withdrawn.
    #[must_use]
    pub fn withdrawn_from(&self) -> Option<BlockNumber> {
        let rule = self.rules.iter().find(|rule| rule.code == Rule::Withdrawn.code())?;
        Some(BlockNumber(rule.from_number))
    }
}

/// All rows, and the ways to find them.
#[derive(Clone, Debug)]
pub struct Registry {
    rows: Vec<ChainRow>,
    by_id: HashMap<u64, usize>,
    by_word: HashMap<String, usize>,
    profiles: superroot_proof::registry::Registry,
}

impl Registry {
    /// The registry of this build: `chains.toml`.
    ///
    /// # Panics
    /// If `chains.toml` is no registry, which a test rules out for every build.
    #[must_use]
    pub fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<Registry> = OnceLock::new();
        #[allow(clippy::expect_used, reason = "our own file, read by the tests of this module")]
        BUILTIN.get_or_init(|| Self::parse(ROWS).expect("chains.toml is a registry"))
    }

    /// Reads a registry: `[[chain]]` tables, which are its rows, and `[[withdraw]]` tables, each of
    /// which appends rule 0000 to a row: `chain = "base"`, `from = 123`.
    ///
    /// # Errors
    /// [`RegistryError`] naming the row and the field.
    pub fn parse(text: &str) -> Result<Self, RegistryError> {
        let (rows, withdrawals) = row::tables(text)?;
        let mut rows = row::parse_rows(rows)?;
        let (mut by_id, mut by_word) = (HashMap::new(), HashMap::new());
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
        let profiles = rows.iter().map(ChainRow::profile).collect();
        let profiles = superroot_proof::registry::Registry::new(profiles)?;
        Ok(Self { rows, by_id, by_word, profiles })
    }

    /// The rows: row `r` has SuperRoot slot `9 + r`.
    #[must_use]
    pub fn rows(&self) -> &[ChainRow] {
        &self.rows
    }

    /// The chain of that id, alias, slug, name or CAIP-2 name; case does not matter.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<&ChainRow> {
        self.rows.get(position(&self.by_id, &self.by_word, text)?)
    }

    /// The chain of that canonical id.
    #[must_use]
    pub fn by_id(&self, id: ChainId) -> Option<&ChainRow> {
        self.rows.get(*self.by_id.get(&id.0)?).filter(|row| row.id == id)
    }

    /// Row number and row of a chain.
    #[must_use]
    pub fn by_key(&self, chain: ChainKey) -> Option<(usize, &ChainRow)> {
        let position = *self.by_id.get(&chain.id.0)?;
        let row = self.rows.get(position).filter(|row| row.key() == chain)?;
        Some((position, row))
    }

    /// The same rows as a verifier holds them.
    #[must_use]
    pub const fn proof_registry(&self) -> &superroot_proof::registry::Registry {
        &self.profiles
    }
}

/// The row that a text leads to.
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

/// Lets an id or a word lead to a row, unless it leads to another one.
fn claim<K: std::hash::Hash + Eq + Clone + ToString>(
    taken: &mut HashMap<K, usize>,
    key: K,
    row: usize,
    field: &'static str,
) -> Result<(), RegistryError> {
    match taken.insert(key.clone(), row) {
        Some(first) if first != row => {
            Err(RegistryError::Duplicate { row, field, got: key.to_string(), first })
        }
        _ => Ok(()),
    }
}
