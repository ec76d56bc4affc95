//! The archives of Old Faithful (CAR of DAG-CBOR nodes), read as far as these files go. Nodes:
//! `[0, data frame, ..]` a transaction, `[1, num_hashes, hash, [link]]` an entry, `[2, slot, _, [link],
//! [parent_slot, time, height]]` a block; a data frame is `[6, hash, index, total, data, ..]`.

use std::collections::HashMap;

use superroot_chain::ledger::solana::{RawEntry, RawSolanaBlock};
use superroot_types::{BlockNumber, Hash};

#[derive(Clone, Debug)]
enum Node {
    Integer(u64),
    Bytes(Vec<u8>),
    List(Vec<Node>),
    Link(Vec<u8>),
    Other,
}

impl Node {
    fn integer(&self) -> u64 {
        let Self::Integer(value) = self else { panic!("{self:?}") };
        *value
    }

    fn bytes(&self) -> &[u8] {
        let (Self::Bytes(bytes) | Self::Link(bytes)) = self else { panic!("{self:?}") };
        bytes
    }

    fn list(&self) -> &[Self] {
        let Self::List(list) = self else { panic!("{self:?}") };
        list
    }
}

struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }

    fn varint(&mut self) -> usize {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = usize::from(self.take(1)[0]);
            value |= (byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                return value;
            }
        }
    }

    fn node(&mut self) -> Node {
        let first = self.take(1)[0];
        let (major, info) = (first >> 5, first & 31);
        let value = match info {
            0..24 => u64::from(info),
            24..28 => {
                let bytes = self.take(1 << (info - 24));
                bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
            }
            _ => panic!("no canonical CBOR"),
        };
        let length = usize::try_from(value).unwrap();
        match major {
            0 => Node::Integer(value),
            2 => Node::Bytes(self.take(length).to_vec()),
            4 => Node::List((0..length).map(|_| self.node()).collect()),
            6 => Node::Link(self.node().bytes()[1..].to_vec()),
            3 => {
                self.take(length);
                Node::Other
            }
            5 => {
                (0..length * 2).for_each(|_| drop(self.node()));
                Node::Other
            }
            _ => Node::Other,
        }
    }
}

/// The blocks of an archive; hashes of parents are those of the blocks before, `parent_hash` first.
pub(crate) fn read(bytes: &[u8], mut parent_hash: Hash) -> Vec<RawSolanaBlock> {
    let mut file = Cursor(bytes);
    let header = file.varint();
    file.take(header);
    let mut nodes: HashMap<Vec<u8>, Vec<Node>> = HashMap::new();
    let mut blocks = Vec::new();
    while !file.0.is_empty() {
        let length = file.varint();
        let (cid, data) = file.take(length).split_at(36);
        let node = Cursor(data).node().list().to_vec();
        if node[0].integer() == 2 {
            let (slot, meta) = (node[1].integer(), node[4].list());
            let entries: Vec<_> = node[3].list().iter().map(|link| entry(link, &nodes)).collect();
            let hash = entries.last().unwrap().hash;
            let (number, parent_slot) = (BlockNumber(slot), meta[0].integer());
            let (time, entries) = (meta[1].integer(), Some(entries));
            blocks.push(RawSolanaBlock {
                number,
                slot,
                parent_slot,
                hash,
                parent_hash,
                time,
                entries,
            });
            parent_hash = hash;
        }
        nodes.insert(cid.to_vec(), node);
    }
    blocks
}

fn entry(link: &Node, nodes: &HashMap<Vec<u8>, Vec<Node>>) -> RawEntry {
    let node = &nodes[link.bytes()];
    let transaction = |link: &Node| nodes[link.bytes()][1].list()[4].bytes().to_vec();
    RawEntry {
        num_hashes: node[1].integer(),
        hash: Hash(node[2].bytes().try_into().unwrap()),
        transactions: node[3].list().iter().map(transaction).collect(),
    }
}
