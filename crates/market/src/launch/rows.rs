//! Keys and rows of launches. Integers are big-endian; `chain` is the prefix shared by all tables.
//!
//! | key | value |
//! |---|---|
//! | `04 ‖ chain ‖ number:u64 ‖ kind:u8 ‖ pool` | [`Launch`] |
//! | `05 ‖ chain ‖ pool` | the key of its launch |
//! | `06 ‖ proof hash:32` | [`LaunchProofRow`] |
//!
//! Rows `06` stay when a block is undone: they give a hash's content, not its validity.

use superroot_dex::{Decimal, PoolId};
use superroot_store::codec::{Decoder, Encoder};
use superroot_store::layout::{StoredRow, chain_key, end_of_prefix};
use superroot_store::{ScanOrder, Store, StoreError, Table};
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, UnixSeconds};

use super::{Launch, LaunchEvent, LaunchKind, NoHolders};
use crate::rows::{pool_key, read_address, read_pool};
use crate::{EventPosition, LockedShare, TokenFacts};

const OF_BLOCK: u8 = 4;
const OF_POOL: u8 = 5;
const OF_HASH: u8 = 6;

/// Both events of a proof hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchProofRow {
    pub chain: ChainKey,
    pub creation: LaunchEvent,
    pub liquidity: LaunchEvent,
}

fn write_event(out: &mut Encoder, event: &LaunchEvent) {
    out.u64(event.place.number.0).u32(event.place.tx_index).u32(event.place.log_index);
    out.hash(&event.block_hash).u64(event.at.0);
}

fn read_event(row: &mut Decoder<'_>) -> Option<LaunchEvent> {
    let number = BlockNumber(row.u64()?);
    let place = EventPosition { number, tx_index: row.u32()?, log_index: row.u32()? };
    Some(LaunchEvent { place, block_hash: row.hash()?, at: UnixSeconds(row.u64()?) })
}

impl LaunchProofRow {
    /// `chain ‖ event ‖ event`, each `place ‖ block hash ‖ at:u64`.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.raw(&chain_key(self.chain));
        write_event(&mut out, &self.creation);
        write_event(&mut out, &self.liquidity);
        out.finish()
    }
}

impl StoredRow for LaunchProofRow {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let mut row = Decoder::new(bytes);
        let read = (|| {
            let family = Family::try_from(row.u8()?).ok()?;
            let chain = ChainKey { family, id: ChainId(row.u64()?) };
            let creation = read_event(&mut row)?;
            let liquidity = read_event(&mut row)?;
            row.finish(Self { chain, creation, liquidity })
        })();
        read.ok_or_else(|| StoreError::corrupt(Table::Market, key, "not what a hash is of"))
    }
}

impl Launch {
    /// `kind:u8 ‖ token:20 ‖ facts ‖ token:20 ‖ pool ‖ dex ‖ fee:u32 ‖ usd ‖ burned ‖ event ‖ event ‖ hash ‖ holders ‖
    /// locked ‖ hooks ‖ event`, the last where there is one: dex and usd are texts, burned and locked options of a byte, the hash an option, holders `0 ‖
    /// part:u32` or `1 ‖ why:u32`.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.u8(self.kind as u8).raw(self.token.as_slice());
        write_facts(&mut out, &self.facts);
        out.raw(self.paired_with.as_slice());
        out.raw(&pool_key(&self.pool)).bytes(self.dex.as_bytes()).u32(self.fee);
        out.bytes(self.liquidity_usd.text(superroot_dex::DIGITS).as_bytes());
        out.option(self.given_up, |out, given_up| _ = out.u8(given_up.burned));
        write_event(&mut out, &self.creation);
        write_event(&mut out, &self.liquidity);
        out.option(self.transaction_hash.as_ref(), |out, hash| _ = out.hash(hash));
        match self.top_holders {
            Ok(part) => out.u8(0).u32(part.into()),
            Err(why) => out.u8(1).u32(why as u32),
        };
        let locked = self.given_up.and_then(|given_up| given_up.locked);
        out.option(locked, |out, percent| _ = out.u8(percent));
        out.option(self.hooks, |out, hooks| _ = out.raw(hooks.as_slice()));
        if self.reached.is_some() {
            out.option(self.reached.as_ref(), write_event);
        }
        out.finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let kind = match row.u8()? {
            0 => LaunchKind::Launched,
            1 => LaunchKind::Pulled,
            _ => return None,
        };
        let text = |row: &mut Decoder<'_>| String::from_utf8(row.bytes()?.to_vec()).ok();
        let token = read_address(&mut row)?;
        let facts = read_facts(&mut row)?;
        let paired_with = read_address(&mut row)?;
        let pool = read_pool(&mut row)?;
        let dex = text(&mut row)?;
        let fee = row.u32()?;
        let liquidity_usd = Decimal::parse(&text(&mut row)?)?;
        let burned = row.option(Decoder::u8)?;
        let creation = read_event(&mut row)?;
        let liquidity = read_event(&mut row)?;
        let transaction_hash = row.option(Decoder::hash)?;
        // rows of earlier builds end here
        let written = if row.is_empty() { (1, 0) } else { (row.u8()?, row.u32()?) };
        let top_holders = match written {
            (0, part) => Ok(u16::try_from(part).ok()?),
            (1, 0) => Err(NoHolders::Unwatched),
            (1, 1) => Err(NoHolders::TooMany),
            (1, 2) => Err(NoHolders::Unequal),
            _ => return None,
        };
        let locked = if row.is_empty() { None } else { row.option(Decoder::u8)? };
        let given_up = burned.map(|burned| LockedShare { burned, locked });
        let hooks = if row.is_empty() { None } else { row.option(read_address)? };
        let reached = if row.is_empty() { None } else { row.option(read_event)? };
        row.finish(Self {
            kind,
            token,
            facts,
            paired_with,
            pool,
            dex,
            fee,
            liquidity_usd,
            given_up,
            top_holders,
            creation,
            liquidity,
            transaction_hash,
            hooks,
            reached,
        })
    }
}

