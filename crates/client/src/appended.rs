//! Twig pages: fetches the twigs due for an audit in constant memory.

use superroot_proof::consistency::{Appending, ConsistencyError};
use superroot_types::Hash;
use superroot_wire::parse_json;
use superroot_wire::superroot::{TWIGS_MAX, parse_twig_page};

use crate::{Client, ClientError};

/// Most twigs in one step: more than all chains seal in a lifetime.
const STEP_TWIGS_MAX: u64 = 1 << 27;

impl Client {
    /// Fetches the twigs due under a SuperRoot, page by page, and applies them; `told` receives the count received and
    /// the total.
    ///
    /// # Errors
    /// [`ClientError::Inconsistent`] for a twig other than the one due; as every fetch method.
    pub(crate) async fn fetch_appended(
        &self,
        under: &Hash,
        appending: &mut Appending,
        told: impl Fn(u64, u64),
    ) -> Result<(), ClientError> {
        let all = appending.missing();
        if all > STEP_TWIGS_MAX {
            return Err(ConsistencyError::Appended { position: STEP_TWIGS_MAX }.into());
        }
        while let Some((family, due)) = appending.due() {
            let from = due.start.0;
            let count = due.end.0.saturating_sub(from).min(TWIGS_MAX as u64);
            let page = self.fetch_twigs(family, from, count, under).await?;
            let page = parse_twig_page(&parse_json(&page)?)?;
            if (page.family, page.from) != (family, from) || page.twigs.is_empty() {
                let got = format!("twigs of {} from leaf {}", page.family, page.from);
                return Err(ClientError::AnotherAnswer { got });
            }
            appending.take_all(&page.twigs)?;
            told(appending.taken(), all);
        }
        Ok(())
    }
}
