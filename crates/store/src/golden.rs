//! Row snapshots for tests.

use crate::WriteBatch;

/// Renders a batch, one line per row: `table key = value`, both in hex, by table and key. A test pins one row for each
/// kind of key that its crate writes.
#[must_use]
pub fn lines(batch: &WriteBatch) -> Vec<String> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let line = |(table, key, value): (crate::Table, &[u8], Option<&[u8]>)| {
        format!("{table} {} = {}", hex(key), value.map_or_else(|| "-".to_owned(), hex))
    };
    batch.writes().map(line).collect()
}
