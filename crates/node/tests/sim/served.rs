//! Proofs as they are served, and the client that believes nothing: each is sent as bytes and as
//! JSON, verified by hashing alone, and held against the block as it was made.

use superroot_accumulate::prove::{ProveError, Prover, UNANCHORED};
use superroot_proof::bundle::{Bundle, Facts, Policy, verify, verify_anchored};
use superroot_store::layout::BlockRow;
use superroot_store::{Store, read};
use superroot_types::{BlockNumber, Hash, ProofLevel, SuperRootRef};

use crate::blocks::{Block, Raw};
use crate::dice::Dice;
use crate::laws::{ChainWitness, LogWitness};
use crate::plan::registry;

/// How many proofs were asked for, and how many given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) asked: u64,
    pub(crate) pending: u64,
    pub(crate) anchored: u64,
    pub(crate) not_indexed: u64,
    pub(crate) not_provable: u64,
}

/// One who asks for proofs.
pub(crate) struct Client<'a> {
    pub(crate) prover: &'a Prover,
    pub(crate) disk: &'a dyn Store,
    pub(crate) log: &'a LogWitness,
    pub(crate) chain: &'a ChainWitness,
    pub(crate) counts: &'a mut Counts,
}

/// A block that is held and what is asked of it.
struct Wanted<'a> {
    number: BlockNumber,
    row: &'a BlockRow,
    block: &'a Block,
    at: Option<SuperRootRef>,
    /// Whether it stands in the SuperRoot asked for, or none was asked for.
    stands: bool,
}

