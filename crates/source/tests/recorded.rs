//! Recordings folders, made up and real.

use crate::support;

use std::sync::Arc;

use serde_json::json;
use superroot_chain::ledger::evm::raw::RawTransactions;
use superroot_chain::{ChainRegistry, UntrustedBlock};
use superroot_source::recorded::UnusedRecording;
use superroot_source::{BlockSource, Recordings, SourceError};
use superroot_types::{BlockNumber, ChainId, ChainKey, ErrorKind, Family, Network};

use support::{Folder, capture, ethereum, hash_text, real_recordings};

fn numbers(list: &[u64]) -> Vec<BlockNumber> {
    list.iter().copied().map(BlockNumber).collect()
}

#[tokio::test]
async fn recorded_numbers_are_given_out_rising_and_the_last_is_the_tip() {
    let mut folder = Folder::new();
    for (number, byte) in [(30, 3), (10, 1), (20, 2)] {
        folder.block(1, number, Some(&hash_text(byte)), &format!("{number}.json.gz"));
    }
    folder.write_index();
    let source = folder.open().source(ethereum().key()).unwrap();
    assert_eq!((source.name(), source.network()), ("recorded evm:1", Network::Recorded));

    let tip = source.fetch_tip().await.unwrap();
    assert_eq!((tip.head, tip.safe), (tip.finalized, Some(tip.finalized)));
    assert_eq!((tip.head.number, tip.head.hash.to_string()), (BlockNumber(30), hash_text(3)));

    let fetch = async |from, limit| source.fetch_numbers(BlockNumber(from), limit).await.unwrap();
    assert_eq!(fetch(0, 10).await, Some(numbers(&[10, 20, 30])));
    assert_eq!(fetch(10, 2).await, Some(numbers(&[10, 20])));
    assert_eq!(fetch(11, usize::MAX).await, Some(numbers(&[20, 30])));
    assert_eq!(fetch(31, 10).await, Some(vec![]));
    assert_eq!(fetch(0, 0).await, Some(vec![]));

    assert_eq!(source.fetch_whole(BlockNumber(11)).await.unwrap(), None);
    let Some(UntrustedBlock::Evm(raw)) = source.fetch_whole(BlockNumber(20)).await.unwrap() else {
        panic!("block 20 is recorded");
    };
    assert_eq!((raw.block.number, raw.block.hash.unwrap().to_string()), (20, hash_text(2)));
    assert_eq!(raw.receipts, Some(vec![]));
}

