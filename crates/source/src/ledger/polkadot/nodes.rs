//! Substrate JSON-RPC of nodes and gateways.

use std::sync::Arc;

use serde_json::{Value, json};
use superroot_chain::finality::finality_params;
use superroot_chain::ledger::polkadot::{
    RawGrandpaVotes, RawPolkadotBlock, RawPolkadotHeader, hash_of, read_header,
};
use superroot_chain::{ChainSpec, FinalityRule, UntrustedBlock};
use superroot_proof::finality::FinalityParams;
use superroot_types::{BlockNumber, Hash, Network};

use super::votes::VoteFetches;
use super::{
    BLOCK, BLOCK_HASH, FINALIZED_HEAD, HEADER, PolkadotBlockAnswer, READ_PROOF, ReadProof,
    SignedBlock, VERSION, events_key,
};
use crate::error::{CallFault, SourceError};
use crate::ledger::{NodeTip, ReceivedBlock};
use crate::live::node::LiveNode;
use crate::live::node::json_rpc::{Call, Outcome};
use crate::replay::methods::is_replay;
use crate::{BlockAt, BlockParts, ClaimedBlock};

pub(crate) const SUBSCRIBE: &str =
    r#"{"jsonrpc":"2.0","id":0,"method":"chain_subscribeFinalizedHeads","params":[]}"#;

/// CAIP-2 namespace; references are the first 32 digits of the block 0 hash.
const NAMESPACE: &str = "polkadot:";
const REFERENCE_DIGITS: usize = 32;

#[derive(Clone, Debug)]
pub(crate) struct Polkadot {
    /// Prefix of the block 0 hash, with `0x`.
    genesis: Arc<str>,
    finality: FinalityRule,
    /// For chains with evidence.
    votes: Option<Arc<VoteFetches>>,
}

