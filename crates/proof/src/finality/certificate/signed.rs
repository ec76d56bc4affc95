//! Certificates: a hash tree with a root signed by a subnet.

use alloc::vec::Vec;

use ciborium::Value;
use ic_certification::{HashTree, LookupResult, empty, fork, label, leaf, pruned};
use ic_verify_bls_signature::verify_bls_signature;

use super::cbor::{read_cbor, take_bytes, take_member};
use super::principal::Principal;

/// Longest certificate, in bytes.
pub const CERTIFICATE_BYTES_MAX: usize = 65_536;
/// SetSignature prefix before the tree root.
pub const SIGNED_PREFIX: &[u8] = b"\x0dic-state-root";
/// DER prefix of a subnet key: algorithm and curve.
pub const KEY_PREFIX: [u8; 37] = [
    0x30, 0x81, 0x82, 0x30, 0x1d, 0x06, 0x0d, 0x2b, 0x06, 0x01, 0x04, 0x01, 0x82, 0xdc, 0x7c, 0x05,
    0x03, 0x01, 0x02, 0x01, 0x06, 0x0c, 0x2b, 0x06, 0x01, 0x04, 0x01, 0x82, 0xdc, 0x7c, 0x05, 0x03,
    0x02, 0x01, 0x03, 0x61, 0x00,
];

/// Reason why a certificate is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// Part is unreadable.
    #[error("{field} cannot be read")]
    Malformed {
        /// Part.
        field: &'static str,
    },
    /// Value is missing from the tree.
    #[error("its tree does not show {what}")]
    NotShown {
        /// Value.
        what: &'static str,
    },
    /// Signature does not match the key.
    #[error("the signature of the {whose} is not that of its key")]
    Signature {
        /// `certificate` or `delegation`.
        whose: &'static str,
    },
    /// Signing subnet has other canisters.
    #[error("the subnet that signed it has no canister {canister}")]
    OtherCanisters {
        /// The canister that was asked for.
        canister: Principal,
    },
    /// Certificate is too old, or from the future.
    #[error("it is of {got_nanos} ns, expected within {within_nanos} ns of {now_nanos} ns")]
    Time {
        /// Certificate time, in nanoseconds since 1970.
        got_nanos: u64,
        /// Current time, in nanoseconds since 1970.
        now_nanos: u64,
        /// Largest allowed difference.
        within_nanos: u64,
    },
}

/// State tree with a checked signature.
#[derive(Clone, Debug)]
pub struct Certified {
    tree: HashTree,
    /// Certificate time, in nanoseconds since 1970.
    pub time_nanos: u64,
    /// The signing subnet's canister ranges; `None` for the root key.
    ranges: Option<Vec<Range>>,
}

/// First and last canister of a range.
type Range = (Vec<u8>, Vec<u8>);

/// Checks the signatures of a certificate: by the root key, or by a subnet key delegated by the root key.
///
/// # Errors
/// [`CertificateError::Malformed`], [`CertificateError::NotShown`], [`CertificateError::Signature`].
pub fn check_certificate(bytes: &[u8], root_key: &[u8; 96]) -> Result<Certified, CertificateError> {
    let certificate = read(bytes, "certificate")?;
    let Some(delegation) = &certificate.delegation else {
        check_signature(&certificate, root_key, "certificate")?;
        let time_nanos = time_of(&certificate.tree)?;
        return Ok(Certified { tree: certificate.tree, time_nanos, ranges: None });
    };
    let given = read(&delegation.certificate, "delegation")?;
    if given.delegation.is_some() {
        return Err(CertificateError::Malformed { field: "delegation of a delegation" });
    }
    check_signature(&given, root_key, "delegation")?;
    let subnet = delegation.subnet.as_slice();
    let key =
        value_at(&given.tree, &[b"subnet", subnet, b"public_key"], "the subnet's public key")?;
    let key = key.strip_prefix(&KEY_PREFIX).and_then(|key| key.try_into().ok());
    let key = key.ok_or(CertificateError::Malformed { field: "the subnet's public key" })?;
    check_signature(&certificate, key, "certificate")?;
    let ranges = Some(ranges_of(&given.tree, subnet)?);
    let time_nanos = time_of(&certificate.tree)?;
    Ok(Certified { tree: certificate.tree, time_nanos, ranges })
}

impl Certified {
    /// Checks that the certificate time is close to the current time.
    ///
    /// # Errors
    /// [`CertificateError::Time`].
    pub const fn check_time(
        &self,
        now_nanos: u64,
        within_nanos: u64,
    ) -> Result<(), CertificateError> {
        let got_nanos = self.time_nanos;
        if got_nanos.abs_diff(now_nanos) <= within_nanos {
            return Ok(());
        }
        Err(CertificateError::Time { got_nanos, now_nanos, within_nanos })
    }

    /// A canister's certified data: at most 32 bytes.
    ///
    /// # Errors
    /// [`CertificateError::OtherCanisters`] for a canister outside the signing subnet, [`CertificateError::NotShown`].
    pub fn data_of(&self, canister: &Principal) -> Result<&[u8], CertificateError> {
        let id = canister.as_slice();
        let is_within = |(first, last): &Range| first.as_slice() <= id && id <= last.as_slice();
        if self.ranges.as_ref().is_some_and(|ranges| !ranges.iter().any(is_within)) {
            return Err(CertificateError::OtherCanisters { canister: canister.clone() });
        }
        value_at(&self.tree, &[b"canister", id, b"certified_data"], "the canister's certified data")
    }
}