/// A chain of 20 ms between blocks: nothing of a block shows before it is there, and the last one stays.
#[tokio::test]
async fn paced_recordings_show_one_block_after_the_other() {
    let mut folder = Folder::new();
    let quick = "[[chain]]\nid = 777\nname = \"Quick\"\nslug = \"quick\"\nfamily = \"evm\"\n\
        caip2 = \"eip155:777\"\naliases = []\nencodings = [{ from = 0, name = \"ethereum\" }]\n\
        evidence = \"node_quorum\"\nblock_time_ms = 20\nrules = [{ from = 0, code = 0x0001 }]\n";
    for number in 10..20_u8 {
        folder.block(777, number.into(), Some(&hash_text(number)), &format!("{number}.json"));
    }
    folder.write_index();
    let registry = ChainRegistry::parse(quick).unwrap();
    let recordings = Recordings::open(&[folder.path()], &registry).unwrap().paced(3);
    let source = Arc::new(recordings).source(registry.rows()[0].key()).unwrap();
    let (mut last, mut seen) = (BlockNumber(0), Vec::new());
    while last < BlockNumber(19) {
        let listed = source.fetch_numbers(BlockNumber(0), 100).await.unwrap().unwrap();
        let tip = source.fetch_tip().await.unwrap().head;
        assert_eq!(tip.hash.to_string(), hash_text(u8::try_from(tip.number.0).unwrap()));
        assert!(tip.number >= *listed.last().unwrap() && tip.number >= last.max(BlockNumber(12)));
        if source.fetch_whole(BlockNumber(19)).await.unwrap().is_some() {
            assert_eq!(source.fetch_tip().await.unwrap().head.number, BlockNumber(19));
        }
        if tip.number != last {
            seen.push(tip.number);
        }
        last = tip.number;
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    assert!(seen.len() > 2, "not all at once: {seen:?}");
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert_eq!(source.fetch_tip().await.unwrap().head.number, BlockNumber(19));
}

#[test]
fn chains_that_cannot_be_used_are_listed_with_the_reason() {
    let mut folder = Folder::new();
    folder.block(1, 5, Some(&hash_text(1)), "1.json");
    folder.block(999_999, 1, Some(&hash_text(2)), "2.json");
    folder.block(999_999, 2, Some(&hash_text(3)), "3.json");
    folder.block(10, 1, None, "5.json");
    folder.block(1, 6, None, "6.json");
    folder.block(1, 7, None, "7.json");
    folder.write_index();
    let recordings =
        Arc::new(Recordings::open(&[folder.path()], ChainRegistry::builtin()).unwrap());
    let left_out = |id, block_count, why| UnusedRecording {
        chain_id: ChainId(id),
        network: "made-up".into(),
        block_count,
        why,
    };
    let expected = [
        left_out(1, 2, "it is above the highest block that has a hash"),
        left_out(10, 1, "no block of the chain has a hash"),
        left_out(999_999, 2, "it is not in the registry"),
    ];
    assert_eq!(recordings.left_out(), expected);
    assert_eq!(recordings.chains().count(), 1);
    let key = |id| ChainKey { family: Family::Evm, id: ChainId(id) };
    assert_eq!(recordings.keys().collect::<Vec<_>>(), [key(1), key(10)]);
    let error = recordings.source(key(56)).unwrap_err();
    assert_eq!(error.to_string(), "no block of evm:56 is recorded");
}

/// Nobody would look for them in a log: whoever collects the chain is given the reason of each.
#[tokio::test]
async fn blocks_without_a_hash_above_the_last_hashed_are_listed_and_refused_by_name() {
    let mut folder = Folder::new();
    for (chain_id, number, hash) in [(1, 5, Some(1)), (1, 6, None), (1, 7, None), (10, 4, None)] {
        let hash = hash.map(hash_text);
        folder.block(chain_id, number, hash.as_deref(), &format!("{chain_id}-{number}.json"));
    }
    folder.write_index();
    let above = "cannot be checked: it is above the highest block that has a hash";
    let none = "cannot be checked: no block of the chain has a hash";
    for (id, tip, listed, refused, why) in
        [(1, 5, vec![5, 6, 7], vec![6, 7], above), (10, 4, vec![4], vec![4], none)]
    {
        let key = ChainKey { family: Family::Evm, id: ChainId(id) };
        let source = folder.open().source(key).unwrap();
        let all = source.fetch_numbers(BlockNumber(0), 9).await.unwrap();
        assert_eq!(all, Some(numbers(&listed)));
        assert_eq!(source.fetch_tip().await.unwrap().head.number, BlockNumber(tip));
        for number in refused {
            let error = source.fetch_whole(BlockNumber(number)).await.unwrap_err();
            assert!(matches!(error, SourceError::Recording { .. }), "{error}");
            let said = format!("{id}-{number}.json {why}");
            assert!(error.to_string().ends_with(&said), "{error}");
        }
    }
}

#[test]
fn an_index_with_a_row_that_leads_nowhere_is_refused() {
    let hash = hash_text(9);
    let of_file = |file: &str| json!({ "chainId": 1, "block": 6, "hash": hash, "file": file });
    let files = ["../secret.json", "/etc/passwd", "", "a/../good.json", "."];
    let mut rows = files.map(of_file).to_vec();
    rows.extend([
        json!({ "chainId": 1, "block": 1_u64 << 53, "hash": hash, "file": "good.json" }),
        json!({ "chainId": 1, "block": -1, "hash": hash, "file": "good.json" }),
        json!({ "chainId": 1, "block": 6, "hash": "0x12", "file": "good.json" }),
        json!("text"),
    ]);
    for row in rows {
        let mut folder = Folder::new();
        folder.block(1, 5, Some(&hash_text(1)), "good.json");
        folder.row(row.clone());
        folder.write_index();
        let error = Recordings::open(&[folder.path()], ChainRegistry::builtin()).unwrap_err();
        assert!(matches!(error, SourceError::Recording { .. }), "{row}: {error}");
    }
}

#[tokio::test]
async fn a_file_that_is_not_the_block_of_its_row_is_refused() {
    let mut folder = Folder::new();
    let hash = hash_text(1);
    let cases = [
        (5, capture(1, 6, Some(&hash)), "number", "6", "5"),
        (6, capture(2, 6, Some(&hash)), "chainId", "2", "1"),
        (7, capture(1, 7, None), "hash", "missing", &*hash),
    ];
    for (number, capture, ..) in &cases {
        let file = format!("{number}.json");
        folder.file(&file, &capture.to_string());
        folder.row(json!({ "chainId": 1, "block": number, "hash": hash, "file": file }));
    }
    folder.write_index();
    let source = folder.open().source(ethereum().key()).unwrap();
    for (number, _, field, got, expected) in cases {
        let error = source.fetch_whole(BlockNumber(number)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "{} has {field} {got}, its index says {expected}",
                folder.path().join(format!("{number}.json")).display()
            )
        );
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
}

/// However a file is damaged: reading it again would not help. A folder that is gone may come back.
#[tokio::test]
async fn a_damaged_or_missing_file_is_a_fault_of_its_block_alone() {
    let mut folder = Folder::new();
    for number in 5..13 {
        folder.block(1, number, Some(&hash_text(1)), &format!("{number}.json.gz"));
    }
    folder.row(json!({ "chainId": 1, "block": 4, "hash": hash_text(1), "file": "no/4.json" }));
    folder.write_index();
    let path = |number: u64| folder.path().join(format!("{number}.json.gz"));
    let whole = std::fs::read(path(5)).unwrap();
    let end = whole.len();
    let flip = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        bytes
    };
    let damaged = [
        (5, whole[..end - 9].to_vec()),
        (6, whole[..end / 2].to_vec()),
        (7, flip(end - 6)),
        (8, flip(end / 2)),
        (9, b"not gzip".to_vec()),
        (10, Vec::new()),
    ];
    for (number, bytes) in &damaged {
        std::fs::write(path(*number), bytes).unwrap();
    }
    std::fs::remove_file(path(11)).unwrap();
    let source = folder.open().source(ethereum().key()).unwrap();
    for number in [4, 5, 6, 7, 8, 9, 10, 11] {
        let error = source.fetch_whole(BlockNumber(number)).await.unwrap_err();
        assert!(matches!(error, SourceError::Recording { .. }), "{number}: {error}");
        let is_gone = error.to_string().ends_with("is missing, though the index lists it");
        assert_eq!(is_gone, [4, 11].contains(&number), "{error}");
    }
    assert!(source.fetch_whole(BlockNumber(12)).await.unwrap().is_some());
    std::fs::remove_file(folder.path().join("index.json")).unwrap();
    let error = source.fetch_whole(BlockNumber(11)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
}

/// Named with its member: an odd number of digits, a bloom that is too short, a hash left out.
#[tokio::test]
async fn a_file_that_cannot_be_read_names_the_member_at_fault() {
    let mut folder = Folder::new();
    let transaction = json!({ "type": "0x0", "nonce": "0x0", "input": "0x123" });
    let cases = [
        ("/block/transactions", json!([transaction]), "transactions[0]"),
        ("/block/logsBloom", json!("0x00"), "logsBloom: "),
        ("/block/parentHash", json!("0x1234...abcd"), "parentHash: "),
        ("/block/hash", json!("0x12..34"), "hash: "),
    ];
    for (number, (pointer, value, _)) in (5..).zip(&cases) {
        let mut bent = capture(1, number, Some(&hash_text(1)));
        *bent.pointer_mut(pointer).unwrap() = value.clone();
        let file = format!("{number}.json");
        folder.file(&file, &bent.to_string());
        folder.row(json!({ "chainId": 1, "block": number, "hash": hash_text(1), "file": file }));
    }
    folder.write_index();
    let source = folder.open().source(ethereum().key()).unwrap();
    for (number, (pointer, _, member)) in (5..).zip(cases) {
        let error = source.fetch_whole(BlockNumber(number)).await.unwrap_err();
        assert!(matches!(error, SourceError::Recording { .. }), "{pointer}: {error}");
        assert!(error.to_string().contains(member), "{pointer}: {error}");
    }
}

#[test]
fn a_folder_without_an_index_is_an_error() {
    let folder = Folder::new();
    let open = || Recordings::open(&[folder.path()], ChainRegistry::builtin()).unwrap_err();
    assert_eq!(open().kind(), ErrorKind::Unavailable);
    folder.file("index.json", "{}");
    assert!(matches!(open(), SourceError::Recording { .. }), "{}", open());
}

#[tokio::test]
async fn every_real_recording_of_ethereum_is_read_and_verified_as_far_as_it_goes() {
    let Some(folder) = real_recordings() else { return };
    let recordings = Arc::new(Recordings::open(&[folder], ChainRegistry::builtin()).unwrap());
    let left_out: usize = recordings.left_out().iter().map(|chain| chain.block_count).sum();
    let used: usize = recordings.chains().map(|chain| chain.block_count).sum();
    assert_eq!(used + left_out, 777);

    let source = recordings.source(ethereum().key()).unwrap();
    let listed = source.fetch_numbers(BlockNumber(0), usize::MAX).await.unwrap().unwrap();
    assert_eq!(listed.len(), 136);
    let (mut verified, mut headers) = (0, 0);
    for number in listed {
        let block = source.fetch_whole(number).await.unwrap().expect("a listed block is there");
        let UntrustedBlock::Evm(raw) = &block else { unreachable!() };
        if raw.block.hash.is_none() {
            assert_eq!(number, BlockNumber(23_588_347), "the one capture without a hash");
            continue;
        }
        if [21_000_002, 21_000_003].map(BlockNumber).contains(&number) {
            let error = superroot_chain::verify(ethereum(), &block).unwrap_err().to_string();
            assert!(error.contains("expected a signature"), "{error}");
            continue;
        }
        let block = superroot_chain::verify(ethereum(), &block).unwrap();
        verified += 1;
        headers += u32::from(matches!(raw.block.transactions, RawTransactions::Absent));
        assert_eq!(block.number(), number);
    }
    eprintln!("{verified} real blocks verified, {headers} of them with no transactions captured");
    assert_eq!((verified, headers), (133, 5));
}

/// Folders given together are read as one recording; where both have a number the first one counts.
#[tokio::test]
async fn several_folders_of_one_chain_are_one_source() {
    let (mut one, mut other) = (Folder::new(), Folder::new());
    for (folder, blocks) in [(&mut one, [(10, 1), (30, 3)]), (&mut other, [(20, 2), (30, 9)])] {
        for (number, byte) in blocks {
            folder.block(1, number, Some(&hash_text(byte)), &format!("{number}.json"));
        }
        folder.write_index();
    }
    let recordings =
        Recordings::open(&[one.path(), other.path()], ChainRegistry::builtin()).unwrap();
    let joined = Arc::new(recordings).source(ethereum().key()).unwrap();
    let all = joined.fetch_numbers(BlockNumber(0), 10).await.unwrap();
    assert_eq!(all, Some(numbers(&[10, 20, 30])));
    for (number, byte) in [(10, 1), (20, 2), (30, 3)] {
        let block = joined.fetch_whole(BlockNumber(number)).await.unwrap();
        let Some(UntrustedBlock::Evm(raw)) = block else { panic!("block {number} is recorded") };
        assert_eq!(raw.block.hash.unwrap().to_string(), hash_text(byte));
    }
}
