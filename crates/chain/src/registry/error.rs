//! Why a text is no registry.

use superroot_proof::registry::ROWS_MAX;

/// Why a text is no registry. Rows count from 0, as in the SuperRoot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// The text is no TOML.
    #[error("the registry is no TOML: {0}")]
    Syntax(#[from] toml::de::Error),
    /// The text has no list of rows.
    #[error("expected [[chain]] tables, [[withdraw]] tables and nothing else, got {got}")]
    Shape {
        /// The key found, or what is missing.
        got: String,
    },
    /// More rows than the SuperRoot has slots, or none.
    #[error("expected 1 to {ROWS_MAX} rows, got {got}")]
    Rows {
        /// Rows found.
        got: usize,
    },
    /// A value is missing or not what its field holds.
    #[error("row {row}: {field} is {got}, expected {expected}")]
    Field {
        /// The row.
        row: usize,
        /// The field.
        field: String,
        /// Value found, or `missing`.
        got: String,
        /// What the field holds.
        expected: &'static str,
    },
    /// A field that no row of its family has.
    #[error("row {row}: {field} is no field of a chain of that family")]
    UnknownField {
        /// The row.
        row: usize,
        /// The field.
        field: String,
    },
    /// An id, name, slug, alias or CAIP-2 name that leads to another row already.
    #[error("row {row}: {field} {got} already leads to row {first}")]
    Duplicate {
        /// The row.
        row: usize,
        /// The field.
        field: &'static str,
        /// The id or word.
        got: String,
        /// The row that has it.
        first: usize,
    },
    /// A table that would withdraw a chain does not say which, or from where on.
    #[error("withdraw[{place}]: {field} is {got}, expected {expected}")]
    Withdrawal {
        /// Its place among those tables, from 0.
        place: usize,
        /// The field.
        field: &'static str,
        /// What was found.
        got: String,
        /// What the field holds.
        expected: &'static str,
    },
    /// A row is no profile.
    #[error(transparent)]
    Profile(#[from] superroot_proof::registry::RegistryError),
}
