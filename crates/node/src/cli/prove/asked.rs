//! What is asked of a service, and whether an answer is about that: a true proof of something else
//! is no answer.

use clap::Subcommand;
use superroot_chain::ChainRow;
use superroot_client::{At, is_transaction};
use superroot_proof::bundle::{Facts, Statement, Subject};
use superroot_types::{BlockNumber, Hash};
use superroot_wire::proof::parse_explorer_hash;

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
        number: Block,
    },
    /// A transaction, by its hash.
    Tx {
        /// Id, name or CAIP-2 name.
        #[arg(value_parser = find_chain)]
        chain: &'static ChainRow,
        /// Its hash; of Bitcoin also as explorers show it.
        #[arg(value_parser = parse_hash)]
        hash: Hash,
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
        #[arg(value_parser = parse_hash)]
        hash: Hash,
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
}

/// A block as it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// The newest anchored one.
    Latest,
    /// The one of that number.
    Number(u64),
}

fn find_chain(text: &str) -> Result<&'static ChainRow, String> {
    let row = crate::chains::known().find(text);
    row.ok_or_else(|| {
        "no such chain in the registry of this build; try an id, `ethereum`, `eip155:1`".to_owned()
    })
}

fn parse_block(text: &str) -> Result<Block, String> {
    if text == "latest" {
        return Ok(Block::Latest);
    }
    text.parse().map(Block::Number).map_err(|_| "expected a block number or `latest`".to_owned())
}

/// A hash as it is hashed, or (without `0x`) as explorers of Bitcoin show it.
fn parse_hash(text: &str) -> Result<Hash, String> {
    match parse_explorer_hash(text) {
        Some(hash) => Ok(hash),
        None => text.parse().map_err(|error: superroot_types::ParseHexError| error.to_string()),
    }
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
        }
    }

    /// Checks that what was shown is what was asked for, under the SuperRoot that was asked for.
    ///
    /// # Errors
    /// What it is instead.
    pub(crate) fn check(&self, facts: &Facts, at: At) -> Result<(), String> {
        let statement = &facts.statement;
        if statement.chain != self.chain().key() {
            return Err(format!(
                "it is about chain {}, not {}",
                statement.chain,
                self.chain().key()
            ));
        }
        let Some(super_root) = &facts.super_root else {
            return Err("it ends below level 5 and leads to no SuperRoot".to_owned());
        };
        self.check_subject(statement, facts)?;
        let wrong = |asked: String| {
            Err(format!(
                "it ends in SuperRoot {}, {}, not {asked}",
                super_root.sequence,
                super_root.hash()
            ))
        };
        match at {
            At::Sequence(sequence) if sequence != super_root.sequence => {
                wrong(sequence.to_string())
            }
            At::Root(root) if root != super_root.hash() => wrong(root.to_string()),
            _ => Ok(()),
        }
    }

    fn check_subject(&self, statement: &Statement, facts: &Facts) -> Result<(), String> {
        let is = |number: u64, subject: Subject| {
            statement.number == BlockNumber(number) && statement.subject == subject
        };
        let is_of = |hash: &Hash| is_transaction(facts, hash);
        let same = match *self {
            Self::Block { number: Block::Latest, .. } => statement.subject == Subject::Block,
            Self::Block { number: Block::Number(number), .. } => is(number, Subject::Block),
            Self::Tx { hash, .. } => {
                matches!(statement.subject, Subject::Transaction { .. }) && is_of(&hash)
            }
            Self::Event { number, tx_index, log_index, .. } => {
                is(number, Subject::Log { tx_index, log_index })
            }
            Self::EventByTx { hash, log_index: asked, .. } => {
                matches!(statement.subject, Subject::Log { log_index, .. } if log_index == asked)
                    && is_of(&hash)
            }
            Self::Absence { number, tx_index, .. } => is(number, Subject::Absence { tx_index }),
        };
        if same {
            return Ok(());
        }
        Err(format!("it is about {}", crate::cli::report::statement_words(statement)))
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
        assert_eq!(parse_block("latest"), Ok(Block::Latest));
        assert_eq!(parse_block("7"), Ok(Block::Number(7)));
        for text in ["-1", "", "Latest", "18446744073709551616", "0x7"] {
            assert!(parse_block(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_hash_without_its_mark_is_read_in_reverse() {
        let text = format!("{}ab", "00".repeat(31));
        assert_eq!(parse_hash(&text).unwrap().0[0], 0xab);
        assert_eq!(parse_hash(&format!("0x{text}")).unwrap().0[31], 0xab);
        for text in ["", "0x", &text[1..], &format!("0x{}", &text[1..]), &text.replace('a', "x")] {
            assert!(parse_hash(text).is_err(), "{text}");
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
