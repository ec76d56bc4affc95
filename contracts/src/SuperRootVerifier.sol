// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

/// Check of a proof in the form of docs/calldata.md: from a block, transaction or log of an EVM chain to the hash of a
/// SuperRoot, by hashing alone. Trie nodes, hashes and numbers are computed, not read; every byte is used once. Bitcoin's
/// own levels are those of BitcoinVerifier.
///
/// Not checked: that a receipt's bloom is that of its logs, and part of the header's. A chain's own rules demand both.
library SuperRootVerifier {
    /// What does not hold: level 0 is the form and the statement, 1 to 5 are those of docs/protocol.md.
    error ProofRefused(uint256 level, bytes32 what);

    uint256 internal constant BLOCK = 0;
    uint256 internal constant TRANSACTION = 1;
    /// Of Bitcoin: output.
    uint256 internal constant LOG = 2;
    /// Added to a subject in an open twig.
    uint256 internal constant OPEN = 4;

    /// Bitcoin as logs number it: the one chain of another family.
    uint256 internal constant BITCOIN = 21_000_000;

    /// Proven parts; positions are offsets in calldata.
    struct Proven {
        uint256 subject;
        uint256 chainId;
        uint256 blockNumber;
        uint256 txIndex;
        uint256 logIndex;
        bytes32 blockHash;
        bytes32 transactionsRoot;
        bytes32 receiptsRoot;
        /// Whether the receipts are those of other blocks.
        bool settlesOthers;
        uint256 leafAt;
        uint256 leafLength;
        uint256 sequence;
        uint256 timestamp;
        uint256 row;
        bytes32 superRootHash;
    }

    /// Log in a proven receipt; positions are offsets in calldata.
    struct Log {
        address emitter;
        uint256 topicsAt;
        uint256 topicCount;
        uint256 dataAt;
        uint256 dataLength;
    }

    uint256 private constant SAFE_MAX = (1 << 53) - 1;

    /// Checks a proof up to its SuperRoot; whether that one is anchored is for the caller.
    function verify(bytes calldata proof, bytes32 logId) internal pure returns (Proven memory proven) {
        unchecked {
            uint256 p;
            uint256 end;
            assembly ("memory-safe") {
                p := proof.offset
                end := add(p, proof.length)
            }
            uint256 head = _word(p);
            if (head >> 248 != 1) revert ProofRefused(0, "form");
            uint256 flags = (head >> 240) & 0xff;
            proven.subject = flags & ~OPEN;
            if (proven.subject > LOG) revert ProofRefused(0, "subject");
            uint256 rules = p + 2;
            proven.chainId = (head >> 176) & type(uint64).max;
            uint256 ruleCount = (head >> 168) & 0xff;
            if (proven.chainId > SAFE_MAX || ruleCount == 0) revert ProofRefused(0, "profile");
            p += 11 + 10 * ruleCount;
            bytes32 entryRoot;
            if (proven.subject != BLOCK) {
                proven.txIndex = _word(p) >> 224;
                p += 4;
                if (proven.subject == LOG) {
                    proven.logIndex = _word(p) >> 224;
                    p += 4;
                }
                (p, entryRoot) = _trie(p, end, proven);
            }
            p = _header(p, end, proven, rules);
            if (proven.subject == TRANSACTION && entryRoot != proven.transactionsRoot) {
                revert ProofRefused(1, "transactions root");
            }
            if (proven.subject == LOG && entryRoot != proven.receiptsRoot) revert ProofRefused(1, "receipts root");
            p = _climb(p, proven, flags & OPEN != 0, rules, logId);
            if (p != end) revert ProofRefused(0, "length");
        }
    }

    /// Levels 3 to 5: from the block's leaf to the SuperRoot.
    /// @param rules Where the profile stands: `chain_id ‖ count ‖ rules`.
    function _climb(uint256 p, Proven memory proven, bool open, uint256 rules, bytes32 logId)
        internal
        pure
        returns (uint256)
    {
        unchecked {
            bytes32 root;
            uint256 zeros = _zeros();
            (p, root) = _twig(p, proven, zeros);
            uint256 firstNumber = _word(rules + 9) >> 192;
            if (open) (p, root) = _reference(p, root, proven, firstNumber);
            else (p, root) = _miniMmr(p, root, proven);
            return _superRoot(p, root, open, proven, logId, _profileHash(rules), zeros);
        }
    }

    /// Family and number of a chain, as leaves have them: 9 bytes.
    function _chainKey(uint256 chainId) private pure returns (uint256) {
        return chainId == BITCOIN ? (1 << 64) | chainId : chainId;
    }

    /// Checks the levels below a header that was proven before: `01 ‖ subject:u8 ‖ position ‖ leaf ‖ trie`.
    function verifyEntry(bytes calldata entry) internal pure returns (Proven memory proven, bytes32 root) {
        unchecked {
            uint256 p;
            uint256 end;
            assembly ("memory-safe") {
                p := entry.offset
                end := add(p, entry.length)
            }
            uint256 head = _word(p);
            if (head >> 248 != 1) revert ProofRefused(0, "form");
            proven.subject = (head >> 240) & 0xff;
            if (proven.subject != TRANSACTION && proven.subject != LOG) revert ProofRefused(0, "subject");
            proven.txIndex = (head >> 208) & type(uint32).max;
            p += 6;
            if (proven.subject == LOG) {
                proven.logIndex = (head >> 176) & type(uint32).max;
                p += 4;
            }
            (p, root) = _trie(p, end, proven);
            if (p != end) revert ProofRefused(0, "length");
        }
    }

    /// Opens a chain's profile in a SuperRoot: the first number that it withdrew, `type(uint64).max` where none.
    /// Bytes: `chain_id ‖ count ‖ rules ‖ sequence ‖ timestamp ‖ row ‖ count ‖ registry ‖ path of slot 55`.
    function openWithdrawal(bytes calldata opening, bytes32 logId)
        internal
        pure
        returns (uint64 sequence, uint8 row, uint64 from, bytes32 hash)
    {
        unchecked {
            uint256 p;
            uint256 end;
            assembly ("memory-safe") {
                p := opening.offset
                end := add(p, opening.length)
            }
            uint256 rules = p;
            uint256 ruleCount = _word(p + 8) >> 248;
            p += 9;
            from = type(uint64).max;
            for (uint256 i; i < ruleCount; ++i) {
                uint256 word = _word(p + 10 * i);
                uint64 number = uint64(word >> 192);
                if ((word >> 176) & 0xffff == 0 && number < from) from = number;
            }
            p += 10 * ruleCount;
            uint256 head = _word(p);
            sequence = uint64(head >> 192);
            row = uint8(head >> 120);
            uint256 count = (head >> 112) & 0xff;
            if (row >= count || count > 45) revert ProofRefused(5, "row");
            uint256 numbers = head & ~uint256(type(uint128).max);
            p += 18;
            uint256 zeros = _zeros();
            bytes32 node;
            (p, node) = _registry(p, _profileHash(rules), row, count, zeros);
            uint256 mask = _word(p) >> 240;
            p += 2;
            if (mask >> 6 != 0) revert ProofRefused(5, "paths");
            for (uint256 h; h < 6; ++h) {
                bytes32 sibling;
                assembly ("memory-safe") {
                    sibling := mload(add(zeros, shl(5, h)))
                }
                if ((mask >> h) & 1 == 0) {
                    if (bytes32(_word(p)) == sibling) revert ProofRefused(5, "paths");
                    sibling = bytes32(_word(p));
                    p += 32;
                }
                node = (uint256(55) >> h) & 1 == 1 ? _node(sibling, node) : _node(node, sibling);
            }
            if (p != end) revert ProofRefused(0, "length");
            hash = keccak256(abi.encodePacked(uint16(0x0705), logId, bytes16(bytes32(numbers)), node));
        }
    }

    function _node(bytes32 left, bytes32 right) private pure returns (bytes32) {
        return keccak256(abi.encodePacked(uint8(1), left, right));
    }

    // -- level 1 -----------------------------------------------------------------------------------------------------

    /// Leaf and trie nodes, built from the leaf up: the root to which they lead.
    function _trie(uint256 p, uint256 end, Proven memory proven) private pure returns (uint256, bytes32 node) {
        unchecked {
            uint256 length = _word(p) >> 232;
            p += 3;
            if (length < 56 || p + length + 2 > end) revert ProofRefused(1, "leaf");
            (proven.leafAt, proven.leafLength) = (p, length);
            p += length;
            (uint256 key, uint256 nibbles) = _key(proven.txIndex);
            uint256 head = _word(p);
            uint256 own = head >> 248;
            uint256 levels = (head >> 240) & 0xff;
            p += 2;
            if (own > nibbles) revert ProofRefused(1, "path");
            node = _leafNode(proven.leafAt, length, key & ((1 << (4 * own)) - 1), own);
            // shifted so that the nibble above what was taken is the lowest
            key >>= 4 * own;
            nibbles -= own;
            for (; levels != 0; --levels) {
                uint256 mask = _word(p) >> 240;
                p += 2;
                if (mask == 0) {
                    uint256 count = _word(p) >> 248;
                    p += 1;
                    if (count == 0 || count > nibbles) revert ProofRefused(1, "extension");
                    node = _extensionNode(node, key & ((1 << (4 * count)) - 1), count);
                    key >>= 4 * count;
                    nibbles -= count;
                } else {
                    if (nibbles == 0 || (mask >> (key & 15)) & 1 != 0) revert ProofRefused(1, "branch");
                    (p, node) = _branchNode(p, node, mask, key & 15);
                    key >>= 4;
                    --nibbles;
                }
            }
            if (nibbles != 0) revert ProofRefused(1, "path");
            return (p, node);
        }
    }

    /// `rlp(index)` as a number, and its count of nibbles.
    function _key(uint256 index) private pure returns (uint256 key, uint256 nibbles) {
        if (index == 0) return (0x80, 2);
        if (index < 0x80) return (index, 2);
        if (index < 0x100) return ((0x81 << 8) | index, 4);
        if (index < 0x10000) return ((0x82 << 16) | index, 6);
        if (index < 0x1000000) return ((0x83 << 24) | index, 8);
        return ((0x84 << 32) | index, 10);
    }

    function _leafNode(uint256 leafAt, uint256 length, uint256 path, uint256 count)
        private
        pure
        returns (bytes32 hash)
    {
        assembly ("memory-safe") {
            let m := mload(0x40)
            // hex prefix: 2 or 3 before the nibbles, one byte more than half of them
            let bytesOfPath := add(1, shr(1, count))
            path := or(path, shl(mul(4, count), add(2, and(count, 1))))
            if iszero(and(count, 1)) {
                path := or(and(path, sub(shl(mul(4, count), 1), 1)), shl(mul(4, count), 0x20))
            }
            let w := add(m, 32)
            if gt(bytesOfPath, 1) {
                mstore8(w, add(0x80, bytesOfPath))
                w := add(w, 1)
            }
            mstore(w, shl(sub(256, mul(8, bytesOfPath)), path))
            w := add(w, bytesOfPath)
            switch lt(length, 0x100)
            case 1 {
                mstore(w, shl(240, or(0xb800, length)))
                w := add(w, 2)
            }
            default {
                switch lt(length, 0x10000)
                case 1 {
                    mstore(w, shl(232, or(0xb90000, length)))
                    w := add(w, 3)
                }
                default {
                    mstore(w, shl(224, or(0xba000000, length)))
                    w := add(w, 4)
                }
            }
            calldatacopy(w, leafAt, length)
            w := add(w, length)
            let payload := sub(w, add(m, 32))
            // the list's own prefix stands right before its payload
            switch lt(payload, 0x100)
            case 1 {
                mstore(m, or(0xf800, payload))
                hash := keccak256(add(m, 30), add(payload, 2))
            }
            default {
                switch lt(payload, 0x10000)
                case 1 {
                    mstore(m, or(0xf90000, payload))
                    hash := keccak256(add(m, 29), add(payload, 3))
                }
                default {
                    mstore(m, or(0xfa000000, payload))
                    hash := keccak256(add(m, 28), add(payload, 4))
                }
            }
        }
    }

    function _extensionNode(bytes32 child, uint256 path, uint256 count) private pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            let m := mload(0x40)
            let bytesOfPath := add(1, shr(1, count))
            if and(count, 1) { path := or(path, shl(mul(4, count), 1)) }
            let w := add(m, 1)
            if gt(bytesOfPath, 1) {
                mstore8(w, add(0x80, bytesOfPath))
                w := add(w, 1)
            }
            mstore(w, shl(sub(256, mul(8, bytesOfPath)), path))
            w := add(w, bytesOfPath)
            mstore8(w, 0xa0)
            mstore(add(w, 1), child)
            let payload := sub(add(w, 33), add(m, 1))
            mstore8(m, add(0xc0, payload))
            hash := keccak256(m, add(payload, 1))
        }
    }

    function _branchNode(uint256 p, bytes32 child, uint256 mask, uint256 own)
        private
        pure
        returns (uint256 next, bytes32 hash)
    {
        assembly ("memory-safe") {
            // a child for each of `count` bits, read from calldata where the bit is set
            function children(from, to, bits, count) -> read, written, rest {
                read := from
                written := to
                rest := bits
                for { let i := 0 } lt(i, count) { i := add(i, 1) } {
                    switch and(rest, 1)
                    case 0 {
                        mstore8(written, 0x80)
                        written := add(written, 1)
                    }
                    default {
                        mstore8(written, 0xa0)
                        mstore(add(written, 1), calldataload(read))
                        read := add(read, 32)
                        written := add(written, 33)
                    }
                    rest := shr(1, rest)
                }
            }
            let m := mload(0x40)
            let begin := add(m, 3)
            let w := begin
            // children before the key's own, that one, and those behind it
            p, w, mask := children(p, w, mask, own)
            mstore8(w, 0xa0)
            mstore(add(w, 1), child)
            w := add(w, 33)
            p, w, mask := children(p, w, shr(1, mask), sub(15, own))
            mstore8(w, 0x80)
            let payload := sub(add(w, 1), begin)
            switch lt(payload, 0x100)
            case 1 {
                mstore8(add(m, 1), 0xf8)
                mstore8(add(m, 2), payload)
                hash := keccak256(add(m, 1), add(payload, 2))
            }
            default {
                mstore8(m, 0xf9)
                mstore8(add(m, 1), shr(8, payload))
                mstore8(add(m, 2), payload)
                hash := keccak256(m, add(payload, 3))
            }
            next := p
        }
    }

    /// Log at the proven position in a proven receipt, which is read whole and strictly.
    function logOf(Proven memory proven) internal pure returns (Log memory log) {
        unchecked {
            if (proven.subject != LOG) revert ProofRefused(1, "subject");
            uint256 p = proven.leafAt;
            uint256 end = p + proven.leafLength;
            uint256 kind = _word(p) >> 248;
            if (kind < 0x80) {
                if (kind == 0) revert ProofRefused(1, "receipt type");
                p += 1;
            } else {
                kind = 0;
            }
            uint256 listEnd;
            (p, listEnd) = _list(p, end);
            if (listEnd != end) revert ProofRefused(1, "receipt");
            uint256 status = _word(p) >> 248;
            if (status == 0xa0) p += 33;
            else if (status == 0x80 || status == 0x01) p += 1;
            else revert ProofRefused(1, "status");
            p = _integer(p, 8);
            if (_word(p) >> 232 != 0xb90100) revert ProofRefused(1, "bloom");
            p += 259;
            uint256 logsEnd;
            (p, logsEnd) = _list(p, end);
            uint256 wanted = proven.logIndex;
            bool found;
            while (p < logsEnd) {
                (uint256 next, Log memory one) = _log(p, logsEnd, wanted == 0);
                if (wanted == 0) (log, found) = (one, true);
                --wanted;
                p = next;
            }
            if (!found) revert ProofRefused(1, "log index");
            if (p != end) {
                if (kind == 0x7e) p = _integer(_integer(p, 8), 8);
                else if (kind == 0x7b) p = _integer(p, 32);
                if (p != end) revert ProofRefused(1, "receipt");
            }
        }
    }

    /// `[address, topics, data]`.
    function _log(uint256 p, uint256 end, bool isWanted) private pure returns (uint256 next, Log memory log) {
        unchecked {
            (p, next) = _list(p, end);
            uint256 word = _word(p);
            if (word >> 248 != 0x94) revert ProofRefused(1, "log address");
            uint256 emitter = (word >> 88) & type(uint160).max;
            uint256 topicsEnd;
            (p, topicsEnd) = _list(p + 21, next);
            uint256 topicsAt = p;
            uint256 count;
            for (; p < topicsEnd; p += 33) {
                if (_word(p) >> 248 != 0xa0) revert ProofRefused(1, "topic");
                ++count;
            }
            if (p != topicsEnd || count > 4) revert ProofRefused(1, "topics");
            (uint256 dataAt, uint256 dataEnd) = _string(p, next, 1);
            if (dataEnd != next) revert ProofRefused(1, "log");
            if (isWanted) log = Log(address(uint160(emitter)), topicsAt, count, dataAt, dataEnd - dataAt);
        }
    }

    // -- RLP, one encoding alone -------------------------------------------------------------------------------------

    function _list(uint256 p, uint256 end) private pure returns (uint256 begin, uint256 listEnd) {
        unchecked {
            uint256 first = _word(p) >> 248;
            if (first < 0xc0) revert ProofRefused(1, "no list");
            (begin, listEnd) = _payload(p, first - 0xc0, 1);
            if (listEnd > end) revert ProofRefused(1, "list");
        }
    }

    function _string(uint256 p, uint256 end, uint256 level) private pure returns (uint256 begin, uint256 stringEnd) {
        unchecked {
            uint256 first = _word(p) >> 248;
            if (first < 0x80) return (p, p + 1);
            if (first >= 0xc0) revert ProofRefused(level, "no string");
            (begin, stringEnd) = _payload(p, first - 0x80, level);
            if (first == 0x81 && _word(begin) >> 248 < 0x80) revert ProofRefused(level, "byte");
            if (stringEnd > end) revert ProofRefused(level, "string");
        }
    }

    function _payload(uint256 p, uint256 short, uint256 level)
        private
        pure
        returns (uint256 begin, uint256 payloadEnd)
    {
        unchecked {
            if (short < 56) return (p + 1, p + 1 + short);
            uint256 bytesOfLength = short - 55;
            // four bytes count more than calldata has
            if (bytesOfLength > 4) revert ProofRefused(level, "length");
            uint256 length = (_word(p + 1)) >> (256 - 8 * bytesOfLength);
            if (length < 56 || length >> (8 * (bytesOfLength - 1)) == 0) revert ProofRefused(level, "length");
            begin = p + 1 + bytesOfLength;
            payloadEnd = begin + length;
        }
    }

    /// Integer of at most `most` bytes, without leading zeros: the position behind it.
    function _integer(uint256 p, uint256 most) private pure returns (uint256) {
        unchecked {
            uint256 word = _word(p);
            uint256 first = word >> 248;
            if (first <= 0x80) {
                if (first == 0) revert ProofRefused(1, "integer");
                return p + 1;
            }
            uint256 length = first - 0x80;
            uint256 lead = (word >> 240) & 0xff;
            if (length > most || lead == 0 || (length == 1 && lead < 0x80)) revert ProofRefused(1, "integer");
            return p + 1 + length;
        }
    }

    // -- level 2 -----------------------------------------------------------------------------------------------------

    /// Numbers of fields that a layout knows, a bit each.
    uint256 private constant COUNTS_ETHEREUM = 0xf38000; // 15, 16, 17, 20 to 23
    uint256 private constant COUNTS_15_16 = 0x18000;
    uint256 private constant COUNTS_AVALANCHE = 0x454b0000; // 16, 17, 19, 22, 24, 26, 30
    uint256 private constant COUNTS_SONIC = 0x80000; // 19
    /// Forms of fields from the eighth on, four bits each, the first lowest: 0 u64, 1 hash, 2 u256, 3 bytes, 4 eight
    /// bytes, 5 65 bytes.
    uint256 private constant FIELDS_ETHEREUM = 0x0111001041300002;
    uint256 private constant FIELDS_AURA = 0x050300002;
    uint256 private constant FIELDS_AVALANCHE = 0x100000141300002;
    uint256 private constant FIELDS_SONIC = 0x001041300002;

    /// Whole header: block hash, number, both roots; and the rule for the number, by the profile and by this contract.
    function _header(uint256 p, uint256 end, Proven memory proven, uint256 rules) internal pure returns (uint256) {
        unchecked {
            uint256 length = _word(p) >> 240;
            p += 2;
            uint256 headerEnd = p + length;
            if (headerEnd > end || _word(p) >> 248 != 0xf9 || (_word(p) >> 232) & 0xffff != length - 3 || length < 259)
            {
                revert ProofRefused(2, "header");
            }
            bytes32 hash;
            assembly ("memory-safe") {
                let m := mload(0x40)
                calldatacopy(m, p, length)
                hash := keccak256(m, length)
            }
            proven.blockHash = hash;
            p += 3;
            // ten fields and the miner second: Celo's own chain
            bool isCeloL1 = _word(p + 33) >> 248 == 0x94;
            uint256 rule;
            if (isCeloL1) {
                proven.transactionsRoot = bytes32(_word(p + 88));
                proven.receiptsRoot = bytes32(_word(p + 121));
                bool isFixed = _hashes(p, 0) && _hashes(p, 54) && _hashes(p, 87) && _hashes(p, 120)
                    && _word(p + 153) >> 232 == 0xb90100;
                if (!isFixed) revert ProofRefused(2, "header field");
                p += 412;
                proven.blockNumber = _number(p);
                rule = _rule(proven, rules);
                if (rule != 3) revert ProofRefused(2, "header layout");
                p = _headerInteger(_headerInteger(_headerInteger(p, 8), 8), 8);
                p = _skip(p, headerEnd);
                if (p != headerEnd) revert ProofRefused(2, "header fields");
                return p;
            }
            proven.transactionsRoot = bytes32(_word(p + 121));
            proven.receiptsRoot = bytes32(_word(p + 154));
            bool isWell = _hashes(p, 0) && _hashes(p, 33) && _word(p + 66) >> 248 == 0x94 && _hashes(p, 87)
                && _hashes(p, 120) && _hashes(p, 153) && _word(p + 186) >> 232 == 0xb90100;
            if (!isWell) revert ProofRefused(2, "header field");
            p += 445;
            proven.blockNumber = _number(_headerInteger(p, 32));
            rule = _rule(proven, rules);
            (uint256 counts, uint256 fields) = _layout(rule);
            uint256 count = 7;
            while (p < headerEnd) {
                uint256 form = fields & 15;
                fields >>= 4;
                ++count;
                if (form == 0) {
                    p = _headerInteger(p, 8);
                } else if (form == 1) {
                    if (!_hashes(p, 0)) revert ProofRefused(2, "header field");
                    p += 33;
                } else if (form == 2) {
                    p = _headerInteger(p, 32);
                } else if (form == 3) {
                    p = _skip(p, headerEnd);
                } else if (form == 4) {
                    if (_word(p) >> 248 != 0x88) revert ProofRefused(2, "header field");
                    p += 9;
                } else {
                    if (_word(p) >> 240 != 0xb841) revert ProofRefused(2, "header field");
                    p += 67;
                }
            }
            if (p != headerEnd || count > 30 || (counts >> count) & 1 == 0) revert ProofRefused(2, "header fields");
            // since Helicon Avalanche's header names the receipts of other blocks
            proven.settlesOthers = count == 30;
            if (count == 30 && proven.subject == LOG) revert ProofRefused(1, "settled receipts");
            return p;
        }
    }

    function _layout(uint256 rule) private pure returns (uint256 counts, uint256 fields) {
        if (rule == 1) return (COUNTS_ETHEREUM, FIELDS_ETHEREUM);
        if (rule == 2) return (COUNTS_15_16, FIELDS_AURA);
        if (rule == 4) return (COUNTS_15_16, FIELDS_ETHEREUM);
        if (rule == 5) return (COUNTS_AVALANCHE, FIELDS_AVALANCHE);
        if (rule == 6) return (COUNTS_SONIC, FIELDS_SONIC);
        revert ProofRefused(2, "header layout");
    }

    function _hashes(uint256 p, uint256 offset) private pure returns (bool) {
        unchecked {
            return _word(p + offset) >> 248 == 0xa0;
        }
    }

    function _headerInteger(uint256 p, uint256 most) private pure returns (uint256) {
        unchecked {
            uint256 word = _word(p);
            uint256 first = word >> 248;
            if (first <= 0x80) {
                if (first == 0) revert ProofRefused(2, "header integer");
                return p + 1;
            }
            uint256 length = first - 0x80;
            uint256 lead = (word >> 240) & 0xff;
            if (length > most || lead == 0 || (length == 1 && lead < 0x80)) revert ProofRefused(2, "header integer");
            return p + 1 + length;
        }
    }

    /// Value of an integer of at most eight bytes.
    function _number(uint256 p) private pure returns (uint256 value) {
        unchecked {
            _headerInteger(p, 8);
            uint256 first = _word(p) >> 248;
            if (first == 0x80) return 0;
            if (first < 0x80) return first;
            return (_word(p + 1)) >> (256 - 8 * (first - 0x80));
        }
    }

    /// String of any length: the position behind it.
    function _skip(uint256 p, uint256 end) private pure returns (uint256 stringEnd) {
        (, stringEnd) = _string(p, end, 2);
    }

    /// Rule for the block's number: the last one at or below it in the log's profile, and this contract's own. A
    /// withdrawn number has none.
    function _rule(Proven memory proven, uint256 rules) internal pure returns (uint256 rule) {
        unchecked {
            uint256 number = proven.blockNumber;
            if (number > SAFE_MAX) revert ProofRefused(0, "block number");
            uint256 count = _word(rules + 8) >> 248;
            rules += 9;
            bool has;
            for (uint256 i; i < count; ++i) {
                uint256 word = _word(rules + 10 * i);
                if (word >> 192 > number) continue;
                uint256 code = (word >> 176) & 0xffff;
                if (code == 0) revert ProofRefused(0, "withdrawn");
                (rule, has) = (code, true);
            }
            if (!has || rule != ownRule(proven.chainId, number)) revert ProofRefused(0, "rule");
        }
    }

    /// Rule of the header's layout, as this contract knows the chain; 0 for a chain that it does not know. Source:
    /// crates/chain/chains.toml.
    function ownRule(uint256 chainId, uint256 number) internal pure returns (uint256) {
        if (
            chainId == 1 || chainId == 10 || chainId == 8_453 || chainId == 42_161 || chainId == 137 || chainId == 56
                || chainId == 59_144 || chainId == 534_352 || chainId == 130 || chainId == 143 || chainId == 480
                || chainId == 999 || chainId == 1_868 || chainId == 57_073 || chainId == 167_000
        ) {
            return 1;
        }
        if (chainId == 100) return number < 25_349_537 ? 2 : 1;
        if (chainId == 146) return 6;
        if (chainId == 42_220) return number < 21_616_000 ? 3 : number < 31_056_500 ? 4 : 1;
        if (chainId == 43_114) return 5;
        if (chainId == BITCOIN) return 0x0101;
        return 0;
    }

    // -- level 3 and 4 -----------------------------------------------------------------------------------------------

    /// Block leaf and eleven siblings: the twig's root.
    function _twig(uint256 p, Proven memory proven, uint256 zeros) private pure returns (uint256, bytes32 node) {
        unchecked {
            uint256 mask = _word(p) >> 240;
            p += 2;
            if (mask >> 11 != 0) revert ProofRefused(3, "mask");
            uint256 slot = proven.blockNumber << 5;
            bytes32 blockHash = proven.blockHash;
            uint256 head = (_chainKey(proven.chainId) << 176) | (proven.blockNumber << 112);
            assembly ("memory-safe") {
                let m := mload(0x40)
                mstore(m, head)
                mstore(add(m, 18), blockHash)
                node := keccak256(m, 50)
            }
            bool isBad;
            assembly ("memory-safe") {
                let n := mload(0x40)
                mstore(n, 1)
                for { let top := add(zeros, 0x160) } lt(zeros, top) { zeros := add(zeros, 32) } {
                    let sibling := mload(zeros)
                    if iszero(and(mask, 1)) {
                        let given := calldataload(p)
                        p := add(p, 32)
                        isBad := or(isBad, eq(given, sibling))
                        sibling := given
                    }
                    let side := and(slot, 32)
                    mstore(add(add(n, 32), side), node)
                    mstore(sub(add(n, 64), side), sibling)
                    node := keccak256(add(n, 31), 65)
                    mask := shr(1, mask)
                    slot := shr(1, slot)
                }
            }
            if (isBad) revert ProofRefused(3, "empty sibling");
            return (p, node);
        }
    }

    /// Twig leaf and its path in the range: the Mini-MMR's root.
    function _miniMmr(uint256 p, bytes32 twigRoot, Proven memory proven) private pure returns (uint256, bytes32 node) {
        uint256 index = _word(p) >> 192;
        uint256 count = _word(p + 8) >> 192;
        p += 16;
        if (index >= count || count > SAFE_MAX) revert ProofRefused(4, "leaf index");
        uint256 family = _chainKey(proven.chainId) >> 64;
        uint256 head = (2 << 248) | (_chainKey(proven.chainId) << 176) | ((proven.blockNumber >> 11) << 112);
        assembly ("memory-safe") {
            let n := mload(0x40)
            mstore(n, head)
            mstore(add(n, 18), twigRoot)
            node := keccak256(n, 50)
            mstore(n, 1)
            let last := sub(count, 1)
            for {} last {} {
                let side := shl(5, or(and(index, 1), eq(index, last)))
                mstore(add(add(n, 32), side), node)
                mstore(sub(add(n, 64), side), calldataload(p))
                p := add(p, 32)
                node := keccak256(add(n, 31), 65)
                if side {
                    for {} and(iszero(and(index, 1)), gt(index, 0)) {} {
                        index := shr(1, index)
                        last := shr(1, last)
                    }
                }
                index := shr(1, index)
                last := shr(1, last)
            }
            mstore(n, or(or(shl(248, 3), shl(240, family)), shl(176, count)))
            mstore(add(n, 10), node)
            node := keccak256(n, 42)
        }
        return (p, node);
    }

    /// Block reference of an open twig: its hash.
    function _reference(uint256 p, bytes32 twigRoot, Proven memory proven, uint256 firstNumber)
        private
        pure
        returns (uint256, bytes32 hash)
    {
        unchecked {
            uint256 start = _word(p) >> 192;
            uint256 top = _word(p + 8) >> 192;
            bytes32 topHash = bytes32(_word(p + 16));
            uint256 number = proven.blockNumber;
            if (top > SAFE_MAX || start > number || number > top || number >> 11 != (top + 1) >> 11) {
                revert ProofRefused(5, "open twig");
            }
            if (start != firstNumber && (start < firstNumber || start & 2047 != 0)) revert ProofRefused(5, "start");
            if (number == top && topHash != proven.blockHash) revert ProofRefused(5, "block of the reference");
            uint256 head = (4 << 248) | (_chainKey(proven.chainId) << 176) | (start << 112) | (top << 48);
            assembly ("memory-safe") {
                let m := mload(0x40)
                mstore(m, head)
                mstore(add(m, 26), topHash)
                mstore(add(m, 58), twigRoot)
                hash := keccak256(m, 90)
            }
            return (p + 48, hash);
        }
    }

    // -- level 5 -----------------------------------------------------------------------------------------------------

    /// `08 ‖ family ‖ chain_id ‖ length ‖ eip155:<chain_id> ‖ count ‖ rules`; Bitcoin has a name of its own.
    function _profileHash(uint256 rules) private pure returns (bytes32 hash) {
        uint256 id = _word(rules) >> 192;
        uint256 count = _word(rules + 8) >> 248;
        if (id == BITCOIN) {
            assembly ("memory-safe") {
                let m := mload(0x40)
                mstore(m, or(or(shl(248, 8), shl(240, 1)), or(shl(176, id), shl(168, 39))))
                mstore(add(m, 11), "bip122:000000000019d6689c085ae16")
                mstore(add(m, 43), "5831e93")
                calldatacopy(add(m, 50), add(rules, 8), add(1, mul(10, count)))
                hash := keccak256(m, add(51, mul(10, count)))
            }
            return hash;
        }
        assembly ("memory-safe") {
            let m := mload(0x40)
            // decimal digits, the last first
            let digits := 0
            let length := 0
            for { let rest := id } or(rest, iszero(length)) { rest := div(rest, 10) } {
                digits := or(shr(8, digits), shl(248, add(48, mod(rest, 10))))
                length := add(length, 1)
            }
            mstore(m, or(or(shl(248, 8), shl(176, id)), shl(168, add(7, length))))
            mstore(add(m, 11), "eip155:")
            mstore(add(m, 18), digits)
            let w := add(add(m, 18), length)
            calldatacopy(w, add(rules, 8), add(1, mul(10, count)))
            hash := keccak256(m, sub(add(w, add(1, mul(10, count))), m))
        }
    }

    /// Sequence, time, the profile in the registry, both paths: the SuperRoot's hash.
    function _superRoot(
        uint256 p,
        bytes32 value,
        bool open,
        Proven memory proven,
        bytes32 logId,
        bytes32 profileHash,
        uint256 zeros
    ) private pure returns (uint256) {
        unchecked {
            uint256 word = _word(p);
            proven.sequence = word >> 192;
            proven.timestamp = (word >> 128) & type(uint64).max;
            proven.row = (word >> 120) & 0xff;
            uint256 count = (word >> 112) & 0xff;
            p += 18;
            if (proven.sequence > SAFE_MAX || proven.timestamp > SAFE_MAX) revert ProofRefused(5, "sequence");
            if (proven.row >= count || count > 45) revert ProofRefused(5, "row");
            bytes32 registry;
            (p, registry) = _registry(p, profileHash, proven.row, count, zeros);
            bytes32 treeRoot;
            (p, treeRoot) = _pair(p, value, open ? 9 + proven.row : _chainKey(proven.chainId) >> 64, registry, zeros);
            uint256 numbers = (proven.sequence << 192) | (proven.timestamp << 128);
            bytes32 hash;
            assembly ("memory-safe") {
                let m := mload(0x40)
                mstore(m, shl(240, 0x0705))
                mstore(add(m, 2), logId)
                mstore(add(m, 34), numbers)
                mstore(add(m, 50), treeRoot)
                hash := keccak256(m, 82)
            }
            proven.superRootHash = hash;
            return p;
        }
    }

    /// Path of a row among the registry's: rows at or past the count are empty.
    function _registry(uint256 p, bytes32 node, uint256 row, uint256 count, uint256 zeros)
        private
        pure
        returns (uint256, bytes32)
    {
        assembly ("memory-safe") {
            let n := mload(0x40)
            mstore(n, 1)
            for { let h := 0 } lt(h, 6) { h := add(h, 1) } {
                let at := shr(h, row)
                let sibling := mload(add(zeros, shl(5, h)))
                if lt(shl(h, xor(at, 1)), count) {
                    sibling := calldataload(p)
                    p := add(p, 32)
                }
                let side := shl(5, and(at, 1))
                mstore(add(add(n, 32), side), node)
                mstore(sub(add(n, 64), side), sibling)
                node := keccak256(add(n, 31), 65)
            }
            mstore(n, or(shl(248, 6), shl(232, count)))
            mstore(add(n, 3), node)
            node := keccak256(n, 35)
        }
        return (p, node);
    }

    /// Paths of a slot and of slot 55 to the root of the SuperRoot's tree; they meet below it.
    function _pair(uint256 p, bytes32 value, uint256 slot, bytes32 registry, uint256 zeros)
        private
        pure
        returns (uint256, bytes32 node)
    {
        uint256 mask = _word(p) >> 240;
        p += 2;
        bool isBad;
        node = value;
        assembly ("memory-safe") {
            let n := mload(0x40)
            mstore(n, 1)
            let other := registry
            for { let h := 0 } lt(h, 6) { h := add(h, 1) } {
                let own := shr(h, slot)
                let to := shr(h, 55)
                let zero := mload(add(zeros, shl(5, h)))
                let side := shl(5, and(own, 1))
                mstore(add(add(n, 32), side), node)
                let given := other
                let apart := xor(own, to)
                // 1: each is the other's sibling, 0: they have met below
                if iszero(eq(apart, 1)) {
                    given := zero
                    if iszero(and(mask, 1)) {
                        given := calldataload(p)
                        p := add(p, 32)
                        isBad := or(isBad, eq(given, zero))
                    }
                    mask := shr(1, mask)
                }
                mstore(sub(add(n, 64), side), given)
                node := keccak256(add(n, 31), 65)
                if gt(apart, 1) {
                    given := zero
                    if iszero(and(mask, 1)) {
                        given := calldataload(p)
                        p := add(p, 32)
                        isBad := or(isBad, eq(given, zero))
                    }
                    mask := shr(1, mask)
                    side := shl(5, and(to, 1))
                    mstore(add(add(n, 32), side), other)
                    mstore(sub(add(n, 64), side), given)
                    other := keccak256(add(n, 31), 65)
                }
            }
        }
        if (isBad || mask != 0) revert ProofRefused(5, "paths");
        return (p, node);
    }

    // -- words -------------------------------------------------------------------------------------------------------

    function _word(uint256 p) internal pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := calldataload(p)
        }
    }

    /// Empty roots of the heights 0 to 10, in memory of their own.
    function _zeros() private pure returns (uint256 m) {
        assembly ("memory-safe") {
            m := mload(0x40)
            mstore(0x40, add(m, 0x160))
            mstore(m, 0)
            mstore(add(m, 0x20), 0xc07a1e8b7e0057673fdc2affe190d8a960c5fe615663f27b7ce84f3d93ef92a6)
            mstore(add(m, 0x40), 0xfd47517474a597637d54038a0663d1d03b931b238de06b73e3c12cf443de6e8d)
            mstore(add(m, 0x60), 0x47a8f5e8fa70be2760378067c9c6d410dd96be07820b4230c11254c7ff10c298)
            mstore(add(m, 0x80), 0xaed19ca4bfe2365b1b33fa94744cd0c6a2d550506c7e7efc073879cb79459b9a)
            mstore(add(m, 0xa0), 0x6e6998a7da8b2db5c98eb853099d8caec63797b5283b7dac37b2ffb630a86e24)
            mstore(add(m, 0xc0), 0x181c19735bff23b55bc295fc0b60c1c5c7288209b261a08e26924598ce72404e)
            mstore(add(m, 0xe0), 0xecb408b290ab2920e63611ef1e8ca964aebb66ea5739f19d24b92094f28e44f8)
            mstore(add(m, 0x100), 0x294bf9785e1391d24d52abf915636a73bdaa12ed29e85e21dae14c09d0f2e34b)
            mstore(add(m, 0x120), 0xcf7e37a934683edec795e3529db8fac0863519c2419ba24c0f6e4efa86ec7d1a)
            mstore(add(m, 0x140), 0x72ce48cca9bc743fed84a0bdc00ad2c5b540323849c982f671a9bd8d52d15719)
        }
    }
}
