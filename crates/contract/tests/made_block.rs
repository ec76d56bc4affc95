//! Receipts and headers written by the plain definitions.

use superroot_types::BlockNumber;

use crate::*;

pub(crate) const NUMBER: BlockNumber = BlockNumber(30_000_001);

pub(crate) fn list(items: &[Vec<u8>]) -> Vec<u8> {
    let payload: Vec<u8> = items.concat();
    let mut out = Vec::new();
    alloy_rlp::Header { list: true, payload_length: payload.len() }.encode(&mut out);
    out.extend_from_slice(&payload);
    out
}

pub(crate) fn string(bytes: &[u8]) -> Vec<u8> {
    alloy_rlp::encode(bytes)
}

/// Receipt with one log.
pub(crate) fn receipt(emitter: Address, topics: &[B256], data: &[u8]) -> Vec<u8> {
    let mut bloom = [0_u8; 256];
    let items = std::iter::once(emitter.to_vec()).chain(topics.iter().map(|topic| topic.to_vec()));
    for item in items {
        let hash = keccak(&item);
        for pair in [0, 2, 4] {
            let bit = (usize::from(hash[pair]) << 8 | usize::from(hash[pair + 1])) % 2_048;
            bloom[255 - bit / 8] |= 1 << (bit % 8);
        }
    }
    let topics: Vec<Vec<u8>> = topics.iter().map(|topic| string(topic.as_slice())).collect();
    let log = list(&[string(emitter.as_slice()), list(&topics), string(data)]);
    let fields = [vec![1], string(&[0x52, 8]), string(&bloom), list(&[log])];
    [vec![2], list(&fields)].concat()
}

/// Header of Ethereum's layout over these receipts.
pub(crate) fn header(number: u64, receipts_root: &[u8]) -> Vec<u8> {
    list(&header_fields(number, receipts_root))
}

/// Its fifteen fields.
pub(crate) fn header_fields(number: u64, receipts_root: &[u8]) -> Vec<Vec<u8>> {
    let zero = string(&[0; 32]);
    vec![
        zero.clone(),
        zero.clone(),
        string(&[0; 20]),
        zero.clone(),
        zero.clone(),
        string(receipts_root),
        string(&[0xff; 256]),
        string(&[]),
        alloy_rlp::encode(number),
        string(&[1, 2, 3]),
        string(&[]),
        alloy_rlp::encode(1_700_000_000_u64),
        string(b"made"),
        zero,
        string(&[0; 8]),
    ]
}
