//! Internet Computer nodes: ledger tip by certificate, and ledger blocks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use superroot_chain::ledger::icp::{IcpParams, Principal, RawIcpBlock, check_certificate};
use superroot_chain::{ChainSpec, FinalityRule, UntrustedBlock};
use superroot_proof::hash::sha256_joined;
use superroot_proof::ledger::icp::Header;
use superroot_types::{BlockNumber, Hash};

use super::blocks::{BlockRange, LedgerBlocks, read_archived};
use super::envelope::{CanisterQuery, CanisterReply, IcpNodeStatus};
use super::{ARCHIVED_BLOCKS, CBOR, ENCODED_BLOCKS, STATUS, der_key, query_path};
use crate::error::{CallFault, SourceError};
use crate::ledger::form::DialectSetup;
use crate::ledger::{NodeTip, words_of};
use crate::live::node::LiveNode;
use crate::live::node::json_rpc::Call;
use crate::{BlockAt, BlockParts, ClaimedBlock};

/// Largest age of the newest block's certificate, and largest clock lead, in nanoseconds.
const CERTIFICATE_AGE_MAX_NANOS: u64 = 300_000_000_000;
/// A query's validity, in nanoseconds.
const QUERY_NANOS: u64 = 240_000_000_000;
/// Blocks per query up to the newest: blocks within this distance are checked against the certificate.
const LINE_BLOCKS_MAX: u64 = 64;
/// Attempts to find the newest block while the chain grows or the machines behind the address disagree.
const TIP_TRIES_MAX: usize = 4;

#[derive(Clone, Debug)]
pub(crate) struct Icp {
    canister: Principal,
    root_key: [u8; 96],
    /// Whether replay servers count as nodes: replayed blocks have no current certificate.
    replays: bool,
    /// Start of the search for the newest block.
    seen: Arc<AtomicU64>,
}

impl Icp {
    /// Dialect for a ledger with a final newest block.
    pub(crate) fn new(
        row: &ChainSpec,
        params: &IcpParams,
        setup: DialectSetup,
    ) -> Result<Self, SourceError> {
        if setup.finality != FinalityRule::Latest {
            let why = format!(
                "is {:?}, expected the latest block: a block of the {} family is final when it is there",
                words_of(setup.finality),
                row.family()
            );
            return Err(SourceError::setup("finality", why));
        }
        let canister = params.canister.clone();
        let root_key = params.root_key;
        Ok(Self { canister, root_key, replays: setup.replay_servers, seen: Arc::default() })
    }

    /// Checks the root key: networks differ in the root key, the base of every certificate. Returns the client name, if
    /// stated.
    pub(crate) async fn greet(&self, node: &Arc<LiveNode>) -> Result<String, SourceError> {
        let outcome = node.ask(Call::get("status", STATUS.into(), CBOR)).await;
        let found = outcome.map_err(|fault| fault.into_error(node.name(), "status"))?;
        let read =
            |bytes: &[u8]| IcpNodeStatus::read(bytes).ok_or_else(|| "no map of cbor".to_owned());
        let IcpNodeStatus { client, root_key } = node.read_with("status", found, read).await?;
        match root_key {
            Some(key) if key != der_key(&self.root_key) => {
                let got = const_hex::encode(key);
                let expected = const_hex::encode(self.root_key);
                Err(node.mismatch("status", "chain id", &got, format!("the root key {expected}")))
            }
            Some(_) | None => Ok(node.clean(&client)),
        }
    }

