//! Rule-conforming blocks for simulated chains and tests.

use superroot_proof::ledger::tron::{Header, TronTransactionTree};
use superroot_types::{BlockNumber, Hash};

use super::raw::RawTronBlock;
use super::write::MessageWriter;
use crate::error::ChainError;

/// Current header version.
const VERSION: i64 = 32;
/// Contract number and type of TRX transfers.
const TRANSFER: i64 = 1;
const TRANSFER_TYPE: &[u8] = b"type.googleapis.com/protocol.TransferContract";
/// `contractRet` for success.
const SUCCESS: i64 = 1;

#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// Payer: 0x41 and 20 bytes.
    pub owner: [u8; 21],
    pub to: [u8; 21],
    /// Millionths of a TRX.
    pub amount: i64,
    /// Milliseconds since 1970; distinguishes two equal transfers.
    pub timestamp_ms: i64,
    /// Signature, never checked: signatures are a matter of finality.
    pub signature: [u8; 65],
}

impl Transfer {
    /// Complete transaction, in block form.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let transfer = MessageWriter::default().text(1, &self.owner).text(2, &self.to);
        let transfer = transfer.number(3, self.amount).finish();
        let any = MessageWriter::default().text(1, TRANSFER_TYPE).text(2, &transfer).finish();
        let contract = MessageWriter::default().number(1, TRANSFER).bytes(2, &any).finish();
        let raw =
            MessageWriter::default().bytes(11, &contract).number(14, self.timestamp_ms).finish();
        let ret = MessageWriter::default().number(3, SUCCESS).finish();
        let out = MessageWriter::default().bytes(1, &raw).bytes(2, &self.signature).bytes(5, &ret);
        out.finish()
    }
}

/// Block with complete transactions, on top of a parent block id.
///
/// # Errors
/// [`ChainError`] for an invalid transaction.
pub fn block(
    number: BlockNumber,
    parent: Hash,
    timestamp_ms: i64,
    witness: &[u8],
    transactions: Vec<Vec<u8>>,
) -> Result<RawTronBlock, ChainError> {
    let tree = TronTransactionTree::build(transactions.clone());
    let tree = tree.map_err(|(tx_index, source)| {
        ChainError::ledger("transaction", source).within(format_args!("transactions[{tx_index}]"))
    })?;
    let header = MessageWriter::default()
        .number(1, timestamp_ms)
        .text(2, &tree.root().0)
        .text(3, &parent.0)
        .number(7, i64::try_from(number.0).unwrap_or(i64::MAX))
        .text(9, witness)
        .number(10, VERSION)
        .finish();
    let hash = Header::id(number.0, &header);
    let transactions = Some(transactions);
    Ok(RawTronBlock { number, hash, header, signature: None, transactions, run: Vec::new() })
}
