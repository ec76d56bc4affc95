//! Feed stage as a runner stage.

use std::sync::Arc;
use std::time::Duration;

use superroot_store::Store;
use superroot_store::feed::{Feed, FeedStage, Follower, StageProgress};
use superroot_types::UnixSeconds;

use super::{BlockingStage, Runner, StageFailure, StageName};

/// Poll interval for an idle feed.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

struct Derived<S: FeedStage> {
    name: StageName,
    store: Arc<dyn Store>,
    follower: Follower<S>,
    failure: fn(S::Error) -> StageFailure,
    /// Store commit count after which nothing was new; no work until the next commit.
    idle_at: Option<u64>,
}

impl<S: FeedStage + Send + 'static> BlockingStage for Derived<S> {
    fn name(&self) -> StageName {
        self.name
    }

    fn step(&mut self, _: UnixSeconds) -> Result<Duration, StageFailure> {
        let commits = self.store.commit_count();
        if self.idle_at == Some(commits) {
            return Ok(POLL_INTERVAL);
        }
        match self.follower.step().map_err(self.failure)? {
            StageProgress::Idle => {
                self.idle_at = Some(commits);
                Ok(POLL_INTERVAL)
            }
            StageProgress::Advanced { .. } | StageProgress::Rebuilt { .. } => Ok(Duration::ZERO),
        }
    }
}

impl Runner {
    /// Runs a stage derived from a feed. `failure` classifies errors. An error from a dead store lasts: the store has
    /// to be reopened.
    pub(crate) fn derived<S: FeedStage + Send + 'static>(
        &mut self,
        name: StageName,
        (store, feed): (Arc<dyn Store>, Feed),
        stage: S,
        failure: fn(S::Error) -> StageFailure,
    ) {
        let follower = Follower::new(store.clone(), feed, stage);
        self.work(Derived { name, store, follower, failure, idle_at: None });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use superroot_store::feed::{FeedChange, put_publication};
    use superroot_store::{MemoryStore, StoreError, WriteBatch};
    use superroot_types::{Hash, Sequence};
    use tokio_util::sync::CancellationToken;

    use super::*;

    /// Remembers the sequences that it was given.
    struct Sequences(Arc<Mutex<Vec<u64>>>);

    impl FeedStage for Sequences {
        type Error = StoreError;

        fn name(&self) -> &'static str {
            "sequences"
        }

        fn apply(
            &mut self,
            _: &dyn Store,
            _: Feed,
            changes: &[FeedChange],
            _: &mut WriteBatch,
        ) -> Result<(), StoreError> {
            let published = changes.iter().filter_map(|change| match change {
                FeedChange::Published { sequence, .. } => Some(sequence.0),
                _ => None,
            });
            self.0.lock().unwrap().extend(published);
            Ok(())
        }

        fn clear(
            &mut self,
            _: &dyn Store,
            _: Feed,
            _: &mut WriteBatch,
        ) -> Result<bool, StoreError> {
            Ok(true)
        }
    }

    /// What is published is taken as it comes, and once, also by a runner that begins later.
    #[tokio::test(start_paused = true)]
    async fn a_derived_stage_follows_its_feed_and_goes_on_where_it_was() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let publish = |sequence| {
            let mut batch = WriteBatch::new();
            put_publication(&mut batch, sequence, &Hash::ZERO);
            store.commit(batch).unwrap();
        };
        let seen = Arc::new(Mutex::new(Vec::new()));
        publish(Sequence(0));
        for sequence in 1..4 {
            let mut runner = Runner::new(CancellationToken::new());
            let on = (store.clone(), Feed::Publications);
            let stage = Sequences(seen.clone());
            runner.derived(StageName::Publish, on, stage, StageFailure::of_store);
            tokio::time::sleep(Duration::from_secs(1)).await;
            publish(Sequence(sequence));
            tokio::time::sleep(Duration::from_secs(1)).await;
            runner.stop(Duration::from_secs(1)).await;
        }
        assert_eq!(*seen.lock().unwrap(), [0, 1, 2, 3]);
    }
}
