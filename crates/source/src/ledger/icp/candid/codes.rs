//! Codes of types, and hashes of names.

/// Prefix of every message.
pub(super) const MAGIC: &[u8] = b"DIDL";

pub(super) const NAT64: i64 = -8;
pub(super) const NAT8: i64 = -5;
pub(super) const TEXT: i64 = -15;
pub(super) const OPT: i64 = -18;
pub(super) const VEC: i64 = -19;
pub(super) const RECORD: i64 = -20;
pub(super) const VARIANT: i64 = -21;
pub(super) const FUNC: i64 = -22;
pub(super) const SERVICE: i64 = -23;
pub(super) const PRINCIPAL: i64 = -24;

pub(crate) fn name_hash(name: &str) -> u32 {
    name.bytes().fold(0, |hash: u32, byte| hash.wrapping_mul(223).wrapping_add(byte.into()))
}
