// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {SuperRootVerifier} from "./SuperRootVerifier.sol";

/// Check of a proof of Bitcoin in the form of docs/calldata.md: from a block, transaction or output to the hash of a
/// SuperRoot. Rule 0101 of docs/protocol/bitcoin.md. Hashes are in the order in which they are hashed: explorers show
/// them reversed.
library BitcoinVerifier {
    /// Proven transaction, and of an output its amount and script; the script's position is an offset in calldata.
    struct Payment {
        bytes32 transactionHash;
        uint256 valueSats;
        uint256 scriptAt;
        uint256 scriptLength;
    }

    uint256 private constant COUNT_MAX = 16_666;
    uint256 private constant BYTES_MAX = 1_000_000;
    uint256 private constant SATS_MAX = 2_100_000_000_000_000;
    /// Shortest input and output.
    uint256 private constant INPUT_BYTES = 41;
    uint256 private constant OUTPUT_BYTES = 9;

    /// Checks a proof up to its SuperRoot; whether that one is anchored is for the caller. Not pure, as SHA-256 is a
    /// contract.
    function verify(bytes calldata proof, bytes32 logId)
        internal
        view
        returns (SuperRootVerifier.Proven memory proven, Payment memory payment)
    {
        unchecked {
            uint256 p;
            uint256 end;
            assembly ("memory-safe") {
                p := proof.offset
                end := add(p, proof.length)
            }
            uint256 head = SuperRootVerifier._word(p);
            if (head >> 248 != 2) revert SuperRootVerifier.ProofRefused(0, "form");
            uint256 flags = (head >> 240) & 0xff;
            proven.subject = flags & ~SuperRootVerifier.OPEN;
            if (proven.subject > SuperRootVerifier.LOG) revert SuperRootVerifier.ProofRefused(0, "subject");
            uint256 rules = p + 2;
            proven.chainId = (head >> 176) & type(uint64).max;
            uint256 ruleCount = (head >> 168) & 0xff;
            if (proven.chainId != SuperRootVerifier.BITCOIN || ruleCount == 0) {
                revert SuperRootVerifier.ProofRefused(0, "profile");
            }
            p += 11 + 10 * ruleCount;
            proven.blockNumber = SuperRootVerifier._word(p) >> 192;
            p += 8;
            SuperRootVerifier._rule(proven, rules);
            bytes32 root;
            if (proven.subject != SuperRootVerifier.BLOCK) (p, root) = _entry(p, proven, payment);
            if (p + 80 > end) revert SuperRootVerifier.ProofRefused(2, "header");
            (proven.blockHash, proven.transactionsRoot) = (_sha256d(p, 80), bytes32(SuperRootVerifier._word(p + 36)));
            if (proven.subject != SuperRootVerifier.BLOCK && root != proven.transactionsRoot) {
                revert SuperRootVerifier.ProofRefused(1, "transactions root");
            }
            p = SuperRootVerifier._climb(p + 80, proven, flags & SuperRootVerifier.OPEN != 0, rules, logId);
            if (p != end) revert SuperRootVerifier.ProofRefused(0, "length");
        }
    }

    /// `position ‖ tx_count ‖ branch ‖ branch of the coinbase`: both lead to one root over paths of the leaves' depth, so
    /// no inner node passes for a transaction.
    function _entry(uint256 p, SuperRootVerifier.Proven memory proven, Payment memory payment)
        private
        view
        returns (uint256, bytes32 root)
    {
        unchecked {
            uint256 index = SuperRootVerifier._word(p) >> 224;
            p += 4;
            proven.txIndex = index;
            uint256 output = type(uint256).max;
            if (proven.subject == SuperRootVerifier.LOG) {
                output = SuperRootVerifier._word(p) >> 224;
                proven.logIndex = output;
                p += 4;
            }
            uint256 count = SuperRootVerifier._word(p) >> 224;
            p += 4;
            if (index >= count || count > COUNT_MAX) revert SuperRootVerifier.ProofRefused(1, "transaction count");
            (proven.leafAt, proven.leafLength) = (p + 3, SuperRootVerifier._word(p) >> 232);
            _transaction(proven.leafAt, proven.leafLength, output, index == 0, payment);
            (p, payment.transactionHash, root) = _branch(p, index, count);
            if (index != 0) {
                Payment memory none;
                _transaction(p + 3, SuperRootVerifier._word(p) >> 232, type(uint256).max, true, none);
                bytes32 ofCoinbase;
                (p,, ofCoinbase) = _branch(p, 0, count);
                if (ofCoinbase != root) revert SuperRootVerifier.ProofRefused(1, "coinbase");
            }
            return (p, root);
        }
    }

    /// `length:u24 ‖ transaction ‖ sibling*`: the transaction's hash, and the root to which its branch leads.
    function _branch(uint256 p, uint256 index, uint256 count)
        private
        view
        returns (uint256, bytes32 hash, bytes32 node)
    {
        uint256 length = SuperRootVerifier._word(p) >> 232;
        hash = _sha256d(p + 3, length);
        node = hash;
        p += 3 + length;
        bool isBad;
        assembly ("memory-safe") {
            let m := mload(0x40)
            for {} gt(count, 1) { count := shr(1, add(count, 1)) } {
                let side := shl(5, and(index, 1))
                let sibling := node
                // the last node of an odd row is paired with itself
                if or(side, lt(add(index, 1), count)) {
                    sibling := calldataload(p)
                    p := add(p, 32)
                    isBad := or(isBad, eq(sibling, node))
                }
                mstore(add(m, side), node)
                mstore(sub(add(m, 32), side), sibling)
                if iszero(staticcall(gas(), 2, m, 64, m, 32)) { revert(0, 0) }
                if iszero(staticcall(gas(), 2, m, 32, m, 32)) { revert(0, 0) }
                node := mload(m)
                index := shr(1, index)
            }
        }
        // a tail that is doubled has the root of the shorter tree: CVE-2012-2459
        if (isBad) revert SuperRootVerifier.ProofRefused(1, "doubled node");
        return (p, hash, node);
    }

    /// Reads a transaction whole: `version ‖ inputs ‖ outputs ‖ lock_time`. Fills in the wanted output.
    function _transaction(uint256 p, uint256 length, uint256 wanted, bool isCoinbase, Payment memory payment)
        private
        pure
    {
        unchecked {
            // 64 bytes could be an inner node: CVE-2017-12842
            if (length == 64 || length > BYTES_MAX) revert SuperRootVerifier.ProofRefused(1, "transaction length");
            uint256 end = p + length;
            uint256 count;
            (p, count) = _compactSize(p + 4);
            if (count == 0 || count > length / INPUT_BYTES) revert SuperRootVerifier.ProofRefused(1, "inputs");
            if (isCoinbase) {
                bool spendsNothing = count == 1 && SuperRootVerifier._word(p) == 0
                    && SuperRootVerifier._word(p + 32) >> 224 == type(uint32).max;
                (, uint256 bytesOfScript) = _compactSize(p + 36);
                if (!spendsNothing || bytesOfScript < 2 || bytesOfScript > 100) {
                    revert SuperRootVerifier.ProofRefused(1, "coinbase");
                }
            }
            uint256 script;
            for (; count != 0; --count) {
                (p, script) = _compactSize(p + 36);
                p += script + 4;
                if (p > end) revert SuperRootVerifier.ProofRefused(1, "inputs");
            }
            (p, count) = _compactSize(p);
            if (count == 0 || count > length / OUTPUT_BYTES) revert SuperRootVerifier.ProofRefused(1, "outputs");
            if (wanted != type(uint256).max && wanted >= count) revert SuperRootVerifier.ProofRefused(1, "output index");
            for (; count != 0; --count) {
                uint256 sats = _littleEndian(SuperRootVerifier._word(p) >> 192, 8);
                if (sats > SATS_MAX) revert SuperRootVerifier.ProofRefused(1, "output amount");
                (p, script) = _compactSize(p + 8);
                if (wanted == 0) (payment.valueSats, payment.scriptAt, payment.scriptLength) = (sats, p, script);
                --wanted;
                p += script;
                if (p > end) revert SuperRootVerifier.ProofRefused(1, "outputs");
            }
            if (p + 4 != end) revert SuperRootVerifier.ProofRefused(1, "transaction");
        }
    }

    /// CompactSize in its shortest form. Eight bytes count more than a transaction has.
    function _compactSize(uint256 p) private pure returns (uint256 next, uint256 value) {
        unchecked {
            uint256 word = SuperRootVerifier._word(p);
            uint256 first = word >> 248;
            if (first < 0xfd) return (p + 1, first);
            if (first == 0xfd) {
                value = _littleEndian((word >> 232) & 0xffff, 2);
                if (value >= 0xfd) return (p + 3, value);
            } else if (first == 0xfe) {
                value = _littleEndian((word >> 216) & 0xffffffff, 4);
                if (value > 0xffff) return (p + 5, value);
            }
            revert SuperRootVerifier.ProofRefused(1, "compact size");
        }
    }

    function _littleEndian(uint256 value, uint256 length) private pure returns (uint256 reversed) {
        unchecked {
            for (; length != 0; --length) {
                reversed = (reversed << 8) | (value & 0xff);
                value >>= 8;
            }
        }
    }

    /// SHA-256 over SHA-256 of a piece of calldata.
    function _sha256d(uint256 from, uint256 length) private view returns (bytes32 hash) {
        assembly ("memory-safe") {
            let m := mload(0x40)
            calldatacopy(m, from, length)
            if iszero(staticcall(gas(), 2, m, length, m, 32)) { revert(0, 0) }
            if iszero(staticcall(gas(), 2, m, 32, m, 32)) { revert(0, 0) }
            hash := mload(m)
        }
    }
}
