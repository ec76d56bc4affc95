// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {ProofBase, Rlp, VM} from "./Proof.sol";

interface IAnchorDouble {
    function set(uint64 sequence, bytes32 hash) external;
    function withdraw(uint8 row, uint64 from) external;
}

interface ILens {
    error NotAnchored(uint256 sequence, bytes32 hash);
    error Withdrawn(uint256 chainId, uint256 blockNumber, uint256 withdrawnFrom);
    error OtherSubject(uint256 subject);
    error NotKept(uint256 chainId, uint256 blockNumber);

    function verifyEvent(bytes calldata proof) external view;
    function validateEvent(bytes calldata proof) external view;
    function verifyBlock(bytes calldata proof) external view;
    function keepBlock(bytes calldata proof) external;
    function verifyKeptEvent(uint256 chainId, uint256 blockNumber, bytes calldata entry) external view;
}

/// Attacks on level 1, each refused by its own check; and on blocks that the lens keeps.
/// forge-config: default.evm_version = "cancun"
contract EntryAttackTest is ProofBase {
    address private constant EMITTER = address(0xe117);
    /// A leaf's path of all nibbles of `rlp(1)`, and no level above.
    bytes private constant LONE = hex"0200";

    function test_everyIndexHasAKeyOfItsOwn() external view {
        uint32[11] memory indexes =
            [uint32(0), 1, 127, 128, 255, 256, 65_535, 65_536, 16_777_215, 16_777_216, type(uint32).max];
        bytes memory leaf = _receipt(1);
        for (uint256 i; i < indexes.length; ++i) {
            bytes memory key = _key(indexes[i]);
            bytes memory trie = abi.encodePacked(uint8(key.length), uint8(0));
            bytes32 root = _leafNode(key, leaf);
            assert(_root(_entry(indexes[i], 0, leaf, trie)) == root);
            // a nibble too few and one too many
            _refusedEntry(_entry(indexes[i], 0, leaf, abi.encodePacked(uint8(key.length - 1), uint8(0))), "path");
            _refusedEntry(_entry(indexes[i], 0, leaf, abi.encodePacked(uint8(key.length + 1), uint8(0))), "path");
            for (uint256 k; k < indexes.length; ++k) {
                bytes memory other = abi.encodePacked(uint8(_key(indexes[k]).length), uint8(0));
                if (k != i) assert(_root(_entry(indexes[k], 0, leaf, other)) != root);
            }
        }
    }

    /// Leaf, branches and extensions in any order that uses up the key.
    function testFuzz_aTrieLeadsToItsRoot(uint32 index, uint256 seed, uint8 bits) external view {
        index >>= bits % 32;
        bytes memory leaf = _receipt(1 + seed % 3);
        bytes memory key = _key(index);
        uint256 left = key.length;
        uint256 own = seed % (left + 1);
        bytes32 node = _leafNode(_slice(key, left - own, left), leaf);
        left -= own;
        bytes memory levels;
        uint256 count;
        for (; left != 0; ++count) {
            seed = uint256(keccak256(abi.encode(seed)));
            uint256 taken = seed % 3 == 0 ? 1 + (seed >> 8) % left : 1;
            bytes memory path = _slice(key, left - taken, left);
            if (seed % 3 == 0) {
                levels = abi.encodePacked(levels, uint16(0), uint8(taken));
                node = keccak256(
                    Rlp.list(abi.encodePacked(Rlp.string_(_hexPrefix(path, 0)), Rlp.string_(abi.encode(node))))
                );
            } else {
                bytes memory level;
                (level, node) = _branch(seed, uint8(path[0]), node);
                levels = abi.encodePacked(levels, level);
            }
            left -= taken;
        }
        bytes memory entry = _entry(index, 0, leaf, abi.encodePacked(uint8(own), uint8(count), levels));
        assert(_root(entry) == node);
        // the log index is no part of the root; every other byte is
        uint256 place = 2 + seed % (entry.length - 2);
        if (place >= 6 && place < 10) return;
        entry[place] ^= bytes1(uint8(1 << ((seed >> 8) % 8)));
        (bool ok, bytes memory answer) = _askEntry(entry);
        if (ok) assert(bytes32(answer) != node);
    }

    function test_levelsThatNoTrieHasAreRefused() external view {
        bytes memory leaf = _receipt(1);
        bytes32 word = keccak256("sibling");
        // index 1: the nibbles 0 and 1; the lower one is read first
        _root(_entry(1, 0, leaf, abi.encodePacked(uint8(1), uint8(1), uint16(2), word)));
        _refusedEntry(_entry(1, 0, leaf, abi.encodePacked(uint8(1), uint8(1), uint16(1), word)), "branch");
        _refusedEntry(_entry(1, 0, leaf, abi.encodePacked(uint8(2), uint8(1), uint16(2), word)), "branch");
        _refusedEntry(_entry(1, 0, leaf, hex"010100000000"), "extension");
        _refusedEntry(_entry(1, 0, leaf, hex"0101000002"), "extension");
        _refusedEntry(_entry(1, 0, leaf, hex"0201000001"), "extension");
        _root(_entry(1, 0, leaf, hex"0101000001"));
        (bool ok,) = _askEntry(_entry(1, 0, leaf, hex"02ff"));
        assert(!ok);
        _refusedEntry(_entry(1, 0, new bytes(55), LONE), "leaf");
        bytes memory past = _entry(1, 0, leaf, LONE);
        (past[10], past[11]) = (0xff, 0xff);
        _refusedEntry(past, "leaf");
    }

    function test_receiptsThatNoChainMakesAreRefused() external view {
        bytes memory one = Rlp.list(_log(3, "data"));
        _shown(_wrap(hex"02", hex"01", one, ""));
        _refusedReceipt(_wrap(hex"00", hex"01", one, ""), "receipt type");
        _refusedReceipt(_wrap("", hex"02", one, ""), "status");
        _refusedReceipt(bytes.concat(_wrap("", hex"01", one, ""), hex"00"), "receipt");
        for (uint256 topics; topics < 8; ++topics) {
            bytes memory leaf = _wrap("", hex"80", Rlp.list(_log(topics, "data")), "");
            if (topics < 5) _shown(leaf);
            else _refusedReceipt(leaf, "topics");
        }
        // 7e: both fields or none; 7b: one or none; others: none
        uint256[2][3] memory kinds = [[uint256(0x7e), 2], [uint256(0x7b), 1], [uint256(2), 0]];
        for (uint256 i; i < 3; ++i) {
            bytes memory behind;
            for (uint256 count; count < 4; ++count) {
                bytes memory leaf = _wrap(abi.encodePacked(uint8(kinds[i][0])), hex"01", one, behind);
                if (count == 0 || count == kinds[i][1]) _shown(leaf);
                else _refusedReceipt(leaf, "receipt");
                behind = bytes.concat(behind, hex"05");
            }
        }
        bytes memory body = bytes.concat(Rlp.string_(abi.encodePacked(EMITTER)), Rlp.list(""));
        _refusedReceipt(_wrap("", hex"01", Rlp.list(Rlp.list(bytes.concat(body, hex"8105"))), ""), "byte");
        _refusedReceipt(_wrap("", hex"01", Rlp.list(Rlp.list(bytes.concat(body, hex"b80105"))), ""), "length");
        _refusedReceipt(_wrap("", hex"01", Rlp.list(Rlp.list(bytes.concat(body, hex"0505"))), ""), "log");
        _refusedReceipt(_wrap("", hex"01", Rlp.list(Rlp.list(bytes.concat(body, hex"c0"))), ""), "no string");
    }

    /// The largest receipt that was seen on a chain: what it costs is what docs/contracts.md warns of.
    function test_aReceiptOf903LogsIsReadAndItsGasIsBounded() external view {
        bytes memory leaf = _receipt(903);
        uint256 before = gasleft();
        _root(_entry(1, 902, leaf, LONE));
        assert(before - gasleft() < 12_000_000);
        _refusedEntry(_entry(1, 903, leaf, LONE), "log index");
        _refusedEntry(_entry(1, type(uint32).max, leaf, LONE), "log index");
    }

    function test_aKeptBlockIsRefusedOnceItIsWithdrawn() external {
        IAnchorDouble anchor = IAnchorDouble(VM.deployCode("AnchorDouble.sol:AnchorDouble", abi.encode(LOG_ID)));
        ILens lens = ILens(VM.deployCode("SuperRootLens.sol:SuperRootLens", abi.encode(anchor)));
        bytes memory entry = _entry(1, 0, _receipt(1), LONE);
        Proof memory proof = _sealed();
        proof.header = _headerOver(ETHEREUM, 15, NUMBER, _root(entry));
        bytes32 hash = _holds(proof);
        bytes memory kept = abi.encodeCall(lens.verifyKeptEvent, (BASE_CHAIN, NUMBER, entry));
        bytes memory blockProof = _bytes(proof);
        _fails(
            lens,
            abi.encodeCall(lens.keepBlock, (blockProof)),
            abi.encodeWithSelector(ILens.NotAnchored.selector, 9, hash)
        );
        anchor.set(9, hash);
        _fails(lens, kept, abi.encodeWithSelector(ILens.NotKept.selector, BASE_CHAIN, NUMBER));
        lens.keepBlock(blockProof);
        _works(lens, kept);
        // of another block, and no log
        bytes memory other = _entry(1, 0, _receipt(2), LONE);
        (bool ok, bytes memory answer) =
            address(lens).call(abi.encodeCall(lens.verifyKeptEvent, (BASE_CHAIN, NUMBER, other)));
        assert(!ok);
        _same(answer, 1, "receipts root");
        bytes memory noLog = abi.encodePacked(uint8(1), uint8(1), uint32(1), _slice(entry, 10, entry.length));
        bytes memory subject = abi.encodeWithSelector(ILens.OtherSubject.selector, 1);
        _fails(lens, abi.encodeCall(lens.verifyKeptEvent, (BASE_CHAIN, NUMBER, noLog)), subject);
        // the same log by a whole proof: it keeps no block
        (proof.subject, proof.entry) = (2, _slice(entry, 2, entry.length));
        bytes memory eventProof = _bytes(proof);
        _works(lens, abi.encodeCall(lens.verifyEvent, (eventProof)));
        subject = abi.encodeWithSelector(ILens.OtherSubject.selector, 2);
        _fails(lens, abi.encodeCall(lens.keepBlock, (eventProof)), subject);
        anchor.withdraw(0, NUMBER + 1);
        _works(lens, kept);
        anchor.withdraw(0, NUMBER);
        bytes memory gone = abi.encodeWithSelector(ILens.Withdrawn.selector, BASE_CHAIN, NUMBER, NUMBER);
        _fails(lens, kept, gone);
        _fails(lens, abi.encodeCall(lens.keepBlock, (blockProof)), gone);
        _fails(lens, abi.encodeCall(lens.verifyBlock, (blockProof)), gone);
        _fails(lens, abi.encodeCall(lens.verifyEvent, (eventProof)), gone);
        _fails(lens, abi.encodeCall(lens.validateEvent, (eventProof)), gone);
    }

    /// A block of Avalanche whose header names the receipts of others has no events to keep.
    function test_noReceiptsOfOtherBlocksAreKept() external {
        IAnchorDouble anchor = IAnchorDouble(VM.deployCode("AnchorDouble.sol:AnchorDouble", abi.encode(LOG_ID)));
        ILens lens = ILens(VM.deployCode("SuperRootLens.sol:SuperRootLens", abi.encode(anchor)));
        bytes memory entry = _entry(1, 0, _receipt(1), LONE);
        for (uint256 count = 26; count <= 30; count += 4) {
            bytes memory header = _headerOver(AVALANCHE, count, NUMBER, _root(entry));
            Proof memory proof = _of(43_114, _rule(0, 5), header);
            anchor.set(9, _holds(proof));
            lens.keepBlock(_bytes(proof));
            bytes memory call = abi.encodeCall(lens.verifyKeptEvent, (43_114, NUMBER, entry));
            if (count == 26) _works(lens, call);
            else _fails(lens, call, abi.encodeWithSelector(ILens.NotKept.selector, 43_114, NUMBER));
        }
    }

    function _works(ILens lens, bytes memory call) private {
        (bool ok,) = address(lens).call(call);
        assert(ok);
    }

    function _fails(ILens lens, bytes memory call, bytes memory what) private {
        (bool ok, bytes memory answer) = address(lens).call(call);
        assert(!ok && keccak256(answer) == keccak256(what));
    }

    // Entries

    function _entry(uint32 index, uint32 logIndex, bytes memory leaf, bytes memory trie)
        private
        pure
        returns (bytes memory)
    {
        return abi.encodePacked(uint8(1), uint8(2), index, logIndex, uint24(leaf.length), leaf, trie);
    }

    function _askEntry(bytes memory entry) private view returns (bool ok, bytes memory answer) {
        return address(verifier).staticcall(abi.encodeCall(verifier.checkEntry, (entry)));
    }

    function _root(bytes memory entry) private view returns (bytes32 root) {
        (bool ok, bytes memory answer) = _askEntry(entry);
        require(ok, "an entry that holds is refused");
        address emitter;
        (root, emitter) = abi.decode(answer, (bytes32, address));
        assert(emitter == EMITTER);
    }

    function _refusedEntry(bytes memory entry, bytes32 what) private view {
        (bool ok, bytes memory answer) = _askEntry(entry);
        require(!ok, "accepted");
        _same(answer, 1, what);
    }

    function _shown(bytes memory leaf) private view {
        _root(_entry(1, 0, leaf, LONE));
    }

    function _refusedReceipt(bytes memory leaf, bytes32 what) private view {
        _refusedEntry(_entry(1, 0, leaf, LONE), what);
    }

    function _receipt(uint256 logs) private pure returns (bytes memory) {
        bytes memory one = _log(3, abi.encode(uint256(7)));
        bytes memory all = new bytes(one.length * logs);
        for (uint256 i; i < all.length; ++i) {
            all[i] = one[i % one.length];
        }
        return _wrap(hex"02", hex"01", Rlp.list(all), "");
    }

    function _wrap(bytes memory kind, bytes memory status, bytes memory logs, bytes memory behind)
        private
        pure
        returns (bytes memory)
    {
        bytes memory bloom = Rlp.string_(new bytes(256));
        return bytes.concat(kind, Rlp.list(bytes.concat(status, hex"825208", bloom, logs, behind)));
    }

    function _log(uint256 topics, bytes memory data) private pure returns (bytes memory) {
        bytes memory list;
        for (uint256 i; i < topics; ++i) {
            list = bytes.concat(list, Rlp.string_(abi.encode(keccak256(abi.encode(i)))));
        }
        return Rlp.list(bytes.concat(Rlp.string_(abi.encodePacked(EMITTER)), Rlp.list(list), Rlp.string_(data)));
    }

    // The trie by its definition

    /// Nibbles of `rlp(index)`, a byte each.
    function _key(uint32 index) private pure returns (bytes memory nibbles) {
        bytes memory key = Rlp.number(index);
        for (uint256 i; i < key.length; ++i) {
            nibbles = abi.encodePacked(nibbles, uint8(key[i]) >> 4, uint8(key[i]) & 15);
        }
    }

    function _hexPrefix(bytes memory nibbles, uint8 kind) private pure returns (bytes memory path) {
        bool isOdd = nibbles.length % 2 == 1;
        path = abi.encodePacked(isOdd ? ((kind | 1) << 4) | uint8(nibbles[0]) : kind << 4);
        for (uint256 i = isOdd ? 1 : 0; i < nibbles.length; i += 2) {
            path = abi.encodePacked(path, (uint8(nibbles[i]) << 4) | uint8(nibbles[i + 1]));
        }
    }

    function _leafNode(bytes memory nibbles, bytes memory leaf) private pure returns (bytes32) {
        return keccak256(Rlp.list(bytes.concat(Rlp.string_(_hexPrefix(nibbles, 2)), Rlp.string_(leaf))));
    }

    /// Branch with some other children, and its level in an entry.
    function _branch(uint256 seed, uint256 own, bytes32 child) private pure returns (bytes memory level, bytes32 node) {
        uint256 mask = (seed >> 16) & 0xffff & ~(uint256(1) << own);
        if (mask == 0) mask = 1 << ((own + 1) % 16);
        bytes memory children;
        bytes memory siblings;
        for (uint256 i; i < 16; ++i) {
            bytes32 sibling = keccak256(abi.encode(seed, i));
            bool isSent = (mask >> i) & 1 == 1;
            if (isSent) siblings = abi.encodePacked(siblings, sibling);
            bytes memory text = i == own ? abi.encode(child) : isSent ? abi.encode(sibling) : bytes("");
            children = bytes.concat(children, Rlp.string_(text));
        }
        return (abi.encodePacked(uint16(mask), siblings), keccak256(Rlp.list(bytes.concat(children, hex"80"))));
    }

    function _slice(bytes memory all, uint256 from, uint256 to) private pure returns (bytes memory part) {
        part = new bytes(to - from);
        for (uint256 i; i < part.length; ++i) {
            part[i] = all[from + i];
        }
    }
}
