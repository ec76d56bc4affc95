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
        hash: AskedHash,
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
        hash: AskedHash,
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
        "no such chain in the registry of this build; try an id, `ethereum`, `eip155:1`, and for a \
         chain of one's own name the file of its row with --chains FILE"
            .to_owned()
    })
}

fn parse_block(text: &str) -> Result<Block, String> {
    if text == "latest" {
        return Ok(Block::Latest);
    }
    text.parse().map(Block::Number).map_err(|_| "expected a block number or `latest`".to_owned())
}

/// A hash as it is asked for. Which form it may have is known once its chain is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AskedHash {
    pub(crate) hash: Hash,
    /// Without `0x`, as explorers of Bitcoin show it: its bytes reversed.
    is_explorers: bool,
}

/// A hash as it is hashed, or (without `0x`) as explorers of Bitcoin show it.
fn parse_hash(text: &str) -> Result<AskedHash, String> {
    match parse_explorer_hash(text) {
        Some(hash) => Ok(AskedHash { hash, is_explorers: true }),
        None => {
            let hash = text.parse();
            let hash = hash.map_err(|error: superroot_types::ParseHexError| error.to_string())?;
            Ok(AskedHash { hash, is_explorers: false })
        }
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

    /// Checks that a hash has a form that the chain's family knows.
    ///
    /// # Errors
    /// What was expected.
    pub(crate) fn check_form(&self) -> Result<(), String> {
        let (Self::Tx { chain, hash } | Self::EventByTx { chain, hash, .. }) = self else {
            return Ok(());
        };
        if !hash.is_explorers || chain.family().shows_hashes_reversed() {
            return Ok(());
        }
        let mut asked = hash.hash;
        asked.0.reverse();
        Err(format!(
            "the hash has no 0x, expected 0x and 64 hex digits, as {} writes hashes: {asked}; without \
             0x, hashes are read as explorers of Bitcoin show them",
            chain.name
        ))
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
                matches!(statement.subject, Subject::Transaction { .. }) && is_of(&hash.hash)
            }
            Self::Event { number, tx_index, log_index, .. } => {
                is(number, Subject::Log { tx_index, log_index })
            }
            Self::EventByTx { hash, log_index: asked, .. } => {
                matches!(statement.subject, Subject::Log { log_index, .. } if log_index == asked)
                    && is_of(&hash.hash)
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
        assert_eq!(parse_hash(&text).unwrap().hash.0[0], 0xab);
        assert_eq!(parse_hash(&format!("0x{text}")).unwrap().hash.0[31], 0xab);
        for text in ["", "0x", &text[1..], &format!("0x{}", &text[1..]), &text.replace('a', "x")] {
            assert!(parse_hash(text).is_err(), "{text}");
        }
    }

    /// Of a chain whose hashes have one byte order, a reversed one would be another hash.
    #[test]
    fn only_chains_of_bitcoins_family_take_a_hash_as_explorers_show_it() {
        let text = format!("{}ab", "00".repeat(31));
        let asked = |chain: &str, hash: &str| {
            let (chain, hash) = (find_chain(chain).unwrap(), parse_hash(hash).unwrap());
            [What::Tx { chain, hash }, What::EventByTx { chain, hash, log_index: 0 }]
        };
        for what in asked("bitcoin", &text).iter().chain(&asked("base", &format!("0x{text}"))) {
            assert_eq!(what.check_form(), Ok(()));
        }
        for what in asked("base", &text) {
            let why = what.check_form().unwrap_err();
            assert!(why.contains("expected 0x and 64 hex digits, as Base writes"), "{why}");
            assert!(why.contains(&format!("0x{text}")), "{why}");
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
