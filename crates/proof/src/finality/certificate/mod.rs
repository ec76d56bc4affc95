//! Kind 13, *certificate*: a subnet of the Internet Computer signs the hash of a ledger's newest block.
//!
//! ```text
//! root key ──signs──► subnet key and its canisters ──signs──► state tree ──► certified data of the ledger = block hash
//! ```
//! There is no set to pin: the root key is the client's own, and never changes. Evidence is the certificate in CBOR. It
//! does not expire, and binds the hash alone.
//!
//! Source: the interface specification, "Certification" and "Canister ranges".

mod cbor;
mod principal;
mod set;
mod signed;

pub use cbor::{read_cbor, take_bytes, take_member, write_cbor};
pub use principal::{NoPrincipal, Principal};
pub use set::{CertificateParams, CertificateSet};
pub use signed::{
    CERTIFICATE_BYTES_MAX, CertificateError, Certified, KEY_PREFIX, SIGNED_PREFIX,
    check_certificate,
};
