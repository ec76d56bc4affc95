//! Root key as a set.

use alloc::string::String;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, Hash, UnixSeconds};

use super::principal::Principal;
use super::signed::{CertificateError, check_certificate};
use crate::finality::rules::{SetRules, SetSignature};
use crate::finality::verdict::Stop;
use crate::finality::{Refusal, Shortfall};
use crate::hash::sha256_joined;

const KEY_BYTES: usize = 96;
const SECOND: u64 = 1_000_000_000;

/// Constants of a ledger on the Internet Computer: the client's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateParams {
    /// The ledger's canister.
    pub canister: Principal,
}

/// Root key: 96 bytes, a compressed point in the second group of BLS12-381. Its id is its SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CertificateSet {
    root_key: [u8; KEY_BYTES],
}

impl CertificateSet {
    /// A root key's set.
    #[must_use]
    pub const fn new(root_key: [u8; KEY_BYTES]) -> Self {
        Self { root_key }
    }
}

impl SetRules for CertificateSet {
    type Params = CertificateParams;

    fn decode(_: &CertificateParams, bytes: &[u8]) -> Result<Self, Refusal> {
        let root_key = bytes.try_into().map_err(|_| Refusal::Encoding { part: "root key" })?;
        Ok(Self { root_key })
    }

    fn encode(&self) -> Vec<u8> {
        self.root_key.to_vec()
    }

    fn id(&self) -> Hash {
        sha256_joined(&[&self.root_key])
    }

    fn trusted_until(&self, _: &CertificateParams) -> Option<UnixSeconds> {
        None
    }

    fn check(
        &self,
        params: &CertificateParams,
        (_, hash): (BlockNumber, Hash),
        body: &[u8],
        now: UnixSeconds,
    ) -> Result<SetSignature, Stop> {
        let certified = check_certificate(body, &self.root_key).map_err(refused)?;
        let at = UnixSeconds(certified.time_nanos / SECOND);
        if at > now {
            return Err(Shortfall::Early { at }.into());
        }
        let data = certified.data_of(&params.canister).map_err(refused)?;
        match <[u8; 32]>::try_from(data).map(Hash) {
            Ok(got) if got == hash => {
                Ok(SetSignature { at: Some(at), by: String::from("the subnet of the ledger") })
            }
            Ok(got) => Err(Refusal::Block { got, expected: hash }.into()),
            Err(_) => Err(Refusal::Encoding { part: "certified data" }.into()),
        }
    }

    fn advance(&self, _: &CertificateParams, _: &[u8], _: UnixSeconds) -> Result<Self, Stop> {
        Err(Refusal::Order { what: "the root key never changes" }.into())
    }

    fn named_by(_: &CertificateParams, _: &[u8]) -> Option<Self> {
        None
    }

    fn number(&self) -> u64 {
        0
    }

    fn signer_of(_: &CertificateParams, _: BlockNumber, _: &[u8]) -> Option<u64> {
        Some(0)
    }
}

fn refused(error: CertificateError) -> Refusal {
    match error {
        CertificateError::Malformed { field } => Refusal::Encoding { part: field },
        CertificateError::NotShown { what } => Refusal::Branch { part: what },
        CertificateError::Signature { .. } => Refusal::Signature,
        CertificateError::OtherCanisters { .. } => Refusal::Branch { part: "the canister" },
        CertificateError::Time { .. } => Refusal::Order { what: "its time" },
    }
}
