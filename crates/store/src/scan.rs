//! Paged scans: a table may be larger than memory.

use crate::layout::end_of_prefix;
use crate::{Row, ScanOrder, Store, StoreError, Table};

/// Rows per page.
const PAGE_ROWS: usize = 256;

/// Rows between two keys. Each page is one snapshot; rows written meanwhile may or may not appear.
pub struct ScanRows<'a> {
    store: &'a dyn Store,
    table: Table,
    start: Vec<u8>,
    end: Option<Vec<u8>>,
    direction: ScanOrder,
    page: std::vec::IntoIter<Row>,
    is_over: bool,
}

/// Returns the rows with `start <= key`, and `key < end` if an end is given.
pub fn rows<'a>(
    store: &'a dyn Store,
    table: Table,
    start: &[u8],
    end: Option<&[u8]>,
    direction: ScanOrder,
) -> ScanRows<'a> {
    let start = start.to_vec();
    let end = end.map(<[u8]>::to_vec);
    ScanRows { store, table, start, end, direction, page: Vec::new().into_iter(), is_over: false }
}

/// Returns the rows whose key begins with `prefix`, ascending.
pub fn rows_of<'a>(store: &'a dyn Store, table: Table, prefix: &[u8]) -> ScanRows<'a> {
    rows(store, table, prefix, end_of_prefix(prefix).as_deref(), ScanOrder::Rising)
}

impl ScanRows<'_> {
    fn turn_page(&mut self) -> Result<(), StoreError> {
        let Self { store, table, direction, .. } = *self;
        let rows = store.scan(table, &self.start, self.end.as_deref(), PAGE_ROWS, direction)?;
        self.is_over = rows.len() < PAGE_ROWS;
        if let Some((last, _)) = rows.last() {
            match direction {
                ScanOrder::Rising => self.start = [last.as_slice(), &[0]].concat(),
                ScanOrder::Falling => self.end = Some(last.clone()),
            }
        }
        self.page = rows.into_iter();
        Ok(())
    }
}

impl Iterator for ScanRows<'_> {
    type Item = Result<Row, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.page.len() == 0
            && !self.is_over
            && let Err(error) = self.turn_page()
        {
            self.is_over = true;
            return Some(Err(error));
        }
        self.page.next().map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemoryStore, WriteBatch};

    /// Page by page comes what one scan gives, both ways, whatever stands at the edge of a page.
    #[test]
    fn pages_together_are_one_scan() {
        for count in [0, 1, PAGE_ROWS - 1, PAGE_ROWS, PAGE_ROWS + 1, 3 * PAGE_ROWS] {
            let store = MemoryStore::new();
            let mut batch = WriteBatch::new();
            for place in 0..count as u32 {
                batch.put(Table::Meta, [&[7][..], &place.to_be_bytes()].concat(), [1]);
            }
            batch.put(Table::Meta, [6], [1]).put(Table::Meta, [8], [1]);
            store.commit(batch).unwrap();
            for direction in [ScanOrder::Rising, ScanOrder::Falling] {
                let whole =
                    store.scan(Table::Meta, &[7], Some(&[8]), count + 9, direction).unwrap();
                let paged = rows(&store, Table::Meta, &[7], Some(&[8]), direction);
                assert_eq!(paged.collect::<Result<Vec<_>, _>>().unwrap(), whole, "{count}");
                assert_eq!(whole.len(), count);
            }
            assert_eq!(rows_of(&store, Table::Meta, &[7]).count(), count);
        }
    }
}
