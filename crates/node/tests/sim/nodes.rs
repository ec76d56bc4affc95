//! Nodes in memory that speak JSON-RPC about a known history, with faults of every kind.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::Value;
use superroot_chain::ChainSpec;
use superroot_source::{BoxFuture, NodeAnswer, NodeRequest, Transport, TransportError};
use superroot_types::{Family, Hash};
use tokio::time::Instant;

use crate::blocks::{Block, Oddity};
use crate::dice::Dice;
use crate::history::{History, View};
use crate::ledgers;

/// Longest answer that a run's sources read, in bytes.
pub(crate) const BODY_BYTES_MAX: usize = 192 << 10;

/// Virtual time of a run, and whether the faults are over.
pub(crate) struct Time {
    start: Instant,
    calm: AtomicBool,
}

impl Time {
    pub(crate) fn begin() -> Arc<Self> {
        Arc::new(Self { start: Instant::now(), calm: AtomicBool::new(false) })
    }

    pub(crate) fn ms(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    pub(crate) fn calm_down(&self) {
        self.calm.store(true, Ordering::Relaxed);
    }

    fn is_calm(&self) -> bool {
        self.calm.load(Ordering::Relaxed)
    }
}

/// Blocks with the time from which they are known.
type Known = BTreeMap<Hash, (u64, Arc<Block>)>;

/// What is told of a chain, by whom it may be.
pub(crate) struct Tale {
    pub(crate) history: History,
    pub(crate) blocks: Known,
}

impl Tale {
    pub(crate) fn new(history: History) -> Arc<Self> {
        let blocks = history.blocks();
        Arc::new(Self { history, blocks })
    }
}

/// What a node is like, all the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Honest,
    /// Tells a tale of its own, whose blocks recompute.
    Forger,
    /// Tells the one tale or the other, as it falls.
    Flapper,
    /// Alters what it sends, now and then.
    Alterer,
    /// Is of another chain.
    Foreign,
    /// Calls its newest block final.
    Rusher,
}

impl Role {
    pub(crate) const LIARS: [Self; 5] =
        [Self::Forger, Self::Flapper, Self::Alterer, Self::Foreign, Self::Rusher];
}

/// What goes wrong with an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// No connection.
    Drop,
    /// No answer, ever.
    Stall,
    /// An answer that takes long.
    Slow,
    /// HTML.
    Text,
    /// More bytes than may be read.
    Endless,
    /// The connection ends in the middle of the answer.
    Cut,
    /// 429, with or without a time.
    Limit,
    /// 503 or 500.
    Status,
    /// Error objects.
    Refuse,
    /// `null` where something is.
    Null,
    /// Entries of a batch twice.
    Duplicate,
    /// Entries of a batch from the last to the first.
    Reverse,
    /// A batch without its last entry.
    Partial,
    /// Ids of other calls.
    WrongIds,
    /// The chain as it was when the spell began: a node that stands still. One that goes back in
    /// time contradicts itself, and is a [`Role::Flapper`].
    Stale,
}

impl Fault {
    pub(crate) const ALL: [Self; 15] = [
        Self::Drop,
        Self::Stall,
        Self::Slow,
        Self::Text,
        Self::Endless,
        Self::Cut,
        Self::Limit,
        Self::Status,
        Self::Refuse,
        Self::Null,
        Self::Duplicate,
        Self::Reverse,
        Self::Partial,
        Self::WrongIds,
        Self::Stale,
    ];
}

/// A fault and when it comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spell {
    pub(crate) from_ms: u64,
    pub(crate) to_ms: u64,
    pub(crate) fault: Fault,
    /// Likelihood while it lasts.
    pub(crate) percent: u64,
}

/// How a node is.
pub(crate) struct Character {
    pub(crate) role: Role,
    /// Whether it stays a liar when the faults are over.
    pub(crate) stubborn: bool,
    /// How far it is behind, in milliseconds.
    pub(crate) lag_ms: u64,
    pub(crate) latency_ms: u64,
    pub(crate) no_batches: bool,
    pub(crate) no_block_receipts: bool,
    pub(crate) receipts_by_number: bool,
    /// Whether it knows blocks that are not on its line.
    pub(crate) knows_branches: bool,
    pub(crate) spells: Vec<Spell>,
}

/// A node.
pub(crate) struct SimNode {
    pub(crate) name: String,
    pub(crate) row: ChainSpec,
    pub(crate) character: Character,
    pub(crate) time: Arc<Time>,
    pub(crate) truth: Arc<Tale>,
    pub(crate) forged: Arc<Tale>,
    pub(crate) dice: Mutex<Dice>,
}

