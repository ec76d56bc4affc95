//! Following a log from a SuperRoot that is trusted, in memory that does not grow with the step.

use superroot_proof::consistency::{Appending, ConsistencyError};
use superroot_proof::superroot::SuperRoot;
use superroot_types::Hash;
use superroot_wire::parse_json;
use superroot_wire::superroot::{Strength, TWIGS_MAX, parse_consistency, parse_twig_page};

use crate::{Client, ClientError};

/// Most twigs of one step: more than all chains seal in a lifetime.
const STEP_TWIGS_MAX: u64 = 1 << 27;

impl Client {
    /// Shows by full consistency that this log's SuperRoot `to` extends the one that is trusted; the
    /// appended twigs come in pages, each checked against running peaks. `progress` is told how many
    /// twigs came, and of how many.
    ///
    /// Whether the SuperRoot that comes back is to be followed is not shown by it: only a note of the
    /// log's key says that.
    ///
    /// # Errors
    /// [`ClientError::Inconsistent`] where it does not extend; as every method that fetches.
    pub async fn follow(
        &self,
        (from, trusted): (u64, Hash),
        to: u64,
        progress: impl FnMut(u64, u64),
    ) -> Result<SuperRoot, ClientError> {
        let body = parse_json(&self.fetch_consistency(from, to, Strength::Full).await?)?;
        let (answer, _) = parse_consistency(&body)?;
        let later = *answer.proof.to();
        if answer.proof.strength() != Strength::Full || later.sequence != to {
            let got = format!("{} up to SuperRoot {}", answer.proof.strength(), later.sequence);
            return Err(ClientError::AnotherAnswer { got });
        }
        let mut appending = answer.begin(&trusted, &later.hash())?;
        self.fetch_appended(to, &mut appending, progress).await?;
        appending.finish()?;
        Ok(later)
    }

    /// Fetches the twigs that are due under that SuperRoot, page by page, and takes them.
    ///
    /// # Errors
    /// As [`Client::follow`].
    pub async fn fetch_appended(
        &self,
        sequence: u64,
        appending: &mut Appending,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<(), ClientError> {
        let all = appending.taken().saturating_add(appending.missing());
        if all > STEP_TWIGS_MAX {
            return Err(ConsistencyError::Appended { position: STEP_TWIGS_MAX }.into());
        }
        while let Some((family, due)) = appending.due() {
            let count = due.end.saturating_sub(due.start).min(TWIGS_MAX as u64);
            let page = self.fetch_twigs(family, due.start, count, sequence).await?;
            let page = parse_twig_page(&parse_json(&page)?)?;
            if (page.family, page.from) != (family, due.start) || page.twigs.is_empty() {
                let got = format!("twigs of {} from leaf {}", page.family, page.from);
                return Err(ClientError::AnotherAnswer { got });
            }
            appending.take_all(&page.twigs)?;
            progress(appending.taken(), all);
        }
        Ok(())
    }
}
