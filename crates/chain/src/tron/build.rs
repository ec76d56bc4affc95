//! Blocks made by the rules, for simulated chains and tests.

use superroot_proof::ledger::tron::{Header, TransactionTree};
use superroot_types::{BlockNumber, Hash};

use super::raw::RawTronBlock;
use super::write::Message;
use crate::error::ChainError;

/// Version that headers of today name.
const VERSION: i64 = 32;
/// Number of the contract that moves TRX, and its type.
const TRANSFER: i64 = 1;
const TRANSFER_TYPE: &[u8] = b"type.googleapis.com/protocol.TransferContract";
/// `contractRet` of what succeeded.
const SUCCESS: i64 = 1;

/// A transfer of TRX.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// Who pays: 0x41 and 20 bytes.
    pub owner: [u8; 21],
    /// Who is paid.
    pub to: [u8; 21],
    /// Millionths of a TRX.
    pub amount: i64,
    /// Milliseconds since 1970; makes two equal transfers differ.
    pub timestamp_ms: i64,
    /// Its signature. Nobody checks it: signatures are a matter of finality.
    pub signature: [u8; 65],
}

impl Transfer {
    /// The transaction, whole, as a block has it.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let transfer = Message::default().text(1, &self.owner).text(2, &self.to);
        let transfer = transfer.number(3, self.amount).finish();
        let any = Message::default().text(1, TRANSFER_TYPE).text(2, &transfer).finish();
        let contract = Message::default().number(1, TRANSFER).bytes(2, &any).finish();
        let raw = Message::default().bytes(11, &contract).number(14, self.timestamp_ms).finish();
        let ret = Message::default().number(3, SUCCESS).finish();
        let out = Message::default().bytes(1, &raw).bytes(2, &self.signature).bytes(5, &ret);
        out.finish()
    }
}

/// A block of these transactions, whole ones, above the block of that id.
///
/// # Errors
/// [`ChainError`] where one is no transaction.
pub fn block(
    number: BlockNumber,
    parent: Hash,
    timestamp_ms: i64,
    witness: &[u8],
    transactions: Vec<Vec<u8>>,
) -> Result<RawTronBlock, ChainError> {
    let tree = TransactionTree::build(transactions.clone());
    let tree = tree.map_err(|(tx_index, source)| {
        ChainError::ledger("transaction", source).within(format_args!("transactions[{tx_index}]"))
    })?;
    let header = Message::default()
        .number(1, timestamp_ms)
        .text(2, &tree.root().0)
        .text(3, &parent.0)
        .number(7, i64::try_from(number.0).unwrap_or(i64::MAX))
        .text(9, witness)
        .number(10, VERSION)
        .finish();
    let hash = Header::id(number.0, &header);
    Ok(RawTronBlock { number, hash, header, transactions: Some(transactions) })
}