/// What one exchange sees of the world.
struct Seen<'a> {
    tale: &'a Tale,
    view: Arc<View>,
    now_ms: u64,
    role: Role,
}

impl SimNode {
    fn dice(&self) -> MutexGuard<'_, Dice> {
        self.dice.lock().unwrap()
    }

    fn role(&self) -> Role {
        let repents = self.time.is_calm() && !self.character.stubborn;
        if repents { Role::Honest } else { self.character.role }
    }

    fn fault(&self, dice: &mut Dice) -> Option<Fault> {
        if self.time.is_calm() {
            return None;
        }
        let now = self.time.ms();
        let lasting = |spell: &&Spell| spell.from_ms <= now && now < spell.to_ms;
        let spells = self.character.spells.iter().filter(lasting);
        let mut spells = spells.filter(|spell| spell.fault != Fault::Stale);
        spells.find(|spell| dice.percent(spell.percent)).map(|spell| spell.fault)
    }

    /// Since when it stands still, if it does.
    fn stale_since(&self, now: u64) -> Option<u64> {
        let spells = self.character.spells.iter();
        let stale = spells.filter(|spell| spell.fault == Fault::Stale);
        let lasting = stale.filter(|spell| spell.from_ms <= now && now < spell.to_ms);
        lasting.map(|spell| spell.from_ms).min()
    }

    fn seen(&self, dice: &mut Dice) -> Seen<'_> {
        let role = self.role();
        let tells_other = match role {
            Role::Forger | Role::Foreign => true,
            Role::Flapper => dice.percent(50),
            Role::Honest | Role::Alterer | Role::Rusher => false,
        };
        let tale = if tells_other { &self.forged } else { &self.truth };
        let now = self.time.ms();
        let shown = self.stale_since(now).unwrap_or(now).saturating_sub(self.character.lag_ms);
        let now_ms = if self.time.is_calm() { u64::MAX } else { shown };
        Seen { tale, view: tale.history.at(now_ms).clone(), now_ms, role }
    }

    async fn reply(&self, body: Vec<u8>) -> Result<NodeAnswer, TransportError> {
        let request: Value = serde_json::from_slice(&body).unwrap();
        let (fault, latency_ms) = {
            let mut dice = self.dice();
            (self.fault(&mut dice), dice.between(1, self.character.latency_ms))
        };
        let latency_ms = match fault {
            Some(Fault::Slow) => latency_ms * 40,
            Some(Fault::Stall) => 3_600_000,
            _ => latency_ms,
        };
        tokio::time::sleep(Duration::from_millis(latency_ms)).await;
        let mut dice = self.dice();
        if let Some(broken) = fault.and_then(|fault| broken(fault, &mut dice)) {
            return broken;
        }
        if self.is_forbidden(&request, &mut dice) {
            let text = b"<html>403 Forbidden</html>".to_vec();
            return Err(TransportError::Status { got: 403, retry_after_ms: None, text });
        }
        let text = self.text(&request, fault, &mut dice);
        let mut body = text.into_bytes();
        if fault == Some(Fault::Cut) {
            body.truncate(dice.below(body.len() as u64) as usize);
        }
        Ok(NodeAnswer { body })
    }

    /// Whether receipts are asked for that no node gives.
    fn is_forbidden(&self, request: &Value, dice: &mut Dice) -> bool {
        let seen = self.seen(dice);
        let is_refused = |call: &Value| {
            call["method"] == "eth_getBlockReceipts"
                && self.oddity(self.asked_block(&call["params"][0], &seen).as_deref())
                    == Some(Oddity::ReceiptsForbidden)
        };
        match request {
            Value::Array(calls) => calls.iter().any(is_refused),
            call => is_refused(call),
        }
    }

    /// What is odd about a block now.
    fn oddity(&self, block: Option<&Block>) -> Option<Oddity> {
        let oddity = block?.oddity()?;
        let lasts = matches!(oddity, Oddity::UnknownType | Oddity::OtherGas | Oddity::Places);
        (lasts || !self.time.is_calm()).then_some(oddity)
    }

    fn text(&self, request: &Value, fault: Option<Fault>, dice: &mut Dice) -> String {
        let seen = self.seen(dice);
        let Value::Array(calls) = request else {
            return self.one(request, &seen, fault, dice);
        };
        if self.character.no_batches {
            return error_object("null", -32_600, "no batches here");
        }
        let mut answers: Vec<String> =
            calls.iter().map(|call| self.one(call, &seen, fault, dice)).collect();
        match fault {
            Some(Fault::Duplicate) => answers.push(dice.pick(&answers)),
            Some(Fault::Reverse) => answers.reverse(),
            Some(Fault::Partial) => _ = answers.pop(),
            _ => {}
        }
        format!("[{}]", answers.join(","))
    }

    fn one(&self, call: &Value, seen: &Seen<'_>, fault: Option<Fault>, dice: &mut Dice) -> String {
        let mut id = call["id"].as_u64().unwrap();
        let result = match fault {
            Some(Fault::Refuse) => {
                let code = dice.pick(&[-32_000, -32_005, -32_602, -32_603]);
                return error_object(&id.to_string(), code, "header not found");
            }
            Some(Fault::Null) => Ok("null".to_owned()),
            _ => self.result(call, seen),
        };
        if fault == Some(Fault::WrongIds) {
            id += 1_000;
        }
        match result {
            Err((code, message)) => error_object(&id.to_string(), code, message),
            Ok(result) => {
                let alters = seen.role == Role::Alterer && dice.percent(20);
                let result = if alters { altered(&result, dice) } else { result };
                format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
            }
        }
    }

    fn result(&self, call: &Value, seen: &Seen<'_>) -> Result<String, (i64, &'static str)> {
        if self.row.family() != Family::Evm {
            let is_foreign = seen.role == Role::Foreign;
            let answer = ledgers::answer(&self.row, call, &seen.view, is_foreign)?;
            return Ok(answer.to_string());
        }
        let params = &call["params"];
        let null = || "null".to_owned();
        match call["method"].as_str().unwrap() {
            "eth_chainId" => {
                let offset = u64::from(seen.role == Role::Foreign);
                Ok(format!("\"{:#x}\"", self.row.id.0 + offset))
            }
            "web3_clientVersion" => Ok("\"Geth/v1.16.0\"".to_owned()),
            "eth_getBlockByNumber" => {
                let block = self.number(&params[0], seen).and_then(|number| seen.view.at(number));
                Ok(block.map_or_else(null, |block| shown(block, &params[1])))
            }
            "eth_getBlockByHash" => {
                let block = self.by_hash(&params[0], seen);
                Ok(block.map_or_else(null, |block| shown(&block, &params[1])))
            }
            "eth_getBlockReceipts" => self.block_receipts(&params[0], seen),
            "eth_getTransactionReceipt" => {
                let wanted: Hash = params[0].as_str().unwrap().parse().unwrap();
                let found = seen.view.line.iter().find_map(|block| {
                    let at = block.shown_hashes().iter().position(|hash| *hash == wanted)?;
                    Some((block, at))
                });
                let Some((block, at)) = found else { return Ok(null()) };
                match self.oddity(Some(block)) {
                    Some(Oddity::NoReceipts) => Ok(null()),
                    Some(Oddity::ReceiptsError | Oddity::ReceiptsForbidden) => {
                        Err((-32_000, "receipts are not available"))
                    }
                    _ => Ok(serde_json::to_string(&block.shown_receipts()[at]).unwrap()),
                }
            }
            _ => Err((-32_601, "method not found")),
        }
    }

    fn block_receipts(
        &self,
        which: &Value,
        seen: &Seen<'_>,
    ) -> Result<String, (i64, &'static str)> {
        if self.character.no_block_receipts {
            return Err((-32_601, "method not found"));
        }
        let is_hash = which.as_str().unwrap().len() == 66;
        if is_hash && self.character.receipts_by_number {
            return Err((-32_602, "invalid block number"));
        }
        let Some(block) = self.asked_block(which, seen) else { return Ok("null".to_owned()) };
        match self.oddity(Some(&block)) {
            Some(Oddity::NoReceipts) => Ok("[]".to_owned()),
            Some(Oddity::ReceiptsError) => Err((-32_000, "receipts are not available")),
            _ => Ok(block.receipts_json().to_owned()),
        }
    }

    /// The block of that hash or number.
    fn asked_block(&self, which: &Value, seen: &Seen<'_>) -> Option<Arc<Block>> {
        if which.as_str()?.len() == 66 {
            return self.by_hash(which, seen);
        }
        self.number(which, seen).and_then(|number| seen.view.at(number)).cloned()
    }

    fn number(&self, which: &Value, seen: &Seen<'_>) -> Option<u64> {
        let head = seen.view.head().number;
        let finalized = if seen.role == Role::Rusher { head } else { seen.view.finalized };
        match which.as_str().unwrap() {
            "latest" => Some(head),
            "safe" => Some(finalized.midpoint(head)),
            "finalized" => Some(finalized),
            text => u64::from_str_radix(text.strip_prefix("0x")?, 16).ok(),
        }
    }

    fn by_hash(&self, which: &Value, seen: &Seen<'_>) -> Option<Arc<Block>> {
        let hash: Hash = which.as_str().unwrap().parse().unwrap();
        let (known_from, block) = seen.tale.blocks.get(&hash)?;
        let on_line = || seen.view.at(block.number).is_some_and(|own| own.hash == hash);
        let is_known = *known_from <= seen.now_ms;
        (is_known && (self.character.knows_branches || on_line())).then(|| block.clone())
    }
}

