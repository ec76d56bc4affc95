//! Nodes for Ethereum and a rollup, with `eth_getProof`. Sources: EIP-1186; OffchainLabs/nitro-contracts `IOutbox.sol`
//! for `SendRootUpdated`.

use std::sync::atomic::{AtomicU64, Ordering};

use reqwest::RequestBuilder;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};
use superroot_chain::finality::history_numbers;
use superroot_proof::finality::anchor::{
    AnchorForm, AnchorParams, ContractProof, GameBlock, OutboxProof, RegistryProof,
    anchor_game_slot, game_blocks, send_root_slot,
};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::{HISTORY_CONTRACT, HistoryProof, StateNodes, history_slot};
use superroot_types::{Address, BlockNumber, Hash};

use super::anchor::{AnchorSource, ClaimedAnchor};
use super::http::EvidenceEndpoint;
use super::{FinalitySourceError, NewestFinal};
use crate::BoxFuture;

/// Most bytes of an answer: proofs of some dozens of slots.
const BODY_BYTES_MAX: usize = 2 << 20;
/// Searched blocks of Ethereum for the last confirmed assertion: about a day.
const LOG_BLOCKS: u64 = 7_200;
/// Blocks per request for logs.
const LOG_BLOCKS_AT_ONCE: u64 = 1_800;

/// Nodes with proofs about a rollup.
pub struct RollupNodes {
    params: AnchorParams,
    ethereum: ProofNode,
    rollup: Option<ProofNode>,
}

impl RollupNodes {
    /// Nodes at URLs with printable names: a URL may contain a key. Without a node of the rollup, ancestors are not
    /// collected, and links are short.
    ///
    /// # Errors
    /// [`FinalitySourceError`] for malformed URLs.
    pub fn new(
        params: AnchorParams,
        (ethereum, ethereum_name): (&str, &str),
        rollup: Option<(&str, &str)>,
    ) -> Result<Self, FinalitySourceError> {
        let ethereum = ProofNode::new(ethereum, ethereum_name)?;
        let rollup = rollup.map(|(url, name)| ProofNode::new(url, name)).transpose()?;
        Ok(Self { params, ethereum, rollup })
    }

    async fn registry(
        &self,
        registry: &Address,
        at: BlockNumber,
    ) -> Result<Option<ClaimedAnchor>, FinalitySourceError> {
        let held = self.ethereum.proof(registry, &[anchor_game_slot()], at).await?;
        let [word] = held.storage_proof.as_slice() else {
            return Err(self.ethereum.endpoint.fault("eth_getProof: not one slot"));
        };
        let game = word.value().0.last_chunk().copied().map(Address);
        let Some(game) = game.filter(|game| *game != Address::ZERO) else { return Ok(None) };
        let (account, code) =
            tokio::join!(self.ethereum.proof(&game, &[], at), self.ethereum.code(&game, at));
        let code = code?;
        let blocks = game_blocks(&code);
        let proof = ContractProof::Registry(RegistryProof {
            registry: held.account_proof.nodes(),
            word: word.proof.nodes(),
            game: account?.account_proof.nodes(),
            code,
        });
        Ok(Some(ClaimedAnchor { proof, blocks }))
    }

    async fn outbox(
        &self,
        outbox: &Address,
        at: BlockNumber,
    ) -> Result<Option<ClaimedAnchor>, FinalitySourceError> {
        let Some(rollup) = &self.rollup else {
            return Err(self
                .ethereum
                .endpoint
                .fault("the rollup's node with role proofs is missing"));
        };
        let Some((send_root, block)) = self.last_send_root(outbox, at).await? else {
            return Ok(None);
        };
        let slots = [send_root_slot(&send_root)];
        let (held, number) =
            tokio::join!(self.ethereum.proof(outbox, &slots, at), rollup.number_of(&block));
        let held = held?;
        let [word] = held.storage_proof.as_slice() else {
            return Err(self.ethereum.endpoint.fault("eth_getProof: not one slot"));
        };
        let proof = OutboxProof { outbox: held.account_proof.nodes(), word: word.proof.nodes() };
        let blocks = number?.map(GameBlock::Number).into_iter().collect();
        Ok(Some(ClaimedAnchor { proof: ContractProof::Outbox(proof), blocks }))
    }

    /// Send root and block hash of the last confirmed assertion.
    async fn last_send_root(
        &self,
        outbox: &Address,
        at: BlockNumber,
    ) -> Result<Option<(Hash, Hash)>, FinalitySourceError> {
        let topic = keccak256(b"SendRootUpdated(bytes32,bytes32)");
        let mut last = at.0;
        while at.0.saturating_sub(last) < LOG_BLOCKS {
            let first = last.saturating_sub(LOG_BLOCKS_AT_ONCE);
            let filter = json!({
                "address": outbox,
                "topics": [topic],
                "fromBlock": format!("{first:#x}"),
                "toBlock": format!("{last:#x}"),
            });
            let logs: Vec<SendRootLog> = self.ethereum.call("eth_getLogs", json!([filter])).await?;
            if let Some(SendRootLog { topics: [_, send_root, block] }) = logs.last() {
                return Ok(Some((*send_root, *block)));
            }
            let Some(before) = first.checked_sub(1) else { break };
            last = before;
        }
        Ok(None)
    }
}

impl AnchorSource for RollupNodes {
    fn name(&self) -> &str {
        &self.ethereum.endpoint.name
    }