/// Evidence codes, by stored byte.
const EVIDENCE: [&str; 5] = ["none", "configured", "one_node", "node_quorum", "simulated"];

/// `symbol ‖ decimals ‖ evidence:u8`: options of a text and of a byte.
fn write_facts(out: &mut Encoder, facts: &TokenFacts) {
    out.option(facts.symbol.as_ref(), |out, symbol| _ = out.bytes(symbol.as_bytes()));
    out.option(facts.decimals, |out, decimals| _ = out.u8(decimals));
    let evidence = EVIDENCE.iter().position(|known| *known == facts.evidence).unwrap_or(0);
    out.u8(u8::try_from(evidence).unwrap_or(0));
}

fn read_facts(row: &mut Decoder<'_>) -> Option<TokenFacts> {
    let symbol = row.option(|row| String::from_utf8(row.bytes()?.to_vec()).ok())?;
    let decimals = row.option(Decoder::u8)?;
    let evidence = EVIDENCE.get(usize::from(row.u8()?))?;
    Some(TokenFacts { symbol, decimals, evidence, asked: None })
}

impl StoredRow for Launch {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let corrupt = || StoreError::corrupt(Table::Market, key, "not a launch");
        Self::read(bytes).ok_or_else(corrupt)
    }
}

fn of_chain(kind: u8, chain: ChainKey) -> Vec<u8> {
    [&[kind][..], &chain_key(chain)].concat()
}

fn of_block(chain: ChainKey, number: BlockNumber) -> Vec<u8> {
    [of_chain(OF_BLOCK, chain), number.0.to_be_bytes().to_vec()].concat()
}

pub(super) fn block_key(chain: ChainKey, launch: &Launch) -> Vec<u8> {
    let number = launch.found_at().place.number;
    [of_block(chain, number), vec![launch.kind as u8], pool_key(&launch.pool)].concat()
}

pub(super) fn pool_launch_key(chain: ChainKey, pool: &PoolId) -> Vec<u8> {
    [of_chain(OF_POOL, chain), pool_key(pool)].concat()
}

pub(super) fn hash_key(hash: &Hash) -> Vec<u8> {
    [&[OF_HASH][..], &hash.0].concat()
}

/// Prefixes of a chain's rows that follow its blocks.
pub(super) fn prefixes(chain: ChainKey) -> [Vec<u8>; 2] {
    [of_chain(OF_BLOCK, chain), of_chain(OF_POOL, chain)]
}

/// Launches and pulls that this very block showed.
pub fn load_in(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
    hash: &Hash,
) -> Result<Vec<Launch>, StoreError> {
    let mut launches = load_at(store, chain, number)?;
    launches.retain(|launch| launch.found_at().block_hash == *hash);
    Ok(launches)
}