    /// Newest certified block, always final.
    pub(crate) async fn tip(&self, node: &Arc<LiveNode>) -> Result<NodeTip, SourceError> {
        let mut start = self.seen.load(Ordering::Relaxed);
        for _ in 0..TIP_TRIES_MAX {
            let range = BlockRange { start, length: LINE_BLOCKS_MAX };
            let blocks = self.blocks(node, range).await?;
            if let Some(line) = TipBlocks::to_the_tip(&blocks) {
                let head = self.check_line(node, &blocks, &line)?;
                self.seen.store(head.number.0, Ordering::Relaxed);
                return Ok(NodeTip {
                    head,
                    safe: None,
                    finalized: Some(head.number),
                    finalized_hash: Some(head.hash),
                    refused: None,
                });
            }
            let Some(last) = blocks.chain_length.checked_sub(1) else {
                return Err(self.refuse(node, "chain_length", "0", "a block at least"));
            };
            start = last;
        }
        Err(CallFault::Missing("the newest block is not among those that it has")
            .into_error(node.name(), ENCODED_BLOCKS))
    }

    pub(crate) async fn hash_at(
        &self,
        node: &Arc<LiveNode>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        let range = BlockRange { start: number.0, length: LINE_BLOCKS_MAX };
        let blocks = self.blocks(node, range).await?;
        if blocks.first == number.0
            && let Some(line) = TipBlocks::to_the_tip(&blocks)
        {
            self.check_line(node, &blocks, &line)?;
            return Ok(line.hashes.first().copied());
        }
        let block = self.block_of(node, &blocks, number).await?;
        Ok(block.map(|bytes| sha256_joined(&[&bytes])))
    }

    /// Fetches the whole block, because blocks have no separate header.
    pub(crate) async fn block(
        &self,
        node: &Arc<LiveNode>,
        at: BlockAt,
        _: BlockParts,
    ) -> Result<Option<UntrustedBlock>, SourceError> {
        let number = at.number();
        let blocks = self.blocks(node, BlockRange { start: number.0, length: 1 }).await?;
        let Some(bytes) = self.block_of(node, &blocks, number).await? else { return Ok(None) };
        // a certificate is of the ledger's newest block
        let is_newest = blocks.chain_length.checked_sub(1) == Some(number.0);
        let certificate = blocks.certificate.filter(|_| is_newest);
        let hash = match at {
            BlockAt::Id(id) => id.hash,
            BlockAt::Number(_) => sha256_joined(&[&bytes]),
        };
        Ok(Some(UntrustedBlock::Icp(Box::new(RawIcpBlock { number, hash, bytes, certificate }))))
    }

    /// Block from an answer, or from the archive in the answer.
    async fn block_of(
        &self,
        node: &Arc<LiveNode>,
        answer: &LedgerBlocks,
        number: BlockNumber,
    ) -> Result<Option<Vec<u8>>, SourceError> {
        if answer.first == number.0
            && let Some(block) = answer.blocks.first()
        {
            return Ok(Some(block.clone()));
        }
        let Some(archived) = answer.archived.iter().find(|one| one.range.has(number.0)) else {
            return Ok(None);
        };
        let archive = Principal::from_slice(&archived.canister);
        let archive =
            archive.map_err(|_| self.refuse(node, "callback", "no canister", "a canister"))?;
        if archived.method != ARCHIVED_BLOCKS {
            return Err(self.refuse(node, "callback", &archived.method, ARCHIVED_BLOCKS));
        }
        let range = BlockRange { start: number.0, length: 1 };
        let answer = self.query(node, &archive, ARCHIVED_BLOCKS, range).await?;
        let read =
            read_archived(&answer, range).map_err(|why| self.shape(node, ARCHIVED_BLOCKS, &why));
        Ok(read?.pop())
    }

    async fn blocks(
        &self,
        node: &Arc<LiveNode>,
        range: BlockRange,
    ) -> Result<LedgerBlocks, SourceError> {
        let answer = self.query(node, &self.canister, ENCODED_BLOCKS, range).await?;
        LedgerBlocks::read(&answer, range).map_err(|why| self.shape(node, ENCODED_BLOCKS, &why))
    }