impl Polkadot {
    /// Dialect for a chain with a genesis reference in the CAIP-2 name.
    pub(crate) fn with_finality(
        row: &ChainSpec,
        finality: FinalityRule,
    ) -> Result<Self, SourceError> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_reference =
            |name: &&str| name.len() == REFERENCE_DIGITS && name.bytes().all(is_digit);
        let Some(name) = row.caip2.strip_prefix(NAMESPACE).filter(is_reference) else {
            let why = format!(
                "is {:?}, expected polkadot: and the first 32 hex digits of block 0's hash",
                row.caip2
            );
            return Err(SourceError::setup(format!("caip2 of {}", row.name), why));
        };
        let has_evidence =
            matches!(finality_params(row, Network::Live), Some(FinalityParams::Grandpa(_)));
        let votes = has_evidence.then(Arc::default);
        Ok(Self { genesis: format!("0x{name}").into(), finality, votes })
    }

    /// Compares block 0, because networks differ from the first block on; recordings rarely contain that block. Returns
    /// the client version, if stated.
    pub(crate) async fn greet(&self, node: &Arc<LiveNode>) -> Result<String, SourceError> {
        let client = match node.ask(Call::new(VERSION, json!([]))).await {
            // some gateways tell nobody what they run
            Err(CallFault::Refused { .. } | CallFault::Limited(_)) => String::new(),
            outcome => node.read(VERSION, outcome).await?,
        };
        if is_replay(&client) {
            return Ok(client);
        }
        let genesis: Option<Hash> = node.call(BLOCK_HASH, json!([0])).await?;
        let genesis = genesis.map_or_else(|| "null".to_owned(), |hash| hash.to_string());
        if genesis.starts_with(&*self.genesis) {
            return Ok(client);
        }
        Err(node.mismatch(BLOCK_HASH, "chain id", &genesis, format!("genesis {}..", self.genesis)))
    }

    pub(crate) async fn tip(&self, node: &Arc<LiveNode>) -> Result<NodeTip, SourceError> {
        // from the older to the newer, so that the chain may grow in between
        let finalized = match self.finality {
            FinalityRule::Tag => Some(self.finalized(node).await?),
            FinalityRule::Latest | FinalityRule::Confirmations(_) => None,
        };
        let Some(header) = node.call::<Option<RawPolkadotHeader>>(HEADER, json!([])).await? else {
            return Err(node.mismatch(HEADER, "newest block", "null", "a header"));
        };
        let head = named(node, &header)?;
        let finalized = match self.finality {
            FinalityRule::Tag => finalized.filter(|id| id.number <= head.number),
            FinalityRule::Latest => Some(head),
            FinalityRule::Confirmations(_) => None,
        };
        let below = match self.finality {
            FinalityRule::Confirmations(count) => {
                Some(BlockNumber(head.number.0.saturating_sub(count)))
            }
            FinalityRule::Tag | FinalityRule::Latest => None,
        };
        let final_number = finalized.map(|id| id.number).or(below);
        if let Some((votes, number)) = self.votes.as_ref().zip(final_number) {
            votes.note_finalized(node, number);
        }
        Ok(NodeTip {
            head,
            safe: None,
            finalized: final_number,
            finalized_hash: finalized.map(|id| id.hash),
            refused: None,
        })
    }

    /// Newest final block, with the header fetched by the node's final hash.
    async fn finalized(&self, node: &Arc<LiveNode>) -> Result<ClaimedBlock, SourceError> {
        let hash: Hash = node.call(FINALIZED_HEAD, json!([])).await?;
        let Some(header) = node.call::<Option<RawPolkadotHeader>>(HEADER, json!([hash])).await?
        else {
            return Err(node.mismatch(HEADER, "final block", "null", hash.to_string()));
        };
        let id = named(node, &header)?;
        if id.hash == hash {
            return Ok(id);
        }
        node.wrong(&format!("it answered header {} when asked for {hash}", id.hash));
        Err(node.mismatch(HEADER, "hash", &id.hash.to_string(), hash.to_string()))
    }

    pub(crate) async fn hash_at(
        &self,
        node: &Arc<LiveNode>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        node.call(BLOCK_HASH, json!([number.0])).await
    }

    pub(crate) async fn block(
        &self,
        node: &Arc<LiveNode>,
        at: BlockAt,
        parts: BlockParts,
    ) -> Result<Option<ReceivedBlock>, SourceError> {
        let hash = match at {
            BlockAt::Id(id) => id.hash,
            BlockAt::Number(number) => match self.hash_at(node, number).await? {
                Some(hash) => hash,
                None => return Ok(None),
            },
        };
        let found = match parts {
            BlockParts::Header => {
                let header: Option<RawPolkadotHeader> = node.call(HEADER, json!([hash])).await?;
                let bare = |header| RawPolkadotBlock {
                    hash,
                    header,
                    extrinsics: None,
                    read_proof: None,
                    votes: None,
                };
                header.map(|header| (bare(header), None))
            }
            BlockParts::Whole => self.whole(node, hash).await?,
        };
        let Some((raw, fault)) = found else { return Ok(None) };
        let number = raw.header.number;
        if number != at.number().0 {
            let got = number.to_string();
            let expected = at.number().to_string();
            node.wrong(&format!("it has block {hash} at {got}, asked for was {expected}"));
            return Err(node.mismatch(HEADER, "number", &got, expected));
        }
        Ok(Some(ReceivedBlock { block: UntrustedBlock::Polkadot(Box::new(raw)), fault }))
    }

    /// Block with events and votes, as far as given by the node, and the fault for missing events.
    async fn whole(
        &self,
        node: &Arc<LiveNode>,
        hash: Hash,
    ) -> Result<Option<(RawPolkadotBlock, Option<SourceError>)>, SourceError> {
        let block = node.ask(Call::large(BLOCK, json!([hash])));
        let proof = node.ask(Call::large(READ_PROOF, json!([[events_key()], hash])));
        // each is read as it comes: nobody keeps one answer in hand while waiting for another
        let block = async { node.read::<Option<SignedBlock>>(BLOCK, block.await).await };
        let proof = async { read_proof(node, hash, proof.await).await };
        let (block, proof) = tokio::join!(block, proof);
        let Some(SignedBlock { block, justifications }) = block? else { return Ok(None) };
        let PolkadotBlockAnswer { header, extrinsics } = block;
        let (read_proof, fault) = match proof {
            Ok(proof) => (proof, None),
            Err(fault) if fault.may_be_of_body() => (None, Some(fault)),
            Err(error) => return Err(error),
        };
        let votes = self.votes(node, &header, justifications).await?;
        let extrinsics = Some(extrinsics);
        Ok(Some((RawPolkadotBlock { hash, header, extrinsics, read_proof, votes }, fault)))
    }

    async fn votes(
        &self,
        node: &Arc<LiveNode>,
        header: &RawPolkadotHeader,
        justifications: Option<Value>,
    ) -> Result<Option<RawGrandpaVotes>, SourceError> {
        match (&self.votes, read_header(header)) {
            (Some(votes), Ok(header)) => votes.fetch(node, &header, justifications.as_ref()).await,
            _ => Ok(None),
        }
    }
}

/// Block number and hash from a readable header: the node sends no separate hash.
fn named(node: &Arc<LiveNode>, header: &RawPolkadotHeader) -> Result<ClaimedBlock, SourceError> {
    let number = BlockNumber(header.number);
    match hash_of(header) {
        Ok(hash) => Ok(ClaimedBlock { number, hash }),
        Err(error) => {
            node.refuted(number, &error);
            Err(node.mismatch(HEADER, "header", &error.to_string(), "one that hashes"))
        }
    }
}

/// Read proof for the event list; `None` if the node no longer has the block state or supports no proofs.
async fn read_proof(
    node: &Arc<LiveNode>,
    hash: Hash,
    outcome: Outcome,
) -> Result<Option<Vec<alloy_primitives::Bytes>>, SourceError> {
    if matches!(outcome, Err(CallFault::Refused { .. })) {
        return Ok(None);
    }
    let ReadProof { at, proof } = node.read(READ_PROOF, outcome).await?;
    if at == hash {
        return Ok(Some(proof));
    }
    node.wrong(&format!("it answered a read proof at {at} when asked for {hash}"));
    Err(node.mismatch(READ_PROOF, "at", &at.to_string(), hash.to_string()))
}