/// Launches and pulls at a number, whichever block showed them.
pub(super) fn load_at(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
) -> Result<Vec<Launch>, StoreError> {
    let prefix = of_block(chain, number);
    let end = end_of_prefix(&prefix);
    let rows = store.scan(Table::Market, &prefix, end.as_deref(), IN_MAX, ScanOrder::Rising)?;
    rows.iter().map(|(key, bytes)| Launch::decode(key, bytes)).collect()
}

/// Most launches reported for one block: more than its gas pays for.
const IN_MAX: usize = 4_096;

/// Newest launches and pulls of a chain up to a block, newest first: at most `limit`.
pub fn load_newest(
    store: &dyn Store,
    chain: ChainKey,
    to: BlockNumber,
    limit: usize,
) -> Result<Vec<Launch>, StoreError> {
    let start = of_chain(OF_BLOCK, chain);
    let end = to.0.checked_add(1).map(BlockNumber);
    let end = end.map_or_else(|| end_of_prefix(&start), |end| Some(of_block(chain, end)));
    let rows = store.scan(Table::Market, &start, end.as_deref(), limit, ScanOrder::Falling)?;
    rows.iter().map(|(key, bytes)| Launch::decode(key, bytes)).collect()
}

pub(super) fn load_of_pool(
    store: &dyn Store,
    chain: ChainKey,
    pool: &PoolId,
) -> Result<Option<Launch>, StoreError> {
    let Some(key) = store.get(Table::Market, &pool_launch_key(chain, pool))? else {
        return Ok(None);
    };
    let bytes = store.get(Table::Market, &key)?;
    bytes.map(|bytes| Launch::decode(&key, &bytes)).transpose()
}

/// Events behind a proof hash; `None` for an unknown hash.
pub fn load_behind(store: &dyn Store, hash: &Hash) -> Result<Option<LaunchProofRow>, StoreError> {
    let key = hash_key(hash);
    store.get(Table::Market, &key)?.map(|bytes| LaunchProofRow::decode(&key, &bytes)).transpose()
}

#[cfg(test)]
mod tests {
    use superroot_store::{WriteBatch, golden};

    use alloy_primitives::Address;

    use super::*;

    /// What is stored is read by every later build.
    #[test]
    fn a_row_of_each_kind_has_the_pinned_bytes_and_leads_back() {
        let chain = ChainKey { family: Family::Evm, id: ChainId(1) };
        let event = |number, byte| LaunchEvent {
            place: EventPosition { number: BlockNumber(number), tx_index: 2, log_index: 3 },
            block_hash: Hash([byte; 32]),
            at: UnixSeconds(7),
        };
        let symbol = Some("NEW".to_owned());
        let launch = Launch {
            kind: LaunchKind::Launched,
            token: Address::repeat_byte(4),
            facts: TokenFacts { symbol, decimals: Some(18), evidence: "node_quorum", asked: None },
            paired_with: Address::repeat_byte(5),
            pool: PoolId::Contract(Address::repeat_byte(1)),
            dex: "uniswap_v2".to_owned(),
            fee: 3_000,
            liquidity_usd: Decimal::parse("1234.5").unwrap(),
            given_up: Some(LockedShare { burned: 90, locked: Some(10) }),
            top_holders: Ok(2_462),
            creation: event(5, 8),
            liquidity: event(6, 9),
            transaction_hash: Some(Hash([10; 32])),
            hooks: None,
            reached: None,
        };
        let behind = LaunchProofRow { chain, creation: event(5, 8), liquidity: event(6, 9) };
        let mut batch = WriteBatch::new();
        let key = block_key(chain, &launch);
        let bytes = launch.encode();
        assert_eq!(Launch::decode(&key, &bytes).unwrap(), launch);
        let top_holders = Err(NoHolders::Unwatched);
        let given_up = Some(LockedShare { burned: 90, locked: None });
        let reached = Launch { reached: Some(event(7, 3)), ..launch.clone() };
        assert_eq!(Launch::decode(&key, &reached.encode()).unwrap(), reached);
        let earlier = Launch { given_up, top_holders, ..launch.clone() };
        assert_eq!(Launch::decode(&key, &bytes[..bytes.len() - 8]).unwrap(), earlier);
        batch.put(Table::Market, key.clone(), launch.encode());
        batch.put(Table::Market, pool_launch_key(chain, &launch.pool), key);
        let key = hash_key(&launch.proof_hash(chain));
        assert_eq!(LaunchProofRow::decode(&key, &behind.encode()).unwrap(), behind);
        batch.put(Table::Market, key, behind.encode());
        insta::assert_snapshot!(golden::lines(&batch).join("\n"));
    }
}