    fn fetch_contract(
        &self,
        ethereum: NewestFinal,
    ) -> BoxFuture<'_, Result<Option<ClaimedAnchor>, FinalitySourceError>> {
        Box::pin(async move {
            let at = ethereum.number;
            let Some(contract) = self.params.contract_at(at) else { return Ok(None) };
            match self.params.contract {
                AnchorForm::Registry => self.registry(&contract, at).await,
                AnchorForm::Outbox => self.outbox(&contract, at).await,
            }
        })
    }

    fn fetch_history(
        &self,
        at: BlockNumber,
    ) -> BoxFuture<'_, Result<Option<HistoryProof>, FinalitySourceError>> {
        Box::pin(async move {
            let Some(rollup) = &self.rollup else { return Ok(None) };
            let ring = self.params.history_blocks;
            let slot = |number: BlockNumber| Some((number, history_slot(ring, number)?));
            let slots: Vec<_> = history_numbers(at).into_iter().filter_map(slot).collect();
            let asked: Vec<_> = slots.iter().map(|(_, slot)| *slot).collect();
            let proof = rollup.proof(&HISTORY_CONTRACT, &asked, at).await?;
            if proof.storage_proof.len() != slots.len() {
                return Err(rollup.endpoint.fault("eth_getProof: slots are missing"));
            }
            let words = slots.into_iter().zip(&proof.storage_proof);
            let words = words.map(|((number, _), word)| (number, word.proof.nodes())).collect();
            Ok(Some(HistoryProof { account: proof.account_proof.nodes(), words }))
        })
    }
}

/// Node with JSON-RPC over HTTP.
struct ProofNode {
    endpoint: EvidenceEndpoint,
    id: AtomicU64,
}

impl ProofNode {
    fn new(url: &str, name: &str) -> Result<Self, FinalitySourceError> {
        let endpoint = EvidenceEndpoint::new(url, name, BODY_BYTES_MAX)?;
        Ok(Self { endpoint, id: AtomicU64::new(1) })
    }

    async fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        params: Value,
    ) -> Result<T, FinalitySourceError> {
        let request = self.request(method, &params);
        let found = self.find(method, request).await?;
        found.ok_or_else(|| self.endpoint.fault(format!("{method}: no result")))
    }

    /// Result of a call; `None` for a result of `null`.
    async fn find<T: DeserializeOwned>(
        &self,
        method: &str,
        request: RequestBuilder,
    ) -> Result<Option<T>, FinalitySourceError> {
        let answer: RpcAnswer<T> = self.endpoint.read(method, request).await?;
        match answer.error {
            None => Ok(answer.result),
            Some(error) => {
                let message: String = error.message.chars().take(200).collect();
                Err(self.endpoint.fault(format!("{method}: {message}")))
            }
        }
    }

    fn request(&self, method: &str, params: &Value) -> RequestBuilder {
        let id = self.id.fetch_add(1, Ordering::Relaxed);
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.endpoint.http.post(self.endpoint.base.clone()).json(&body)
    }

    async fn proof(
        &self,
        address: &Address,
        slots: &[Hash],
        at: BlockNumber,
    ) -> Result<AccountProof, FinalitySourceError> {
        self.call("eth_getProof", json!([address, slots, format!("{at:#x}", at = at.0)])).await
    }

    async fn code(
        &self,
        address: &Address,
        at: BlockNumber,
    ) -> Result<Vec<u8>, FinalitySourceError> {
        let code: NodeBytes =
            self.call("eth_getCode", json!([address, format!("{at:#x}", at = at.0)])).await?;
        Ok(code.0)
    }

    /// Number of a block; `None` for an unknown block.
    async fn number_of(&self, hash: &Hash) -> Result<Option<BlockNumber>, FinalitySourceError> {
        let method = "eth_getBlockByHash";
        let block = self.find::<RollupBlock>(method, self.request(method, &json!([hash, false])));
        let digits = block.await?.map(|block| block.number.trim_start_matches("0x").to_owned());
        Ok(digits.and_then(|digits| u64::from_str_radix(&digits, 16).ok()).map(BlockNumber))
    }
}

#[derive(Deserialize)]
struct RpcAnswer<T> {
    result: Option<T>,
    error: Option<NodeRefusal>,
    #[serde(rename = "id")]
    _id: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct NodeRefusal {
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
struct RollupBlock {
    number: String,
}

/// Log with a send root and a block hash.
#[derive(Deserialize)]
struct SendRootLog {
    topics: [Hash; 3],
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AccountProof {
    account_proof: NodeList,
    storage_proof: Vec<SlotProof>,
}

#[derive(Deserialize)]
struct SlotProof {
    value: String,
    proof: NodeList,
}

impl SlotProof {
    /// The stated word; zero for other text.
    fn value(&self) -> Hash {
        let digits = self.value.trim_start_matches("0x");
        let padded = format!("{digits:0>64}");
        const_hex::decode_to_array(padded).map_or(Hash::ZERO, Hash)
    }
}

/// Trie nodes in hex.
#[derive(Deserialize)]
struct NodeList(Vec<NodeBytes>);

impl NodeList {
    fn nodes(&self) -> StateNodes {
        StateNodes(self.0.iter().map(|node| node.0.clone()).collect())
    }
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct NodeBytes(Vec<u8>);

impl TryFrom<String> for NodeBytes {
    type Error = const_hex::FromHexError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        const_hex::decode(text).map(Self)
    }
}