struct WrittenCertificate {
    tree: HashTree,
    signature: Vec<u8>,
    delegation: Option<Delegation>,
}

/// Signing subnet, with a certificate of the subnet key.
struct Delegation {
    subnet: Vec<u8>,
    certificate: Vec<u8>,
}

fn read(bytes: &[u8], field: &'static str) -> Result<WrittenCertificate, CertificateError> {
    let within = Some(bytes).filter(|bytes| bytes.len() <= CERTIFICATE_BYTES_MAX);
    within.and_then(read_written).ok_or(CertificateError::Malformed { field })
}

fn read_written(bytes: &[u8]) -> Option<WrittenCertificate> {
    let mut map = read_cbor(bytes)?;
    let tree = read_tree(take_member(&mut map, "tree")?)?;
    let signature = take_bytes(&mut map, "signature")?;
    let delegation = match take_member(&mut map, "delegation") {
        None => None,
        Some(mut delegation) => Some(Delegation {
            subnet: take_bytes(&mut delegation, "subnet_id")?,
            certificate: take_bytes(&mut delegation, "certificate")?,
        }),
    };
    // nothing may be there that was not read
    let is_all = matches!(map, Value::Map(rest) if rest.is_empty());
    is_all.then_some(WrittenCertificate { tree, signature, delegation })
}

/// `[0]` empty, `[1, left, right]` a fork, `[2, label, node]`, `[3, leaf]`, `[4, hash]` of what is hidden.
fn read_tree(value: Value) -> Option<HashTree> {
    let parts = value.into_array().ok()?;
    let mut parts = parts.into_iter();
    let kind = parts.next()?.into_integer().ok()?;
    let tree = match u8::try_from(kind).ok()? {
        0 => empty(),
        1 => fork(read_tree(parts.next()?)?, read_tree(parts.next()?)?),
        2 => label(parts.next()?.into_bytes().ok()?, read_tree(parts.next()?)?),
        3 => leaf(parts.next()?.into_bytes().ok()?),
        4 => pruned(<[u8; 32]>::try_from(parts.next()?.into_bytes().ok()?).ok()?),
        _ => return None,
    };
    parts.next().is_none().then_some(tree)
}

fn check_signature(
    certificate: &WrittenCertificate,
    key: &[u8; 96],
    whose: &'static str,
) -> Result<(), CertificateError> {
    let message = [SIGNED_PREFIX, &certificate.tree.digest()].concat();
    let verified = verify_bls_signature(&certificate.signature, &message, key);
    verified.map_err(|()| CertificateError::Signature { whose })
}

fn value_at<'a>(
    tree: &'a HashTree,
    path: &[&[u8]],
    what: &'static str,
) -> Result<&'a [u8], CertificateError> {
    match tree.lookup_path(path) {
        LookupResult::Found(value) => Ok(value),
        LookupResult::Absent | LookupResult::Unknown | LookupResult::Error => {
            Err(CertificateError::NotShown { what })
        }
    }
}

/// Time in a tree: LEB128, seven bits per byte, lowest first.
fn time_of(tree: &HashTree) -> Result<u64, CertificateError> {
    let bytes = value_at(tree, &[b"time"], "its time")?;
    let mut time = 0_u64;
    for (byte, shift) in bytes.iter().zip((0..64).step_by(7)) {
        time |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
    }
    let is_whole = bytes.len() <= 10 && bytes.last().is_some_and(|last| last & 0x80 == 0);
    if is_whole { Ok(time) } else { Err(CertificateError::Malformed { field: "its time" }) }
}

/// A subnet's canister ranges: one list, or lists by first canister.
fn ranges_of(tree: &HashTree, subnet: &[u8]) -> Result<Vec<Range>, CertificateError> {
    let mut lists = Vec::new();
    if let LookupResult::Found(list) = tree.lookup_path([b"subnet", subnet, b"canister_ranges"]) {
        lists.push(list);
    }
    for path in tree.list_paths() {
        let [kind, of, first] = path.as_slice() else { continue };
        let is_list = kind.as_bytes() == b"canister_ranges" && of.as_bytes() == subnet;
        let path = [kind.as_bytes(), of.as_bytes(), first.as_bytes()];
        if let (true, LookupResult::Found(list)) = (is_list, tree.lookup_path(path)) {
            lists.push(list);
        }
    }
    let mut ranges = Vec::new();
    for list in lists {
        let list = read_cbor(list).and_then(|list| list.into_array().ok());
        let list = list.ok_or(CertificateError::Malformed { field: "canister_ranges" })?;
        for range in list {
            let range = read_range(range);
            ranges.push(range.ok_or(CertificateError::Malformed { field: "canister_ranges" })?);
        }
    }
    Ok(ranges)
}

fn read_range(range: Value) -> Option<Range> {
    let ends: [Value; 2] = range.into_array().ok()?.try_into().ok()?;
    let [first, last] = ends.map(|end| end.into_bytes().ok());
    Some((first?, last?))
}
