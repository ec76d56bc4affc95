//! Ethereum's part: a signed block, and an earlier block's state.

use alloc::string::String;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, Hash, UnixSeconds};

use super::params::AnchorParams;
use crate::codec::{ByteReader, put_long};
use crate::finality::beacon::BeaconSet;
use crate::finality::rules::SetRules;
use crate::finality::verdict::Stop;
use crate::finality::{LinkHeaders, Refusal};
use crate::ledger::evm;
use crate::registry::HashRule;

/// A final state of Ethereum.
pub(super) struct EthereumState {
    pub(super) number: BlockNumber,
    pub(super) state_root: Hash,
    /// Time of the committee's signature.
    pub(super) at: Option<UnixSeconds>,
    /// Signers, in words.
    pub(super) by: String,
}

/// Block of Ethereum with a committee's signature, and the headers down to the state's own:
/// `number:u64 ‖ hash:32 ‖ length:u32 ‖ body of kind 10 ‖ length:u32 ‖ link`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EthereumPart {
    /// The signed block.
    pub block: (BlockNumber, Hash),
    /// The evidence's body.
    pub signed: Vec<u8>,
    /// Headers from the block down to the state.
    pub link: LinkHeaders,
}

impl EthereumPart {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.block.0.0.to_be_bytes());
        out.extend_from_slice(&self.block.1.0);
        put_long(out, &self.signed);
        put_long(out, &self.link.encode());
    }

    pub(super) fn read(reader: &mut ByteReader<'_>) -> Option<Self> {
        let block = (BlockNumber(reader.u64()?), reader.hash()?);
        let signed = reader.long()?.to_vec();
        Some(Self { block, signed, link: LinkHeaders::decode(reader.long()?)? })
    }

    /// Signing committee, unchecked.
    pub(super) fn signer(&self, params: &AnchorParams) -> Option<u64> {
        BeaconSet::signer_of(&params.beacon, self.block.0, &self.signed)
    }

    pub(super) fn check(
        &self,
        params: &AnchorParams,
        set: &BeaconSet,
        now: UnixSeconds,
    ) -> Result<EthereumState, Stop> {
        let signed = set.check(&params.beacon, self.block, &self.signed, now)?;
        let (below, _) = self.link.follow(params.ethereum_rule, 0, self.block)?;
        let unread = Refusal::Encoding { part: "header of Ethereum" };
        let HashRule::Evm(layout) = params.ethereum_rule else { return Err(unread.into()) };
        let header = self.link.headers.last().ok_or(unread)?;
        let header = evm::Header::decode(layout, &header.header).map_err(|_| unread)?;
        // the committee signs a hash; the number is the header's
        if header.number.checked_sub(1) != Some(below.0) {
            let (got, expected) =
                (BlockNumber(header.number), BlockNumber(below.0.saturating_add(1)));
            return Err(Refusal::Number { got, expected }.into());
        }
        Ok(EthereumState {
            number: BlockNumber(header.number),
            state_root: header.state_root,
            at: signed.at,
            by: signed.by,
        })
    }
}
