//! Proof request.

use anyhow::{Context, ensure};
use clap::{Args, Subcommand};
use superroot_chain::ChainSpec;
use superroot_proof::bundle::{ProofSubject, Statement};
use superroot_proof::hash::keccak256;
use superroot_proof::scan::{ScanFilter, ScanStatement};
use superroot_types::{Address, BlockNumber, BlockRef, Hash};
use superroot_wire::proof::{ProofQuery, ProofTarget, parse_spelled_hash};

/// Statement to prove.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum ProveTarget {
    /// Prove a block.
    Block {
        /// Chain id, name or CAIP-2 name.
        #[arg(value_parser = find_chain)]
        chain: &'static ChainSpec,
        /// Block number, or `latest` for the newest anchored block.
        #[arg(value_parser = parse_block)]
        number: BlockRef,
    },
    /// Prove a transaction, by hash.
    Tx {
        /// Chain id, name or CAIP-2 name.
        #[arg(value_parser = find_chain)]
        chain: &'static ChainSpec,
        /// Transaction hash; for Bitcoin also in explorer form.
        hash: String,
    },
    /// Prove a log or Bitcoin output, by position.
    Event {
        /// Chain id, name or CAIP-2 name.
        #[arg(value_parser = find_chain)]
        chain: &'static ChainSpec,
        /// Block number.
        number: u64,
        /// Transaction position in the block.
        tx_index: u32,
        /// Log position in the receipt, or output position.
        log_index: u32,
    },
    /// Prove a log or Bitcoin output, by transaction hash.
    EventByTx {
        /// Chain id, name or CAIP-2 name.
        #[arg(value_parser = find_chain)]
        chain: &'static ChainSpec,
        /// Transaction hash; for Bitcoin also in explorer form.
        hash: String,
        /// Log position in the receipt, or output position.
        log_index: u32,
    },
    /// Prove that a block has no transaction at an index.
    Absence {
        /// Chain id, name or CAIP-2 name.
        #[arg(value_parser = find_chain)]
        chain: &'static ChainSpec,
        /// Block number.
        number: u64,
        /// Transaction index.
        tx_index: u32,
    },
    /// Prove that no block in a range has an event with an address or topic.
    AbsenceOf(ScanTarget),
    /// Prove all events with an address or topic in a block range.
    EventsOf(ScanTarget),
}

/// Events and block range. EVM family only.
#[derive(Clone, Debug, Args)]
pub(crate) struct ScanTarget {
    /// Emitting contract. Default: any.
    #[arg(required_unless_present_any = ["topic", "topic0", "topic1", "topic2", "topic3"])]
    address: Option<Address>,
    /// Chain id, name or CAIP-2 name.
    #[arg(long, value_parser = find_chain)]
    chain: &'static ChainSpec,
    /// First block.
    #[arg(long, value_name = "NUMBER")]
    from: u64,
    /// Last block. A range over 2,048 blocks gives one file per page.
    #[arg(long, value_name = "NUMBER")]
    to: u64,
    /// Topic at any position: 32 bytes of hex, or a signature such as Transfer(address,address,uint256). If repeated,
    /// an event must have all topics.
    #[arg(long, value_name = "TOPIC", value_parser = parse_topic)]
    topic: Vec<Hash>,
    /// First topic; if repeated, one must match. The next three work alike.
    #[arg(long, value_name = "TOPIC", value_parser = parse_topic)]
    topic0: Vec<Hash>,
    /// Second topic.
    #[arg(long, value_name = "TOPIC", value_parser = parse_topic)]
    topic1: Vec<Hash>,
    /// Third topic.
    #[arg(long, value_name = "TOPIC", value_parser = parse_topic)]
    topic2: Vec<Hash>,
    /// Fourth topic.
    #[arg(long, value_name = "TOPIC", value_parser = parse_topic)]
    topic3: Vec<Hash>,
}

impl ScanTarget {
    /// Scan statement. An empty range or too long a list is an error.
    pub(crate) fn statement(&self) -> anyhow::Result<ScanStatement> {
        ensure!(self.from <= self.to, "--to {} is before --from {}", self.to, self.from);
        let topics = [&self.topic0, &self.topic1, &self.topic2, &self.topic3].map(Clone::clone);
        let addresses = self.address.into_iter().collect();
        let filter = ScanFilter::new(addresses, topics, self.topic.clone())?;
        let from = BlockNumber(self.from);
        let to = BlockNumber(self.to);
        Ok(ScanStatement { chain: self.chain.key(), from, to, filter })
    }

    pub(crate) fn file_name(&self, page: &ScanStatement, kind: &str, extension: &str) -> String {
        let topics = [&self.topic, &self.topic0, &self.topic1, &self.topic2, &self.topic3];
        let topic = || topics.into_iter().flatten().next().map(ToString::to_string);
        let about = self.address.map(|address| address.to_string()).or_else(topic);
        let about = about.unwrap_or_default();
        let about = about.get(2..10).unwrap_or_default();
        format!("{}-{}-{}-{kind}-{about}.{extension}", self.chain.slug, page.from, page.to)
    }
}

fn parse_topic(text: &str) -> Result<Hash, String> {
    if let Ok(topic) = text.parse() {
        return Ok(topic);
    }
    let is_signature = text.ends_with(')') && text.contains('(') && !text.contains(' ');
    if is_signature {
        return Ok(keccak256(text.as_bytes()));
    }
    Err("expected 0x and 64 hex digits, or a signature such as Transfer(address,address,uint256)"
        .to_owned())
}

