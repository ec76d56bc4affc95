//! Every row between two keys, a page at a time: a table may be larger than memory.

use crate::layout::end_of_prefix;
use crate::{Direction, Row, Store, StoreError, Table};

/// Rows of a page.
const PAGE_ROWS: usize = 256;

/// Rows between two keys. Each page is one moment of the table; a row that is written meanwhile may be
/// seen or not.
pub struct Rows<'a> {
    store: &'a dyn Store,
    table: Table,
    start: Vec<u8>,
    end: Option<Vec<u8>>,
    direction: Direction,
    page: std::vec::IntoIter<Row>,
    is_over: bool,
}

/// Rows with `start <= key`, and `key < end` where an end is given.
pub fn rows<'a>(
    store: &'a dyn Store,
    table: Table,
    start: &[u8],
    end: Option<&[u8]>,
    direction: Direction,
) -> Rows<'a> {
    let (start, end) = (start.to_vec(), end.map(<[u8]>::to_vec));
    Rows { store, table, start, end, direction, page: Vec::new().into_iter(), is_over: false }
}

/// Rows whose key begins with `prefix`, rising.
pub fn rows_of<'a>(store: &'a dyn Store, table: Table, prefix: &[u8]) -> Rows<'a> {
    rows(store, table, prefix, end_of_prefix(prefix).as_deref(), Direction::Rising)
}

impl Rows<'_> {
    fn turn_page(&mut self) -> Result<(), StoreError> {
        let Self { store, table, direction, .. } = *self;
        let rows = store.scan(table, &self.start, self.end.as_deref(), PAGE_ROWS, direction)?;
        self.is_over = rows.len() < PAGE_ROWS;
        if let Some((last, _)) = rows.last() {
            match direction {
                Direction::Rising => self.start = [last.as_slice(), &[0]].concat(),
                Direction::Falling => self.end = Some(last.clone()),
            }
        }
        self.page = rows.into_iter();
        Ok(())
    }
}

impl Iterator for Rows<'_> {
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
    use crate::{Batch, MemoryStore};

    /// Page by page comes what one scan gives, both ways, whatever stands at the edge of a page.
    #[test]
    fn pages_together_are_one_scan() {
        for count in [0, 1, PAGE_ROWS - 1, PAGE_ROWS, PAGE_ROWS + 1, 3 * PAGE_ROWS] {
            let store = MemoryStore::new();
            let mut batch = Batch::new();
            for place in 0..count as u32 {
                batch.put(Table::Meta, [&[7][..], &place.to_be_bytes()].concat(), [1]);
            }
            batch.put(Table::Meta, [6], [1]).put(Table::Meta, [8], [1]);
            store.commit(batch).unwrap();
            for direction in [Direction::Rising, Direction::Falling] {
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