impl Transport for SimNode {
    fn name(&self) -> &str {
        &self.name
    }

    fn exchange(&self, request: NodeRequest) -> BoxFuture<'_, Result<NodeAnswer, TransportError>> {
        Box::pin(self.reply(request.body))
    }
}

fn shown(block: &Block, full: &Value) -> String {
    if *full == Value::Bool(true) { block.full_json() } else { block.header_json() }.to_owned()
}

fn error_object(id: &str, code: i64, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#)
}

/// What comes instead of an answer.
fn broken(fault: Fault, dice: &mut Dice) -> Option<Result<NodeAnswer, TransportError>> {
    let status = |got, retry_after_ms| {
        Err(TransportError::Status { got, retry_after_ms, text: b"<html>busy</html>".to_vec() })
    };
    Some(match fault {
        Fault::Drop => Err(TransportError::Unreachable { why: "connection refused".into() }),
        Fault::Text => Ok(NodeAnswer { body: b"<html>502 Bad Gateway</html>".to_vec() }),
        // a transport that bounds what it reads, and one that does not
        Fault::Endless if dice.percent(50) => {
            Err(TransportError::TooLarge { expected: BODY_BYTES_MAX })
        }
        Fault::Endless => Ok(NodeAnswer { body: vec![b'['; BODY_BYTES_MAX + 1] }),
        Fault::Cut if dice.percent(50) => {
            Err(TransportError::Unreachable { why: "closed in the middle".into() })
        }
        Fault::Limit => {
            let asked = dice.pick(&[None, Some(1), Some(4_000), Some(u64::MAX)]);
            status(429, asked)
        }
        Fault::Status => {
            let got = dice.pick(&[500, 502, 503, 404, 413]);
            status(got, None)
        }
        _ => return None,
    })
}

