//! Query parameters of several routes. A feature may define its own next to its routes.

#[cfg_attr(not(test), expect(dead_code, reason = "the documents are made of it, in tests"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RouteParameter {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Pattern for all values; empty for an integer.
    pub(crate) pattern: &'static str,
    pub(crate) is_required: bool,
}

impl RouteParameter {
    /// Text with a pattern.
    pub(crate) const fn text(
        name: &'static str,
        about: &'static str,
        pattern: &'static str,
    ) -> Self {
        Self { name, about, pattern, is_required: false }
    }

    /// Decimal integer.
    pub(crate) const fn integer(name: &'static str, about: &'static str) -> Self {
        Self { name, about, pattern: "", is_required: false }
    }

    /// Marks a required parameter.
    pub(crate) const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }
}

pub(crate) const HASH: &str = "^0x[0-9a-fA-F]{64}$";

/// SuperRoot for a proof, by hash.
pub(crate) const ROOT: RouteParameter =
    RouteParameter::text("root", "SuperRoot hash: 0x and 64 hex digits", HASH);
/// SuperRoot for a proof, by sequence.
pub(crate) const SEQUENCE: RouteParameter =
    RouteParameter::integer("sequence", "Sequence of a SuperRoot");
/// Signatures on the SuperRoot.
pub(crate) const NOTE: RouteParameter = RouteParameter::text(
    "note",
    "1: with the log's newest signed note, and the SuperRoot's path in it",
    "^[01]$",
);
/// Evidence of finality that a client checks.
pub(crate) const EVIDENCE: RouteParameter = RouteParameter::text(
    "evidence",
    "1: with evidence of finality that you check yourself",
    "^[01]$",
);
/// Least finality of a proof's block.
pub(crate) const FINALITY: RouteParameter = RouteParameter::text(
    "finality",
    "Least finality of the block; consensus comes with its evidence",
    "^(node_quorum|l1_anchored|consensus)$",
);
/// The client's own set of signers.
pub(crate) const SET: RouteParameter = RouteParameter::integer(
    "set",
    "With evidence: the set that you trust, for the steps from there",
);
/// Waiting time for a proof.
pub(crate) const WAIT: RouteParameter = RouteParameter::integer(
    "wait",
    "Seconds, 0 to 15, to wait for what is not held, final or anchored yet",
);
/// Waiting time for a change.
pub(crate) const WAIT_FOR_CHANGE: RouteParameter = RouteParameter::integer(
    "wait",
    "Seconds, 0 to 15, to wait until it is seen, or until it changes where it is not terminal",
);
/// Longest waiting time for a proof in seconds.
pub(crate) const WAIT_SECONDS_MAX: u64 = 15;
/// Proof level.
pub(crate) const LEVEL: RouteParameter =
    RouteParameter::text("level", "Highest level, 1 to 5; 1 and 2 need no SuperRoot", "^[1-5]$");
