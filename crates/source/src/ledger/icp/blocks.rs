//! Ranges of encoded blocks in queries and answers.

use superroot_proof::ledger::icp::BLOCK_BYTES_MAX;

use super::candid::{CandidValue, CandidWriter, TypeRef, name_hash, read};

const ARCHIVES_MAX: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockRange {
    pub(super) start: u64,
    pub(super) length: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Archived {
    pub(super) range: BlockRange,
    pub(super) canister: Vec<u8>,
    pub(super) method: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LedgerBlocks {
    pub(super) certificate: Option<Vec<u8>>,
    /// Blocks stored in the ledger itself, from `first` on.
    pub(super) blocks: Vec<Vec<u8>>,
    pub(super) first: u64,
    pub(super) chain_length: u64,
    pub(super) archived: Vec<Archived>,
}

impl BlockRange {
    const fn end(self) -> u64 {
        self.start.saturating_add(self.length)
    }

    pub(super) const fn has(self, number: u64) -> bool {
        self.start <= number && number < self.end()
    }

    fn types(writer: &mut CandidWriter) -> TypeRef {
        writer.record(&[("start", CandidWriter::NAT64), ("length", CandidWriter::NAT64)])
    }

    pub(super) fn write(self) -> Vec<u8> {
        let mut writer = CandidWriter::default();
        let of = Self::types(&mut writer);
        // by the hashes of the names, which is this order
        writer.nat64(self.start);
        writer.nat64(self.length);
        writer.finish(of)
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut record = read(bytes)?;
        Some(Self { start: record.take_nat64("start")?, length: record.take_nat64("length")? })
    }
}

impl LedgerBlocks {
    pub(super) fn read(bytes: &[u8], range: BlockRange) -> Result<Self, String> {
        let mut record = read(bytes).ok_or("no candid of one value")?;
        let lacks = |name: &str| format!("no {name}, or one of another type");
        let chain_length =
            record.take_nat64("chain_length").ok_or_else(|| lacks("chain_length"))?;
        let first =
            record.take_nat64("first_block_index").ok_or_else(|| lacks("first_block_index"))?;
        let blocks = record.take("blocks").and_then(CandidValue::into_blobs);
        let blocks = blocks.ok_or_else(|| lacks("blocks"))?;
        let certificate = match record.take("certificate") {
            Some(CandidValue::Option(None)) => None,
            Some(CandidValue::Option(Some(inner))) => match *inner {
                CandidValue::Blob(bytes) => Some(bytes),
                _ => return Err(lacks("certificate")),
            },
            _ => return Err(lacks("certificate")),
        };
        let Some(CandidValue::List(archived)) = record.take("archived_blocks") else {
            return Err(lacks("archived_blocks"));
        };
        if archived.len() > ARCHIVES_MAX {
            return Err(format!("{} archives, expected at most {ARCHIVES_MAX}", archived.len()));
        }
        let archived = archived.into_iter().map(Archived::read).collect::<Option<_>>();
        let archived = archived.ok_or_else(|| lacks("archived_blocks"))?;
        check_blocks(&blocks, range)?;
        let last = first.saturating_add(blocks.len() as u64);
        if !blocks.is_empty() && (first < range.start || last > range.end() || last > chain_length)
        {
            return Err(format!(
                "blocks {first} to below {last} of a chain of {chain_length}, asked for were {} to below {}",
                range.start,
                range.end()
            ));
        }
        Ok(Self { certificate, blocks, first, chain_length, archived })
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut writer = CandidWriter::default();
        let blob = writer.list(CandidWriter::NAT8);
        let certificate = writer.option(blob);
        let blocks = writer.list(blob);
        let range = BlockRange::types(&mut writer);
        let answer = archive_answer(&mut writer, blocks);
        let callback = writer.query(range, answer);
        let fields = [
            ("callback", callback),
            ("start", CandidWriter::NAT64),
            ("length", CandidWriter::NAT64),
        ];
        let archived = writer.record(&fields);
        let archived = writer.list(archived);
        let fields = [
            ("certificate", certificate),
            ("blocks", blocks),
            ("chain_length", CandidWriter::NAT64),
            ("first_block_index", CandidWriter::NAT64),
            ("archived_blocks", archived),
        ];
        let of = writer.record(&fields);
        let mut names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
        names.sort_unstable_by_key(|name| name_hash(name));
        for name in names {
            match name {
                "certificate" => {
                    writer.count(usize::from(self.certificate.is_some()));
                    self.certificate.iter().for_each(|bytes| writer.bytes(bytes));
                }
                "blocks" => write_blocks(&mut writer, &self.blocks),
                "chain_length" => writer.nat64(self.chain_length),
                "first_block_index" => writer.nat64(self.first),
                _ => {
                    writer.count(self.archived.len());
                    self.archived.iter().for_each(|archived| archived.write(&mut writer));
                }
            }
        }
        writer.finish(of)
    }
}

impl Archived {
    fn read(mut record: CandidValue) -> Option<Self> {
        let start = record.take_nat64("start")?;
        let length = record.take_nat64("length")?;
        let CandidValue::Method(canister, method) = record.take("callback")? else { return None };
        Some(Self { range: BlockRange { start, length }, canister, method })
    }

    fn write(&self, writer: &mut CandidWriter) {
        let mut names = ["callback", "start", "length"];
        names.sort_unstable_by_key(|name| name_hash(name));
        for name in names {
            match name {
                "callback" => writer.method(&self.canister, &self.method),
                "start" => writer.nat64(self.range.start),
                _ => writer.nat64(self.range.length),
            }
        }
    }
}

pub(super) fn read_archived(bytes: &[u8], range: BlockRange) -> Result<Vec<Vec<u8>>, String> {
    let Some(CandidValue::Variant(id, inner)) = read(bytes) else {
        return Err("no candid of one variant".into());
    };
    if id != name_hash("Ok") {
        return Err("the archive has no such blocks".into());
    }
    let blocks = inner.into_blobs().ok_or("no blocks, or some of another type")?;
    check_blocks(&blocks, range)?;
    Ok(blocks)
}

pub(super) fn write_archived(blocks: &[Vec<u8>]) -> Vec<u8> {
    let mut writer = CandidWriter::default();
    let blob = writer.list(CandidWriter::NAT8);
    let list = writer.list(blob);
    let of = archive_answer(&mut writer, list);
    // `Ok` comes before `Err` by the hashes of the names
    writer.count(0);
    write_blocks(&mut writer, blocks);
    writer.finish(of)
}

fn archive_answer(writer: &mut CandidWriter, blocks: TypeRef) -> TypeRef {
    let bad =
        [("requested_index", CandidWriter::NAT64), ("first_valid_index", CandidWriter::NAT64)];
    let bad = writer.record(&bad);
    let other = writer
        .record(&[("error_code", CandidWriter::NAT64), ("error_message", CandidWriter::TEXT)]);
    let error = writer.variant(&[("BadFirstBlockIndex", bad), ("Other", other)]);
    writer.variant(&[("Ok", blocks), ("Err", error)])
}

fn write_blocks(writer: &mut CandidWriter, blocks: &[Vec<u8>]) {
    writer.count(blocks.len());
    blocks.iter().for_each(|block| writer.bytes(block));
}

/// Rejects more blocks than requested, and overlong blocks.
fn check_blocks(blocks: &[Vec<u8>], range: BlockRange) -> Result<(), String> {
    if blocks.len() as u64 > range.length {
        return Err(format!("{} blocks, asked for were {}", blocks.len(), range.length));
    }
    match blocks.iter().find(|block| block.len() > BLOCK_BYTES_MAX) {
        Some(block) => {
            Err(format!("a block of {} bytes, expected at most {BLOCK_BYTES_MAX}", block.len()))
        }
        None => Ok(()),
    }
}