pub(crate) fn find_chain(text: &str) -> Result<&'static ChainSpec, String> {
    let row = crate::chains::known().find(text);
    row.ok_or_else(|| {
        "no such chain in the registry of this build; try an id, `ethereum`, `eip155:1`, and for a \
         chain of one's own name the file of its row with --chains FILE"
            .to_owned()
    })
}

pub(crate) fn parse_block(text: &str) -> Result<BlockRef, String> {
    if text == "latest" {
        return Ok(BlockRef::Latest);
    }
    let number = text.parse().map_err(|_| "expected a block number or `latest`".to_owned())?;
    Ok(BlockNumber(number).into())
}

/// Parses a hash in hash order or explorer form.
fn parse_hash(chain: &ChainSpec, text: &str) -> anyhow::Result<Hash> {
    if let Some(hash) = parse_spelled_hash(chain.family(), text) {
        return Ok(hash);
    }
    let name = &chain.name;
    let expected = || format!("{text:?} is no hash of {name}: expected 0x and 64 hex digits");
    text.parse().with_context(expected)
}

impl ProveTarget {
    pub(crate) const fn chain(&self) -> &'static ChainSpec {
        match self {
            Self::Block { chain, .. }
            | Self::Tx { chain, .. }
            | Self::Event { chain, .. }
            | Self::EventByTx { chain, .. }
            | Self::Absence { chain, .. } => chain,
            Self::AbsenceOf(scanned) | Self::EventsOf(scanned) => scanned.chain,
        }
    }

    /// Single proof request; `None` for a scan. The hash must have a form known to the chain's family.
    pub(crate) fn query(&self) -> anyhow::Result<Option<ProofQuery>> {
        let target = match *self {
            Self::AbsenceOf(_) | Self::EventsOf(_) => return Ok(None),
            Self::Block { number, .. } => ProofTarget::Block(number),
            Self::Tx { chain, ref hash } => {
                ProofTarget::Transaction { tx_hash: parse_hash(chain, hash)? }
            }
            Self::Event { number, tx_index, log_index, .. } => {
                ProofTarget::Event { block: BlockNumber(number).into(), tx_index, log_index }
            }
            Self::EventByTx { chain, ref hash, log_index } => {
                ProofTarget::EventByHash { tx_hash: parse_hash(chain, hash)?, log_index }
            }
            Self::Absence { number, tx_index, .. } => {
                ProofTarget::Absence { block: BlockNumber(number).into(), tx_index }
            }
        };
        Ok(Some(ProofQuery { chain: self.chain().key(), target }))
    }
}

pub(crate) fn file_name(chain: &ChainSpec, statement: &Statement, extension: &str) -> String {
    let place = match statement.subject {
        ProofSubject::Block => String::new(),
        ProofSubject::Transaction { tx_index } => format!("-tx{tx_index}"),
        ProofSubject::Log { tx_index, log_index } => format!("-tx{tx_index}-log{log_index}"),
        ProofSubject::Absence { tx_index } => format!("-no-tx{tx_index}"),
    };
    format!("{}-{}{place}.{extension}", chain.slug, statement.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_and_blocks_are_read_as_the_service_reads_them() {
        for text in ["1", "ethereum", "ETH", "eip155:1"] {
            assert_eq!(find_chain(text).unwrap().id.0, 1, "{text}");
        }
        assert!(find_chain("4242424242").is_err() && find_chain("").is_err());
        assert_eq!(parse_block("latest"), Ok(BlockRef::Latest));
        assert_eq!(parse_block("7"), Ok(BlockNumber(7).into()));
        for text in ["-1", "", "Latest", "18446744073709551616", "0x7"] {
            assert!(parse_block(text).is_err(), "{text}");
        }
    }

    /// Of a chain whose hashes have one byte order, a reversed one would be another hash.
    #[test]
    fn only_chains_of_bitcoins_family_take_a_hash_as_explorers_show_it() {
        let text = format!("{}ab", "00".repeat(31));
        let marked = format!("0x{text}");
        let [bitcoin, base] = ["bitcoin", "base"].map(|name| find_chain(name).unwrap());
        assert_eq!(parse_hash(bitcoin, &text).unwrap().0[0], 0xab);
        assert_eq!(parse_hash(bitcoin, &marked).unwrap().0[31], 0xab);
        assert_eq!(parse_hash(base, &marked).unwrap().0[31], 0xab);
        for none in [&text, "", "0x", &text[1..], &marked[1..]] {
            let why = parse_hash(base, none).unwrap_err().to_string();
            assert!(why.ends_with("is no hash of Base: expected 0x and 64 hex digits"), "{why}");
        }
    }

    #[test]
    fn topics_are_named_by_hash_or_signature() {
        let transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
        let transfer: Hash = transfer.parse().unwrap();
        assert_eq!(parse_topic(&transfer.to_string()), Ok(transfer));
        assert_eq!(parse_topic("Transfer(address,address,uint256)"), Ok(transfer));
        for wrong in ["", "Transfer", "0x12", "Transfer(address, address)"] {
            assert!(parse_topic(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_file_is_named_by_its_statement() {
        let chain = find_chain("1").unwrap();
        let name = |subject| {
            let statement = Statement { chain: chain.key(), number: BlockNumber(9), subject };
            file_name(chain, &statement, "srproof")
        };
        assert_eq!(name(ProofSubject::Block), "ethereum-9.srproof");
        assert_eq!(name(ProofSubject::Transaction { tx_index: 3 }), "ethereum-9-tx3.srproof");
        let log = ProofSubject::Log { tx_index: 3, log_index: 1 };
        assert_eq!(name(log), "ethereum-9-tx3-log1.srproof");
        assert_eq!(name(ProofSubject::Absence { tx_index: 3 }), "ethereum-9-no-tx3.srproof");
    }
}
