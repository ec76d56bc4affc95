// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {ProofBase} from "./Proof.sol";

/// Each attack on the form, the rules and levels 2 to 5 is refused by its own check: no trusted hash hides that one is
/// missing. Next to each refusal is the neighbour that holds.
/// forge-config: default.evm_version = "cancun"
contract VerifierAttackTest is ProofBase {
    uint64 private constant SAFE_MAX = (1 << 53) - 1;

    function test_theFormItsSubjectAndItsLengthAreExact() external view {
        Proof memory proof = _sealed();
        bytes memory good = _bytes(proof);
        _holds(proof);
        for (uint256 length; length < good.length; ++length) {
            bytes memory cut = _bytes(proof);
            assembly ("memory-safe") {
                mstore(cut, length)
            }
            (bool ok,) = _ask(cut);
            require(!ok, "a cut proof is accepted");
        }
        proof.behind = good;
        _refused(proof, 0, "length");
        proof.behind = hex"00";
        _refused(proof, 0, "length");
        proof.behind = "";
        for (uint256 form; form < 256; ++form) {
            proof.form = uint8(form);
            if (form != 1) _refused(proof, 0, "form");
        }
        proof.form = 1;
        for (uint256 subject; subject < 256; ++subject) {
            proof.subject = uint8(subject);
            if (subject & ~uint256(4) > 2) _refused(proof, 0, "subject");
        }
    }

    function test_aChainThatIsNotKnownIsRefused() external view {
        uint64[6] memory unknown = [uint64(0), 2, 8_454, 43_113, 84_532, SAFE_MAX];
        Proof memory proof = _sealed();
        for (uint256 i; i < unknown.length; ++i) {
            proof.chain = unknown[i];
            _refused(proof, 0, "rule");
        }
        proof.chain = SAFE_MAX + 1;
        _refused(proof, 0, "profile");
        // Bitcoin has a form of its own
        proof.chain = 21_000_000;
        proof.rules = abi.encodePacked(uint8(1), _rule(0, 0x0101));
        _refused(proof, 2, "header layout");
    }

    function test_aRuleOtherThanTheChainsOwnIsRefused() external view {
        Proof memory proof = _sealed();
        for (uint16 code = 2; code < 7; ++code) {
            proof.rules = abi.encodePacked(uint8(1), _rule(0, code));
            _refused(proof, 0, "rule");
        }
        proof.rules = hex"00";
        _refused(proof, 0, "profile");
        proof.rules = abi.encodePacked(uint8(1), _rule(NUMBER + 1, 1));
        _refused(proof, 0, "rule");
        proof.rules = abi.encodePacked(uint8(2), _rule(0, 1), _rule(NUMBER, 2));
        _refused(proof, 0, "rule");
        proof.rules = abi.encodePacked(uint8(2), _rule(0, 1), _rule(NUMBER + 1, 2));
        _holds(proof);
    }

    function test_aWithdrawalBelowOrAtTheNumberIsRefusedAndOneAboveIsNot() external view {
        Proof memory proof = _sealed();
        uint64[4] memory covering = [uint64(0), 7, NUMBER - 1, NUMBER];
        for (uint256 i; i < covering.length; ++i) {
            proof.rules = abi.encodePacked(uint8(2), _rule(0, 1), _rule(covering[i], 0));
            _refused(proof, 0, "withdrawn");
            // no later rule takes it back
            proof.rules = abi.encodePacked(uint8(3), _rule(0, 1), _rule(covering[i], 0), _rule(NUMBER, 1));
            _refused(proof, 0, "withdrawn");
        }
        proof.rules = abi.encodePacked(uint8(2), _rule(0, 1), _rule(NUMBER + 1, 0));
        _holds(proof);
        proof.rules = abi.encodePacked(uint8(2), _rule(0, 1), _rule(type(uint64).max, 0));
        _holds(proof);
    }

    function test_onlyTheNumbersOfFieldsThatALayoutKnowsAreRead() external view {
        for (uint256 count = 13; count < 34; ++count) {
            bool isKnown = count == 15 || count == 16 || count == 17 || (count >= 20 && count <= 23);
            _read(
                BASE_CHAIN,
                _rule(0, 1),
                _header(ETHEREUM, count, NUMBER),
                isKnown ? bytes32(0) : bytes32("header fields")
            );
            bool isAvalanche =
                count == 16 || count == 17 || count == 19 || count == 22 || count == 24 || count == 26 || count == 30;
            bytes memory header = _header(AVALANCHE, count, NUMBER);
            _read(43_114, _rule(0, 5), header, isAvalanche ? bytes32(0) : bytes32("header fields"));
        }
    }

    /// A header with 30 fields names the receipts of other blocks.
    function test_noLogIsReadUnderAvalanchesSettledReceipts() external view {
        Proof memory proof = _of(43_114, _rule(0, 5), _header(AVALANCHE, 30, NUMBER));
        _holds(proof);
        proof.subject = 2;
        proof.entry = abi.encodePacked(uint32(1), uint32(0), uint24(56), new bytes(56), uint8(2), uint8(0));
        _refused(proof, 1, "settled receipts");
    }

    function test_celoAndGnosisChangeTheirLayoutAtTheirNumbers() external view {
        bytes memory rules = abi.encodePacked(_rule(0, 3), _rule(21_616_000, 4), _rule(31_056_500, 1));
        (bytes32 order, bytes32 fields) = (bytes32("header layout"), bytes32("header fields"));
        _read(42_220, rules, _header(CELO, 10, 21_615_999), 0);
        _read(42_220, rules, _header(CELO, 9, 21_615_999), fields);
        _read(42_220, rules, _header(CELO, 11, 21_615_999), fields);
        _read(42_220, rules, _header(ETHEREUM, 15, 21_615_999), order);
        _read(42_220, rules, _header(CELO, 10, 21_616_000), order);
        _read(42_220, rules, _header(ETHEREUM, 16, 21_616_000), 0);
        _read(42_220, rules, _header(ETHEREUM, 17, 21_616_000), fields);
        _read(42_220, rules, _header(ETHEREUM, 17, 31_056_499), fields);
        _read(42_220, rules, _header(ETHEREUM, 17, 31_056_500), 0);
        rules = abi.encodePacked(_rule(0, 2), _rule(25_349_537, 1));
        _read(100, rules, _header(AURA, 15, 25_349_536), 0);
        _read(100, rules, _header(ETHEREUM, 15, 25_349_537), 0);
        (bool ok,) = _ask(_bytes(_of(100, rules, _header(ETHEREUM, 15, 25_349_536))));
        (bool late,) = _ask(_bytes(_of(100, rules, _header(AURA, 15, 25_349_537))));
        assert(!ok && !late);
    }

    /// Every byte of a header that is not the value of a field decides whether it is read.
    function test_aHeaderThatIsNotInItsOneEncodingIsRefused() external view {
        Proof memory proof = _sealed();
        bytes memory header = proof.header;
        uint8[9] memory places = [3, 36, 69, 90, 123, 156, 189, 190, 191];
        for (uint256 i; i < places.length; ++i) {
            proof.header = bytes.concat(header);
            proof.header[places[i]] ^= 0x01;
            _refused(proof, 2, "header field");
        }
        proof.header = bytes.concat(header, hex"00");
        _refused(proof, 2, "header");
        proof.header = _header(ETHEREUM, 15, SAFE_MAX + 1);
        _refused(proof, 0, "block number");
        proof.header = bytes.concat(header);
        proof.header[448 + 33] = 0x00; // the first byte of the number
        _refused(proof, 2, "header integer");
    }

    function test_masksHaveNoHighBitsAndNoEmptySiblingIsWritten() external view {
        Proof memory proof = _sealed();
        for (uint256 bit = 11; bit < 16; ++bit) {
            proof.twigMask = uint16(1 << bit);
            _refused(proof, 3, "mask");
        }
        for (uint256 height; height < 11; ++height) {
            proof = _sealed();
            proof.twig[height] = _zero(height);
            _refused(proof, 3, "empty sibling");
            // left out it holds
            proof.twig = _without(proof.twig, height);
            proof.twigMask = uint16(1 << height);
            _holds(proof);
        }
        proof = _sealed();
        for (uint256 bit = 10; bit < 16; ++bit) {
            proof.pathsMask = uint16(1 << bit);
            _refused(proof, 5, "paths");
        }
        for (uint256 place; place < 10; ++place) {
            proof = _sealed();
            proof.paths[place] = _zero(place / 2);
            _refused(proof, 5, "paths");
            proof.paths = _without(proof.paths, place);
            proof.pathsMask = uint16(1 << place);
            _holds(proof);
        }
    }

    function test_leavesRowsSequencesAndTimesStayBelowTheirLimits() external view {
        Proof memory proof = _sealed();
        uint64[2][7] memory places = [
            [uint64(0), 0],
            [uint64(1), 1],
            [uint64(2), 1],
            [type(uint64).max, 1],
            [type(uint64).max, type(uint64).max],
            [uint64(0), SAFE_MAX + 1],
            [SAFE_MAX, SAFE_MAX + 1]
        ];
        for (uint256 i; i < places.length; ++i) {
            proof.place = abi.encodePacked(places[i][0], places[i][1]);
            _refused(proof, 4, "leaf index");
        }
        proof.place = abi.encodePacked(uint64(0), SAFE_MAX, _words("path", 53));
        _holds(proof);
        proof.place = abi.encodePacked(uint64(0), uint64(1));
        (proof.sequence, proof.timestamp) = (SAFE_MAX, SAFE_MAX);
        _holds(proof);
        (proof.sequence, proof.timestamp) = (SAFE_MAX + 1, 1);
        _refused(proof, 5, "sequence");
        (proof.sequence, proof.timestamp) = (1, SAFE_MAX + 1);
        _refused(proof, 5, "sequence");
        proof.timestamp = 1;
        (proof.row, proof.count) = (1, 1);
        _refused(proof, 5, "row");
        (proof.row, proof.count) = (0, 0);
        _refused(proof, 5, "row");
        (proof.row, proof.count) = (44, 46);
        _refused(proof, 5, "row");
    }

    function test_anOpenTwigHasTheBlockBetweenItsStartAndItsEnd() external view {
        Proof memory proof = _open();
        bytes32 hash = keccak256("top");
        _holds(proof);
        uint64 start = NUMBER & ~uint64(2047);
        uint64 last = start + 2047;
        uint64[2][6] memory wrong = [
            [NUMBER + 1, NUMBER + 7],
            [start, NUMBER - 1],
            [start, last],
            [start, last + 2048],
            [start, SAFE_MAX + 1],
            [type(uint64).max, NUMBER + 7]
        ];
        for (uint256 i; i < wrong.length; ++i) {
            proof.place = _reference(wrong[i][0], wrong[i][1], hash);
            _refused(proof, 5, "open twig");
        }
        proof.place = _reference(start, last - 1, hash);
        _holds(proof);
        // a run begins with a twig, or with the ledger's first number, and never below that
        proof.place = _reference(start + 1, NUMBER + 7, hash);
        _refused(proof, 5, "start");
        proof.rules = abi.encodePacked(uint8(1), _rule(start + 1, 1));
        _holds(proof);
        proof.place = _reference(start, NUMBER + 7, hash);
        _refused(proof, 5, "start");
        proof = _open();
        proof.place = _reference(start, NUMBER, hash);
        _refused(proof, 5, "block of the reference");
        proof.place = _reference(start, NUMBER, keccak256(proof.header));
        _holds(proof);
    }

    /// Whatever the log looks like, the proof leads to its SuperRoot, as docs/protocol.md defines it, and with one word
    /// changed to another one or to none.
    function testFuzz_aProofLeadsToTheSuperRootOfItsLog(uint256 seed, uint8 leaves, uint8 index, bool isOpen)
        external
        view
    {
        Proof memory proof = isOpen ? _open() : _sealed();
        bytes32 expected = _build(proof, seed, 1 + leaves % 40, index, isOpen);
        assert(_holds(proof) == expected);
        bytes memory changed = _bytes(proof);
        uint256 place = uint256(keccak256(abi.encode(seed, "place"))) % changed.length;
        changed[place] ^= bytes1(uint8(1 << (seed % 8)));
        (bool ok, bytes memory answer) = _ask(changed);
        if (ok) assert(bytes32(answer) != expected);
    }

    function _read(uint64 chain, bytes memory rules, bytes memory header, bytes32 refusal) private view {
        Proof memory proof = _of(chain, rules, header);
        if (refusal == 0) _holds(proof);
        else _refused(proof, 2, refusal);
    }

    // A log by the definitions

    function _build(Proof memory proof, uint256 seed, uint256 leaves, uint256 index, bool isOpen)
        private
        pure
        returns (bytes32)
    {
        bytes32 root = _buildTwig(proof, seed);
        if (isOpen) {
            bytes memory place = abi.encodePacked(uint8(4), uint8(0), proof.chain, proof.place);
            root = keccak256(abi.encodePacked(place, root));
        } else {
            bytes32 leaf = keccak256(abi.encodePacked(uint8(2), uint8(0), proof.chain, NUMBER / 2048, root));
            root = _buildRange(proof, seed, leaves, index % leaves, leaf);
        }
        (proof.count, proof.row) = (uint8(1 + (seed >> 8) % 45), 0);
        proof.row = uint8((seed >> 16) % proof.count);
        bytes32 registry = _buildRegistry(proof, seed);
        bytes32 tree = _buildTree(proof, seed, root, isOpen ? 9 + proof.row : 0, registry);
        return keccak256(abi.encodePacked(uint16(0x0705), LOG_ID, proof.sequence, proof.timestamp, tree));
    }

    function _buildTwig(Proof memory proof, uint256 seed) private pure returns (bytes32 node) {
        node = keccak256(abi.encodePacked(uint8(0), uint8(0), proof.chain, NUMBER, keccak256(proof.header)));
        proof.twig = new bytes32[](0);
        for (uint256 height; height < 11; ++height) {
            bytes32 sibling = keccak256(abi.encode(seed, "twig", height));
            if (uint256(sibling) % 3 == 0) {
                sibling = _zero(height);
                proof.twigMask |= uint16(1 << height);
            } else {
                proof.twig = _push(proof.twig, sibling);
            }
            node = (NUMBER >> height) & 1 == 1 ? _node(sibling, node) : _node(node, sibling);
        }
    }

    function _buildRange(Proof memory proof, uint256 seed, uint256 count, uint256 index, bytes32 leaf)
        private
        pure
        returns (bytes32)
    {
        bytes32[] memory all = new bytes32[](count);
        for (uint256 i; i < count; ++i) {
            all[i] = i == index ? leaf : keccak256(abi.encode(seed, "leaf", i));
        }
        bytes32[] memory path = _path(all, 0, count, index);
        proof.place = abi.encodePacked(uint64(index), uint64(count), path);
        return keccak256(abi.encodePacked(uint8(3), uint8(0), uint64(count), _range(all, 0, count)));
    }

    /// RFC 9162, 2.1.1.
    function _range(bytes32[] memory all, uint256 from, uint256 to) private pure returns (bytes32) {
        if (to - from == 1) return all[from];
        uint256 middle = from + _split(to - from);
        return _node(_range(all, from, middle), _range(all, middle, to));
    }

    /// RFC 9162, 2.1.3.1, the lowest sibling first.
    function _path(bytes32[] memory all, uint256 from, uint256 to, uint256 index)
        private
        pure
        returns (bytes32[] memory)
    {
        if (to - from == 1) return new bytes32[](0);
        uint256 middle = from + _split(to - from);
        if (index < middle) return _push(_path(all, from, middle, index), _range(all, middle, to));
        return _push(_path(all, middle, to, index), _range(all, from, middle));
    }

    /// Largest power of two below a count.
    function _split(uint256 count) private pure returns (uint256 power) {
        power = 1;
        while (2 * power < count) power *= 2;
    }

    function _buildRegistry(Proof memory proof, uint256 seed) private pure returns (bytes32) {
        bytes32[] memory rows = new bytes32[](64);
        for (uint256 row; row < proof.count; ++row) {
            rows[row] = keccak256(abi.encode(seed, "row", row));
        }
        bytes memory name = bytes("eip155:8453");
        rows[proof.row] =
            keccak256(abi.encodePacked(uint8(8), uint8(0), proof.chain, uint8(name.length), name, proof.rules));
        proof.registry = new bytes32[](0);
        bytes32[] memory nodes = rows;
        for (uint256 height; height < 6; ++height) {
            uint256 place = (proof.row >> height) ^ 1;
            if (place << height < proof.count) proof.registry = _push(proof.registry, nodes[place]);
            nodes = _above(nodes);
        }
        return keccak256(abi.encodePacked(uint8(6), uint16(proof.count), nodes[0]));
    }

    function _buildTree(Proof memory proof, uint256 seed, bytes32 value, uint256 slot, bytes32 registry)
        private
        pure
        returns (bytes32)
    {
        bytes32[] memory nodes = new bytes32[](64);
        for (uint256 i; i < 56; ++i) {
            nodes[i] = keccak256(abi.encode(seed, "slot", i));
            if (i > 8 && uint256(nodes[i]) % 4 != 0) nodes[i] = 0;
        }
        (nodes[slot], nodes[55]) = (value, registry);
        (proof.paths, proof.pathsMask) = (new bytes32[](0), 0);
        uint256 bit;
        for (uint256 height; height < 6; ++height) {
            uint256 own = slot >> height;
            uint256 to = uint256(55) >> height;
            if (own ^ to != 1) bit = _write(proof, nodes[own ^ 1], height, bit);
            if (own != to && own ^ to != 1) bit = _write(proof, nodes[to ^ 1], height, bit);
            nodes = _above(nodes);
        }
        return nodes[0];
    }

    function _write(Proof memory proof, bytes32 sibling, uint256 height, uint256 bit) private pure returns (uint256) {
        if (sibling == _zero(height)) proof.pathsMask |= uint16(1 << bit);
        else proof.paths = _push(proof.paths, sibling);
        return bit + 1;
    }

    function _above(bytes32[] memory nodes) private pure returns (bytes32[] memory above) {
        above = new bytes32[](nodes.length / 2);
        for (uint256 i; i < above.length; ++i) {
            above[i] = _node(nodes[2 * i], nodes[2 * i + 1]);
        }
    }

    function _push(bytes32[] memory words, bytes32 word) private pure returns (bytes32[] memory more) {
        more = new bytes32[](words.length + 1);
        for (uint256 i; i < words.length; ++i) {
            more[i] = words[i];
        }
        more[words.length] = word;
    }
}