impl Client<'_> {
    /// Asks for a proof of something, held or not.
    pub(crate) fn ask(&mut self, dice: &mut Dice) {
        self.counts.asked += 1;
        let at = match (dice.below(10), self.log.hashes.len() as u64) {
            (0..4, _) => UNANCHORED,
            (4..8, _) | (_, 0) => Some(SuperRootRef::Latest),
            (8, count) => {
                Some(SuperRootRef::Sequence(superroot_types::Sequence(dice.below(count))))
            }
            (_, count) => Some(SuperRootRef::Hash(self.log.hashes[dice.below(count) as usize])),
        };
        let state = read::load_chain_state(self.disk, self.chain.key).unwrap();
        let Some((start, head)) = state.and_then(|state| Some((state.start, state.head?))) else {
            let number = BlockNumber(dice.below(4_096));
            assert!(self.prover.prove_block(self.chain.key, number, at).is_err());
            return;
        };
        let lowest = start.0.saturating_sub(u64::from(dice.percent(5)));
        let number = BlockNumber(dice.between(lowest, head.number.0 + 1));
        let stands = self.stands(number, at);
        let held = read::load_block(self.disk, self.chain.key, number).unwrap();
        let Some(row) = held.filter(|_| number >= start) else {
            let refused = self.prover.prove_block(self.chain.key, number, at).unwrap_err();
            assert!(!matches!(refused, ProveError::Corrupt { .. }), "{refused}");
            return;
        };
        let block = self.chain.block(&row.hash).clone();
        let wanted = Wanted { number, row: &row, block: &block, at, stands };
        match dice.below(6) {
            0 => self.ask_block(&wanted),
            1 | 2 => self.ask_transaction(&wanted, dice),
            3 | 4 => self.ask_event(&wanted, dice),
            _ => self.ask_absence(&wanted, dice),
        }
    }

    fn stands(&self, number: BlockNumber, at: Option<SuperRootRef>) -> bool {
        let Some(at) = at else { return true };
        let Ok(published) = self.prover.published(at) else { return false };
        let reference = published.reference(self.chain.key);
        reference.is_some_and(|(_, one)| one.start <= number && number <= one.number)
    }

    fn ask_block(&mut self, wanted: &Wanted<'_>) {
        let proof = self.prover.prove_block(self.chain.key, wanted.number, wanted.at);
        self.given(proof, wanted);
    }

    fn ask_transaction(&mut self, wanted: &Wanted<'_>, dice: &mut Dice) {
        let Some(tx_index) = some_index(wanted.block, dice) else { return };
        let hash = wanted.block.transaction_hashes[tx_index as usize];
        let proof = self.prover.prove_transaction(self.chain.key, &hash, wanted.at);
        if !(wanted.row.extent.transactions && wanted.row.kept.holds(tx_index)) {
            return self.not_indexed(proof);
        }
        let Some(facts) = self.given(proof, wanted) else { return };
        let transaction = facts.transaction.unwrap();
        assert_eq!(transaction.raw, wanted.block.transaction_leaves[tx_index as usize]);
        assert_eq!(transaction.hash, hash);
        let receipt = facts.receipt.map(|receipt| receipt.raw);
        let leaf = wanted.block.receipt_leaves.get(tx_index as usize);
        assert_eq!(receipt.as_ref(), leaf.filter(|_| wanted.row.extent.receipts));
    }

    fn ask_event(&mut self, wanted: &Wanted<'_>, dice: &mut Dice) {
        let Some(tx_index) = some_index(wanted.block, dice) else { return };
        if !wanted.block.has_receipts() {
            let proof =
                self.prover.prove_event(self.chain.key, wanted.number, tx_index, 0, wanted.at);
            return self.not_provable(proof, wanted);
        }
        let logs = &wanted.block.receipts[tx_index as usize].logs;
        let log_index = dice.below(logs.len() as u64 + 1) as u32;
        let (key, number, at) = (self.chain.key, wanted.number, wanted.at);
        let proof = self.prover.prove_event(key, number, tx_index, log_index, at);
        if !wanted.stands {
            _ = self.given(proof, wanted);
            return;
        }
        if !(wanted.row.extent.receipts && wanted.row.kept.holds(tx_index)) {
            return self.not_indexed(proof);
        }
        let Some(log) = logs.get(log_index as usize) else {
            let refused = proof.unwrap_err();
            assert!(matches!(refused, ProveError::EventIndex { .. }), "{refused}");
            return;
        };
        let facts = self.given(proof, wanted).expect("it stands, and is kept");
        let proven = &facts.log().unwrap().log;
        assert_eq!((proven.address, &proven.topics), (log.address, &log.topics));
        assert_eq!(proven.data, log.data.to_vec());
        assert_eq!(facts.receipt.unwrap().raw, wanted.block.receipt_leaves[tx_index as usize]);
    }

    fn ask_absence(&mut self, wanted: &Wanted<'_>, dice: &mut Dice) {
        let count = wanted.block.transaction_leaves.len() as u64;
        let tx_index = dice.below(count + 3) as u32;
        let (key, number, at) = (self.chain.key, wanted.number, wanted.at);
        let proof = self.prover.prove_absence(key, number, tx_index, at);
        if matches!(wanted.block.raw, Raw::Slot) {
            return self.not_provable(proof, wanted);
        }
        let is_there = u64::from(tx_index) < count;
        match proof {
            Ok(bundle) => {
                assert!(!is_there, "the absence of transaction {tx_index} is proven, it is there");
                self.given(Ok(bundle), wanted);
            }
            Err(ProveError::Present { .. }) => assert!(is_there, "nothing is there"),
            Err(ProveError::NotIndexed { .. }) => {
                let whole = wanted.row.extent.transactions
                    && matches!(wanted.row.kept, superroot_store::layout::KeptEntries::All);
                assert!(!whole, "everything of the block is held");
            }
            refused => _ = self.given(refused, wanted),
        }
    }

    /// What no hash of the ledger shows is said to be so, wherever the block stands.
    fn not_provable(&mut self, proof: Result<Bundle, ProveError>, wanted: &Wanted<'_>) {
        match proof {
            Err(ProveError::NotProvable { .. }) => self.counts.not_provable += 1,
            Err(ProveError::NotIndexed { .. }) => self.counts.not_indexed += 1,
            Ok(_) => panic!("proven, though no hash shows it"),
            refused => _ = self.given(refused, wanted),
        }
    }

    /// What is held and not kept is not said to be missing.
    fn not_indexed(&mut self, proof: Result<Bundle, ProveError>) {
        match proof {
            Err(ProveError::NotIndexed { .. }) => self.counts.not_indexed += 1,
            Err(other) => panic!("not kept, and answered: {other}"),
            Ok(_) => panic!("not kept, and proven all the same"),
        }
    }

    /// A proof that must be there exactly where the block stands. Gives what it has shown.
    fn given(&mut self, proof: Result<Bundle, ProveError>, wanted: &Wanted<'_>) -> Option<Facts> {
        let bundle = match proof {
            Ok(bundle) => bundle,
            Err(refused) => {
                assert!(!wanted.stands, "no proof of block {}: {refused}", wanted.number);
                let expected = matches!(
                    refused,
                    ProveError::NotAnchored { .. }
                        | ProveError::BeforeStart { .. }
                        | ProveError::NothingPublished
                );
                assert!(expected, "{refused}");
                return None;
            }
        };
        assert!(wanted.stands, "a proof under a SuperRoot that has no such block");
        let facts = self.verified(&bundle, wanted.at);
        assert_eq!(facts.block_hash, Some(wanted.row.hash));
        assert_eq!(facts.statement.number, wanted.number);
        Some(facts)
    }

    /// What a client sees of a proof that came as bytes, and as JSON.
    fn verified(&mut self, bundle: &Bundle, at: Option<SuperRootRef>) -> Facts {
        let read = Bundle::decode(&bundle.encode()).unwrap();
        assert_eq!(read, *bundle);
        let policy = Policy::strict(registry().proof_registry());
        let stranger = Policy {
            registry: superroot_chain::ChainRegistry::builtin().proof_registry(),
            accept_opened_rows: true,
        };
        let facts = match self.trusted(at) {
            None => {
                self.counts.pending += 1;
                let facts = verify(&read, &policy).unwrap();
                assert_eq!(facts.level, ProofLevel::Block);
                facts
            }
            Some(trusted) => {
                self.counts.anchored += 1;
                verify_anchored(&read, &stranger, &trusted).unwrap();
                let mut other = trusted;
                other.0[0] ^= 1;
                assert!(verify_anchored(&read, &policy, &other).is_err(), "another SuperRoot");
                verify_anchored(&read, &policy, &trusted).unwrap()
            }
        };
        let facts = facts.into_inner();
        let body = superroot_wire::proof::render(&read, &facts, superroot_wire::proof::Shape::V5);
        let text = body.to_string();
        let parsed = superroot_wire::parse_json(text.as_bytes()).unwrap();
        assert_eq!(superroot_wire::proof::parse(&parsed).unwrap(), *bundle);
        superroot_wire::proof::compare(&parsed, &read, &facts).unwrap();
        facts
    }

    /// The SuperRoot hash that the client holds, by its own reading of the log.
    fn trusted(&self, at: Option<SuperRootRef>) -> Option<Hash> {
        match at? {
            SuperRootRef::Latest => self.log.hashes.last().copied(),
            SuperRootRef::Sequence(sequence) => self.log.hashes.get(sequence.0 as usize).copied(),
            SuperRootRef::Hash(hash) => Some(hash),
        }
    }
}

fn some_index(block: &Block, dice: &mut Dice) -> Option<u32> {
    let count = block.transaction_leaves.len() as u64;
    (count > 0).then(|| dice.below(count) as u32)
}