    /// Canister answer to a range query, in Candid.
    async fn query(
        &self,
        node: &Arc<LiveNode>,
        canister: &Principal,
        method: &'static str,
        range: BlockRange,
    ) -> Result<Vec<u8>, SourceError> {
        let query = CanisterQuery {
            canister: canister.as_slice().to_vec(),
            method: method.into(),
            argument: range.write(),
            expiry_nanos: now_nanos().saturating_add(QUERY_NANOS),
        };
        let outcome = node.ask(Call::post(method, query_path(canister), CBOR, query.write())).await;
        let found = outcome.map_err(|fault| fault.into_error(node.name(), method))?;
        let read =
            |bytes: &[u8]| CanisterReply::read(bytes).ok_or_else(|| "no reply in cbor".to_owned());
        match node.read_with(method, found, read).await? {
            CanisterReply::Replied(answer) => Ok(answer),
            CanisterReply::Rejected(code, message) => {
                let code = i64::try_from(code).unwrap_or(i64::MAX);
                let fault = CallFault::Refused { code, message: node.clean(&message) };
                node.failed(&fault.to_string());
                Err(fault.into_error(node.name(), method))
            }
        }
    }

    /// Checks that the blocks up to the newest form a chain, and that the certificate covers the newest block. Returns
    /// the newest block.
    fn check_line(
        &self,
        node: &Arc<LiveNode>,
        blocks: &LedgerBlocks,
        line: &TipBlocks,
    ) -> Result<ClaimedBlock, SourceError> {
        if let Some(number) = line.broken_at {
            let number = number.to_string();
            return Err(self.refuse(
                node,
                "blocks",
                &number,
                "the hash of each in the one after it",
            ));
        }
        let hash = line.hashes.last().copied().unwrap_or(Hash::ZERO);
        let number = BlockNumber(blocks.chain_length.saturating_sub(1));
        let expected = format!("a certificate of {hash}, the hash of block {number}");
        let Some(certificate) = &blocks.certificate else {
            return match self.replays {
                true => Ok(ClaimedBlock { number, hash }),
                false => Err(self.refuse(node, "certificate", "null", &expected)),
            };
        };
        let certified = check_certificate(certificate, &self.root_key).and_then(|certified| {
            if !self.replays {
                certified.check_time(now_nanos(), CERTIFICATE_AGE_MAX_NANOS)?;
            }
            certified.data_of(&self.canister).map(<[u8]>::to_vec)
        });
        match certified {
            Ok(data) if data == hash.0 => Ok(ClaimedBlock { number, hash }),
            Ok(data) => {
                let got = format!("of {}", const_hex::encode(data));
                Err(self.refuse(node, "certificate", &got, &expected))
            }
            Err(error) => Err(self.refuse(node, "certificate", &error.to_string(), &expected)),
        }
    }

    fn refuse(
        &self,
        node: &Arc<LiveNode>,
        field: &'static str,
        got: &str,
        expected: &str,
    ) -> SourceError {
        node.refute(ENCODED_BLOCKS, field, got, expected)
    }

    fn shape(&self, node: &Arc<LiveNode>, method: &'static str, why: &str) -> SourceError {
        let error = CallFault::Shape(node.clean(why)).into_error(node.name(), method);
        node.wrong(&error.to_string());
        error
    }
}

/// Blocks up to the newest.
struct TipBlocks {
    hashes: Vec<Hash>,
    /// First block with a wrong parent hash.
    broken_at: Option<u64>,
}

impl TipBlocks {
    fn to_the_tip(answer: &LedgerBlocks) -> Option<Self> {
        let count = answer.blocks.len() as u64;
        if count == 0 || answer.first.checked_add(count) != Some(answer.chain_length) {
            return None;
        }
        let hashes: Vec<Hash> = answer.blocks.iter().map(|block| sha256_joined(&[block])).collect();
        let after = answer.blocks.iter().skip(1).zip(&hashes).zip(answer.first + 1..);
        let names = |((block, before), _): &((&Vec<u8>, &Hash), u64)| {
            Header::decode(block).is_ok_and(|header| header.parent_hash == Some(**before))
        };
        let broken_at = after.filter(|link| !names(link)).map(|(_, number)| number).next();
        Some(Self { hashes, broken_at })
    }
}

/// Nanoseconds since 1970.
pub(super) fn now_nanos() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
