//! System limits: file descriptors and file permissions.

use rustix::fs::Mode;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit, umask};

/// Fewest descriptors reserved for store, nodes and webhooks. The reserve is a quarter, within bounds.
const KEPT_MIN: u64 = 64;
const KEPT_MAX: u64 = 1_024;

/// Makes new files and folders private, because accounts are among them.
pub(crate) fn keep_private() {
    umask(Mode::RWXG | Mode::RWXO);
}

/// Raises the soft descriptor limit to the hard limit, and returns the possible number of connections, at most
/// `wanted`.
pub(crate) fn connections(wanted: usize) -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_ok();
    // no limit is given as none
    let descriptors = if raised { maximum } else { current }.unwrap_or(u64::MAX);
    let most = enough_for(descriptors, wanted);
    if most < wanted {
        tracing::info!(
            descriptors,
            "at most {most} connections at one time, not {wanted}: raise the limit of open files (LimitNOFILE) for more"
        );
    }
    most
}

fn enough_for(descriptors: u64, wanted: usize) -> usize {
    let kept = (descriptors / 4).clamp(KEPT_MIN, KEPT_MAX);
    let left = usize::try_from(descriptors.saturating_sub(kept)).unwrap_or(usize::MAX);
    wanted.min(left).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_descriptors_are_kept() {
        for (descriptors, most) in
            [(u64::MAX, 20_000), (20_000, 18_976), (1_024, 768), (256, 192), (10, 1)]
        {
            assert_eq!(enough_for(descriptors, 20_000), most, "{descriptors}");
        }
    }
}
