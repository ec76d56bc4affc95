//! What is asked of a service.

use anyhow::{Context, ensure};
use clap::{Args, Subcommand};
use superroot_chain::ChainRow;
use superroot_client::{Asked, Of};
use superroot_proof::bundle::{Statement, Subject};
use superroot_proof::hash::keccak256;
use superroot_proof::scan::{ScanFilter, ScanStatement};
use superroot_types::{Address, BlockNumber, Hash};
use superroot_wire::proof::parse_spelled_hash;

/// What to prove.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum What {
    /// A block.
    Block {
        /// Id, name or CAIP-2 name.
        #[arg(value_parser = find_chain)]
        chain: &'static ChainRow,
        /// Its number, or `latest` for the newest anchored one.
        #[arg(value_parser = parse_block)]
        number: Of,
    },
    /// A transaction, by its hash.
    Tx {
        /// Id, name or CAIP-2 name.
        #[arg(value_parser = find_chain)]
        chain: &'static ChainRow,
        /// Its hash; of Bitcoin also as explorers show it.
        hash: String,
    },
    /// A log, or an output of Bitcoin, by its place.
    Event {
        /// Id, name or CAIP-2 name.
        #[arg(value_parser = find_chain)]
        chain: &'static ChainRow,
        /// Number of the block.
        number: u64,
        /// Position of the transaction in the block.
        tx_index: u32,
        /// Position of the log in the receipt, or of the output.
        log_index: u32,
    },
    /// A log, or an output of Bitcoin, by the hash of its transaction.
    EventByTx {
        /// Id, name or CAIP-2 name.
        #[arg(value_parser = find_chain)]
        chain: &'static ChainRow,
        /// Hash of the transaction; of Bitcoin also as explorers show it.
        hash: String,
        /// Position of the log in the receipt, or of the output.
        log_index: u32,
    },
    /// That a block has no transaction at an index.
    Absence {
        /// Id, name or CAIP-2 name.
        #[arg(value_parser = find_chain)]
        chain: &'static ChainRow,
        /// Number of the block.
        number: u64,
        /// The index.
        tx_index: u32,
    },
    /// That no block of a range has an event of an address or a topic.
    AbsenceOf(Scanned),
    /// All events of an address or a topic in a range of blocks.
    EventsOf(Scanned),
}

/// Which events of which blocks. EVM family.
#[derive(Clone, Debug, Args)]
pub(crate) struct Scanned {
    /// The contract that emits them; whichever does if left out.
    #[arg(required_unless_present_any = ["topic", "topic0", "topic1", "topic2", "topic3"])]
    address: Option<Address>,
    /// Id, name or CAIP-2 name.
    #[arg(long, value_parser = find_chain)]
    chain: &'static ChainRow,
    /// First block.
    #[arg(long, value_name = "NUMBER")]
    from: u64,
    /// Last block; a longer range than 2,048 blocks gives a file a page.
    #[arg(long, value_name = "NUMBER")]
    to: u64,
    /// A topic that the event has at any position: 32 bytes of hex, or a signature such as
    /// Transfer(address,address,uint256). Given more than once, it has every one.
    #[arg(long, value_name = "TOPIC", value_parser = parse_topic)]
    topic: Vec<Hash>,
    /// Its first topic; given more than once, one of them. Likewise the next three.
    #[arg(long, value_name = "TOPIC", value_parser = parse_topic)]
    topic0: Vec<Hash>,
    /// Its second topic.
    #[arg(long, value_name = "TOPIC", value_parser = parse_topic)]
    topic1: Vec<Hash>,
    /// Its third topic.
    #[arg(long, value_name = "TOPIC", value_parser = parse_topic)]
    topic2: Vec<Hash>,
    /// Its fourth topic.
    #[arg(long, value_name = "TOPIC", value_parser = parse_topic)]
    topic3: Vec<Hash>,
}

