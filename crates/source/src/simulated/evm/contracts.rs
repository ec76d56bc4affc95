//! Contracts in a simulated state, with proofs. A simulated chain keeps no other state.

use std::collections::BTreeMap;

use alloy_primitives::{B256, U256};
use alloy_trie::proof::ProofRetainer;
use alloy_trie::{HashBuilder, Nibbles, TrieAccount};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::StateNodes;
use superroot_types::{Address, Hash};

/// Contract with code and storage.
#[derive(Clone, Debug, Default)]
pub(super) struct SimulatedContract {
    pub(super) code: Vec<u8>,
    /// Words by slot, none of them zero.
    pub(super) storage: BTreeMap<Hash, Hash>,
}

/// State with some contracts only.
#[derive(Clone, Debug, Default)]
pub(super) struct ContractState(pub(super) BTreeMap<Address, SimulatedContract>);

impl ContractState {
    pub(super) fn root(&self) -> Hash {
        trie(self.accounts(), None).0
    }

    /// Nodes down to an account, or to where the account would be.
    pub(super) fn account(&self, address: &Address) -> StateNodes {
        trie(self.accounts(), Some(keccak256(&address.0))).1
    }

    /// Nodes down to a slot of a contract.
    pub(super) fn word(&self, address: &Address, slot: &Hash) -> StateNodes {
        let storage = self.0.get(address).map(|contract| leaves(&contract.storage));
        trie(storage.unwrap_or_default(), Some(keccak256(&slot.0))).1
    }

    fn accounts(&self) -> BTreeMap<Hash, Vec<u8>> {
        let account = |(address, contract): (&Address, &SimulatedContract)| {
            let account = TrieAccount {
                nonce: 1,
                balance: U256::ZERO,
                storage_root: B256::from(trie(leaves(&contract.storage), None).0.0),
                code_hash: B256::from(keccak256(&contract.code).0),
            };
            (keccak256(&address.0), alloy_rlp::encode(account))
        };
        self.0.iter().map(account).collect()
    }
}

fn leaves(storage: &BTreeMap<Hash, Hash>) -> BTreeMap<Hash, Vec<u8>> {
    let leaf = |(slot, word): (&Hash, &Hash)| {
        (keccak256(&slot.0), alloy_rlp::encode(U256::from_be_bytes(word.0)))
    };
    storage.iter().map(leaf).collect()
}

/// Root of a trie, and the nodes down to a key.
fn trie(leaves: BTreeMap<Hash, Vec<u8>>, key: Option<Hash>) -> (Hash, StateNodes) {
    let target = key.map(|key| Nibbles::unpack(B256::from(key.0)));
    let mut builder = HashBuilder::default()
        .with_proof_retainer(ProofRetainer::new(target.into_iter().collect()));
    for (key, leaf) in leaves {
        builder.add_leaf(Nibbles::unpack(B256::from(key.0)), &leaf);
    }
    let root = Hash(builder.root().0);
    let nodes = builder.take_proof_nodes().into_nodes_sorted();
    let nodes = nodes.into_iter().map(|(_, node)| node.to_vec()).collect();
    (root, StateNodes(nodes))
}
