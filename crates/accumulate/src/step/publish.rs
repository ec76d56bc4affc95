//! Rows of a new SuperRoot.

use superroot_proof::superroot::{SuperRoot, SuperRootHistory, build_tree};
use superroot_proof::twig::twig_leaf;
use superroot_store::layout::MiniMmrLeafRow;
use superroot_store::{Table, feed, write};
use superroot_types::{Family, LogSize};

use super::{Accumulator, SuperRootDraft, SuperRootTerms};
use crate::AccumulateError;
use crate::nodes::{GrowingRange, NodeRange};
use crate::open_twig::SealedTwigs;
use crate::record::{Published, encode_registry, log_size};
use crate::recorded::HEAD;

impl Accumulator {
    /// Puts all data of the new SuperRoot into the draft's batch.
    pub(crate) fn publish_into(
        &self,
        draft: &mut SuperRootDraft,
        before: Option<&Published>,
        terms: &SuperRootTerms<'_>,
    ) -> Result<Published, AccumulateError> {
        let earlier = log_size(before.map(|before| &before.super_root))?;
        let sequence = earlier.next();
        let &SuperRootTerms { registry, timestamp, note } = terms;
        let expected = before.map(|before| before.super_root.sequence.0.to_be_bytes());
        let expected = expected.as_ref().map(<[u8; 8]>::as_slice);
        draft.sealed.sort_unstable_by_key(|run| (run.chain, run.indexes.start));
        for family in Family::ALL {
            self.append_twigs(family, draft, expected)?;
        }
        let (history, nodes) = self.append_history(before, earlier)?;
        let registry_root = registry.root();
        let tree = build_tree(&draft.mini_mmrs, &draft.references, &history, registry_root);
        let log_id = self.log_id;
        let super_root = SuperRoot { log_id, sequence, timestamp, tree_root: tree.root() };
        let published = Published {
            super_root,
            hash: super_root.hash(),
            mini_mmrs: draft.mini_mmrs,
            references: std::mem::take(&mut draft.references),
            history,
            registry_root,
        };
        draft.batch.expect(Table::Meta, HEAD, expected).put(
            Table::Meta,
            HEAD,
            sequence.0.to_be_bytes(),
        );
        match note {
            Some(note) => {
                let size = log_size(Some(&super_root))?;
                write::put_note(&mut draft.batch, size, note);
            }
            None => self.put_note(&mut draft.batch, nodes.clone(), &super_root)?,
        }
        if let Some(signer) = &self.evm_signer {
            signer.put(&mut draft.batch, &super_root)?;
        }
        nodes.put_into(&mut draft.batch);
        write::put_super_root(&mut draft.batch, sequence, &published.hash, published.encode());
        feed::put_publication(&mut draft.batch, sequence, &published.hash);
        if before.is_none_or(|before| before.registry_root != registry_root) {
            let bytes = encode_registry(registry);
            write::put_registry(&mut draft.batch, &registry_root, bytes);
        }
        Ok(published)
    }

    /// Appends a family's sealed twigs to its Mini-MMR. Many twigs are written before the SuperRoot: no row refers to
    /// them until the SuperRoot exists, and another SuperRoot at their positions overwrites them.
    fn append_twigs(
        &self,
        family: Family,
        draft: &mut SuperRootDraft,
        expected: Option<&[u8]>,
    ) -> Result<(), AccumulateError> {
        let Some(mini_mmr) = draft.mini_mmrs.get_mut(usize::from(family.byte())) else {
            return Ok(());
        };
        let runs = draft.sealed.iter().filter(|run| run.chain.family == family);
        let mut written = 0;
        let mut nodes = GrowingRange::over(NodeRange::MiniMmr(family), &*self.store);
        for (run, twig_index) in runs.flat_map(|run| run.indexes().map(move |at| (run, at))) {
            let &SealedTwigs { chain, root: twig_root, .. } = run;
            if written == self.twigs_at_once {
                let added = std::mem::replace(
                    &mut nodes,
                    GrowingRange::over(NodeRange::MiniMmr(family), &*self.store),
                );
                added.put_into(&mut draft.batch);
                draft.batch.expect(Table::Meta, HEAD, expected);
                let batch = std::mem::take(&mut draft.batch);
                self.store.commit(batch).map_err(AccumulateError::commit)?;
                written = 0;
            }
            let leaf_index = mini_mmr.leaf_count.end();
            let leaf = twig_leaf(chain, twig_index, &twig_root);
            mini_mmr.leaf_count = nodes.append(mini_mmr.leaf_count, leaf)?;
            let row = MiniMmrLeafRow { chain_id: chain.id, twig_index, twig_root };
            write::put_mini_mmr_leaf(&mut draft.batch, family, leaf_index, &row);
            if let Some(nodes) = &run.nodes {
                write::put_twig_nodes(&mut draft.batch, chain, twig_index, nodes);
            }
            written += 1;
        }
        if written > 0 {
            mini_mmr.range_root = nodes.root(mini_mmr.leaf_count)?;
            nodes.put_into(&mut draft.batch);
        }
        Ok(())
    }

    /// Appends the previous SuperRoot to the history of the new one.
    fn append_history(
        &self,
        before: Option<&Published>,
        earlier: LogSize,
    ) -> Result<(SuperRootHistory, GrowingRange<'_>), AccumulateError> {
        let mut nodes = GrowingRange::over(NodeRange::History, &*self.store);
        if let Some(before) = before {
            let leaf = SuperRootHistory::leaf(&before.super_root);
            nodes.append(before.super_root.sequence.history(), leaf)?;
        }
        let leaf_count = earlier.leaf_count();
        let log_root = nodes.root(leaf_count)?;
        Ok((SuperRootHistory { leaf_count, log_root }, nodes))
    }
}