impl Scanned {
    /// What is claimed of them.
    ///
    /// # Errors
    /// Where the range is empty, or a list too long.
    pub(crate) fn statement(&self) -> anyhow::Result<ScanStatement> {
        ensure!(self.from <= self.to, "--to {} is before --from {}", self.to, self.from);
        let topics = [&self.topic0, &self.topic1, &self.topic2, &self.topic3].map(Clone::clone);
        let addresses = self.address.into_iter().collect();
        let filter = ScanFilter::new(addresses, topics, self.topic.clone())?;
        let (from, to) = (BlockNumber(self.from), BlockNumber(self.to));
        Ok(ScanStatement { chain: self.chain.key(), from, to, filter })
    }

    /// Name of the file for a page of it: chain, range, and what it is about.
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

fn find_chain(text: &str) -> Result<&'static ChainRow, String> {
    let row = crate::chains::known().find(text);
    row.ok_or_else(|| {
        "no such chain in the registry of this build; try an id, `ethereum`, `eip155:1`, and for a \
         chain of one's own name the file of its row with --chains FILE"
            .to_owned()
    })
}

fn parse_block(text: &str) -> Result<Of, String> {
    if text == "latest" {
        return Ok(Of::LatestBlock);
    }
    let number = text.parse().map_err(|_| "expected a block number or `latest`".to_owned())?;
    Ok(Of::Block { number: BlockNumber(number) })
}

/// A hash as it is hashed, or as the family's explorers show it.
fn parse_hash(chain: &ChainRow, text: &str) -> anyhow::Result<Hash> {
    if let Some(hash) = parse_spelled_hash(chain.family(), text) {
        return Ok(hash);
    }
    let name = &chain.name;
    let expected = || format!("{text:?} is no hash of {name}: expected 0x and 64 hex digits");
    text.parse().with_context(expected)
}

impl What {
    /// The chain.
    pub(crate) const fn chain(&self) -> &'static ChainRow {
        match self {
            Self::Block { chain, .. }
            | Self::Tx { chain, .. }
            | Self::Event { chain, .. }
            | Self::EventByTx { chain, .. }
            | Self::Absence { chain, .. } => chain,
            Self::AbsenceOf(scanned) | Self::EventsOf(scanned) => scanned.chain,
        }
    }

    /// The question of one proof; `None` of a scan.
    ///
    /// # Errors
    /// Where a hash has no form that the chain's family knows.
    pub(crate) fn asked(&self) -> anyhow::Result<Option<Asked>> {
        let of = match self {
            Self::AbsenceOf(_) | Self::EventsOf(_) => return Ok(None),
            Self::Block { number, .. } => *number,
            Self::Tx { chain, hash } => Of::Transaction { tx_hash: parse_hash(chain, hash)? },
            Self::Event { number, tx_index, log_index, .. } => Of::Event {
                number: BlockNumber(*number),
                tx_index: *tx_index,
                log_index: *log_index,
            },
            Self::EventByTx { chain, hash, log_index } => {
                Of::EventByHash { tx_hash: parse_hash(chain, hash)?, log_index: *log_index }
            }
            Self::Absence { number, tx_index, .. } => {
                Of::Absence { number: BlockNumber(*number), tx_index: *tx_index }
            }
        };
        Ok(Some(Asked { chain: self.chain().key(), of }))
    }
}

/// Name of the file for a proof: chain, number and place.
pub(crate) fn file_name(chain: &ChainRow, statement: &Statement, extension: &str) -> String {
    let place = match statement.subject {
        Subject::Block => String::new(),
        Subject::Transaction { tx_index } => format!("-tx{tx_index}"),
        Subject::Log { tx_index, log_index } => format!("-tx{tx_index}-log{log_index}"),
        Subject::Absence { tx_index } => format!("-no-tx{tx_index}"),
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
        assert_eq!(parse_block("latest"), Ok(Of::LatestBlock));
        assert_eq!(parse_block("7"), Ok(Of::Block { number: BlockNumber(7) }));
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
        assert_eq!(name(Subject::Block), "ethereum-9.srproof");
        assert_eq!(name(Subject::Transaction { tx_index: 3 }), "ethereum-9-tx3.srproof");
        let log = Subject::Log { tx_index: 3, log_index: 1 };
        assert_eq!(name(log), "ethereum-9-tx3-log1.srproof");
        assert_eq!(name(Subject::Absence { tx_index: 3 }), "ethereum-9-no-tx3.srproof");
    }
}
