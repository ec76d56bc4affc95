//! Evidence body.

use alloc::vec::Vec;

use super::contract::ContractProof;
use super::ethereum::EthereumPart;
use super::params::AnchorForm;
use crate::codec::{ByteReader, put_long};

/// Body: `Ethereum's part ‖ length:u32 ‖ header ‖ proof`, the proof by the contract's kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnchorBody {
    /// Signed state.
    pub ethereum: EthereumPart,
    /// The rollup's header.
    pub header: Vec<u8>,
    /// The contract's proof, in the signed state.
    pub proof: ContractProof,
}

impl AnchorBody {
    /// Bytes, for evidence.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.ethereum.write(&mut out);
        put_long(&mut out, &self.header);
        self.proof.write(&mut out);
        out
    }

    pub(super) fn decode(kind: AnchorForm, body: &[u8]) -> Option<Self> {
        let mut reader = ByteReader::new(body);
        let ethereum = EthereumPart::read(&mut reader)?;
        let header = reader.long()?.to_vec();
        let proof = ContractProof::read(kind, &mut reader)?;
        reader.is_empty().then_some(Self { ethereum, header, proof })
    }
}
