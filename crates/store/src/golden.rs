//! Rows as tests pin them.

use crate::Batch;

/// What a batch writes, a line a row: `table key = value`, both in hex, in order of table and key. A
/// test pins one row of each kind of key that its crate writes.
#[must_use]
pub fn lines(batch: &Batch) -> Vec<String> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let line = |(table, key, value): (crate::Table, &[u8], Option<&[u8]>)| {
        format!("{table} {} = {}", hex(key), value.map_or_else(|| "-".to_owned(), hex))
    };
    batch.writes().map(line).collect()
}
