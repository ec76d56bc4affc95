use superroot_proof::registry::ROWS_MAX;

/// Reason why a registry is invalid. Rows count from 0, as in the SuperRoot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainRegistryError {
    /// Text is not TOML.
    #[error("the registry is no TOML: {0}")]
    Syntax(#[from] toml::de::Error),
    /// Text has no list of rows.
    #[error("expected [[chain]] tables, [[withdraw]] tables and nothing else, got {got}")]
    Shape { got: String },
    /// No rows, or more rows than SuperRoot slots.
    #[error("expected 1 to {ROWS_MAX} rows, got {got}")]
    Rows { got: usize },
    /// Value is missing or invalid for the field.
    #[error("row {row}: {field} is {got}, expected {expected}")]
    Field {
        row: usize,
        field: String,
        /// Value found, or `missing`.
        got: String,
        expected: &'static str,
    },
    /// Field unknown in the row's family.
    #[error("row {row}: {field} is no field of a chain of that family")]
    UnknownField { row: usize, field: String },
    /// Id, name, slug, alias or CAIP-2 name already in use by another row.
    #[error("row {row}: {field} {got} already leads to row {first}")]
    Duplicate {
        row: usize,
        field: &'static str,
        got: String,
        /// Row already using the id or word.
        first: usize,
    },
    /// Withdrawal table without a chain or a start.
    #[error("withdraw[{place}]: {field} is {got}, expected {expected}")]
    Withdrawal {
        /// Index in the withdrawal tables, from 0.
        place: usize,
        field: &'static str,
        got: String,
        expected: &'static str,
    },
    /// Row is not a valid profile.
    #[error(transparent)]
    Profile(#[from] superroot_proof::registry::LogRegistryError),
}