/// The same JSON with one value altered: a digit, a length, a type, or a member gone.
fn altered(json: &str, dice: &mut Dice) -> String {
    let mut value: Value = serde_json::from_str(json).unwrap();
    let leaves = count_leaves(&value);
    let wanted = dice.below(leaves);
    let way = dice.below(8);
    alter_leaf(&mut value, &mut { wanted }, way, dice);
    value.to_string()
}

fn count_leaves(value: &Value) -> u64 {
    match value {
        Value::Array(list) => list.iter().map(count_leaves).sum(),
        Value::Object(members) => members.values().map(count_leaves).sum(),
        _ => 1,
    }
}

/// Alters the leaf so many places on; says whether it was there.
fn alter_leaf(value: &mut Value, left: &mut u64, way: u64, dice: &mut Dice) -> bool {
    match value {
        Value::Array(list) => list.iter_mut().any(|item| alter_leaf(item, left, way, dice)),
        Value::Object(members) => {
            members.values_mut().any(|member| alter_leaf(member, left, way, dice))
        }
        _ if *left > 0 => {
            *left -= 1;
            false
        }
        leaf => {
            *leaf = match (way, leaf.as_str()) {
                (0, _) => Value::Null,
                (1, _) => Value::from(dice.below(1 << 40)),
                (2, _) => Value::Array(vec![leaf.take()]),
                (3, Some(text)) => Value::from(&text[..text.len() / 2]),
                (_, Some(text)) if text.len() > 2 => {
                    let mut bytes = text.as_bytes().to_vec();
                    let at = dice.between(2, bytes.len() as u64 - 1) as usize;
                    bytes[at] = if bytes[at] == b'1' { b'2' } else { b'1' };
                    Value::from(String::from_utf8(bytes).unwrap())
                }
                _ => Value::from("0x1"),
            };
            true
        }
    }
}
