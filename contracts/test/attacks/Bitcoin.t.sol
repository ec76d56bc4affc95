// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {ProofBase} from "./Proof.sol";

interface IBitcoinVerifier {
    function checkOutput(bytes calldata proof, bytes32 logId)
        external
        view
        returns (bytes32 superRoot, uint256 valueSats);
}

/// Attacks on the levels of Bitcoin, each refused by its own check. Blocks of one or two transactions.
/// forge-config: default.evm_version = "cancun"
contract BitcoinAttackTest is ProofBase {
    uint64 private constant BITCOIN = 21_000_000;
    uint64 private constant HEIGHT = 900_001;
    bytes private constant RULE = hex"0100000000000000000101";

    function test_numberChainAndRulesAreThoseOfBitcoin() external view {
        bytes memory head = abi.encodePacked(uint8(2), uint8(0), BITCOIN);
        _works(_block(abi.encodePacked(head, RULE, HEIGHT)));
        _works(_block(abi.encodePacked(head, RULE, uint64((1 << 53) - 1))));
        _fails(_block(abi.encodePacked(head, RULE, uint64(1 << 53))), 0, "block number");
        _fails(_block(abi.encodePacked(uint8(2), uint8(3), BITCOIN, RULE, HEIGHT)), 0, "subject");
        _fails(_block(abi.encodePacked(uint8(1), uint8(0), BITCOIN, RULE, HEIGHT)), 0, "form");
        _fails(_block(abi.encodePacked(uint8(2), uint8(0), BITCOIN + 1, RULE, HEIGHT)), 0, "profile");
        _fails(_block(abi.encodePacked(uint8(2), uint8(0), uint64(1), RULE, HEIGHT)), 0, "profile");
        _fails(_block(abi.encodePacked(head, uint8(0), HEIGHT)), 0, "profile");
        _fails(_block(abi.encodePacked(head, uint8(1), _rule(0, 1), HEIGHT)), 0, "rule");
        _fails(_block(abi.encodePacked(head, uint8(1), _rule(HEIGHT + 1, 0x0101), HEIGHT)), 0, "rule");
        uint64[3] memory covering = [uint64(0), 7, HEIGHT];
        for (uint256 i; i < 3; ++i) {
            bytes memory rules = abi.encodePacked(uint8(2), _rule(0, 0x0101), _rule(covering[i], 0));
            _fails(_block(abi.encodePacked(head, rules, HEIGHT)), 0, "withdrawn");
        }
        bytes memory above = abi.encodePacked(uint8(2), _rule(0, 0x0101), _rule(HEIGHT + 1, 0));
        _works(_block(abi.encodePacked(head, above, HEIGHT)));
    }

    function test_aTransactionIsWhereItsBranchSaysAndIsReadWhole() external view {
        bytes memory first = _coinbase(hex"6d616465");
        bytes memory paid = _transaction(hex"51515151515151515151515151515151515151515151", 2_100_000_000_000_000);
        _works(_output(1, 0, 2, paid, first));
        assert(_value(_output(1, 0, 2, paid, first)) == 2_100_000_000_000_000);
        _fails(_output(1, 1, 2, paid, first), 1, "output index");
        _fails(_output(1, type(uint32).max - 1, 2, paid, first), 1, "output index");
        _fails(_output(2, 0, 2, paid, first), 1, "transaction count");
        _fails(_output(1, 0, 0, paid, first), 1, "transaction count");
        _fails(_output(1, 0, 16_667, paid, first), 1, "transaction count");
        _fails(_output(1, 0, 2, _transaction(hex"51", 2_100_000_000_000_001), first), 1, "output amount");
        // as long as two hashes: an inner node
        bytes memory node = _transaction(hex"51515151", 9);
        assert(node.length == 64);
        _fails(_output(1, 0, 2, node, first), 1, "transaction length");
        _fails(_output(1, 0, 2, bytes.concat(paid, hex"00"), first), 1, "transaction");
        // a first transaction that spends something, and one whose script is too short
        uint8[3] memory places = [5, 36, 37]; // the first and the last byte of the hash that it spends, and the index
        for (uint256 i; i < 3; ++i) {
            bytes memory spending = bytes.concat(first);
            spending[places[i]] ^= 0x01;
            _fails(_output(1, 0, 2, paid, spending), 1, "coinbase");
        }
        _fails(_output(1, 0, 2, paid, _coinbase(hex"6d")), 1, "coinbase");
        // a tail that is there twice has the root of the shorter block
        _fails(_output(1, 0, 2, first, first), 1, "doubled node");
    }

    function _coinbase(bytes memory script) private pure returns (bytes memory) {
        bytes memory input = abi.encodePacked(bytes32(0), hex"ffffffff", uint8(script.length), script, hex"ffffffff");
        return abi.encodePacked(hex"0200000001", input, hex"01", hex"00f2052a01000000", hex"0151", hex"00000000");
    }

    function _transaction(bytes memory script, uint64 sats) private pure returns (bytes memory) {
        bytes memory value;
        for (uint256 i; i < 8; ++i) {
            value = abi.encodePacked(value, uint8(sats >> (8 * i)));
        }
        bytes memory input = abi.encodePacked(keccak256("spent"), hex"01000000", uint8(0), hex"ffffffff");
        return abi.encodePacked(hex"0200000001", input, hex"01", value, uint8(script.length), script, hex"00000000");
    }

    function _block(bytes memory head) private pure returns (bytes memory) {
        return _behind(head, keccak256("merkle root"));
    }

    /// Output of the second transaction of two, whatever is claimed of its place.
    function _output(uint32 index, uint32 output, uint32 count, bytes memory leaf, bytes memory first)
        private
        pure
        returns (bytes memory)
    {
        (bytes32 left, bytes32 right) = (_twice(first), _twice(leaf));
        bytes memory head = abi.encodePacked(uint8(2), uint8(2), BITCOIN, RULE, HEIGHT, index, output, count);
        bytes memory branches = abi.encodePacked(uint24(leaf.length), leaf, left, uint24(first.length), first, right);
        return _behind(bytes.concat(head, branches), _twice(abi.encodePacked(left, right)));
    }

    /// Header and levels 3 to 5.
    function _behind(bytes memory head, bytes32 root) private pure returns (bytes memory) {
        bytes memory header = abi.encodePacked(hex"02000000", keccak256("parent"), root, new bytes(12));
        bytes memory twig = abi.encodePacked(uint16(0), _words("twig", 11), uint64(0), uint64(1));
        // slot 1 and slot 55 meet at the root alone
        bytes memory top = abi.encodePacked(uint64(9), uint64(1), uint8(0), uint8(1), uint16(0), _words("paths", 10));
        return bytes.concat(head, header, twig, top);
    }

    function _twice(bytes memory text) private pure returns (bytes32) {
        return sha256(abi.encodePacked(sha256(text)));
    }

    function _call(bytes memory proof) private view returns (bool, bytes memory) {
        return address(verifier).staticcall(abi.encodeCall(IBitcoinVerifier.checkOutput, (proof, LOG_ID)));
    }

    function _works(bytes memory proof) private view {
        (bool ok,) = _call(proof);
        require(ok, "a proof that holds is refused");
    }

    function _value(bytes memory proof) private view returns (uint256 sats) {
        (, bytes memory answer) = _call(proof);
        (, sats) = abi.decode(answer, (bytes32, uint256));
    }

    function _fails(bytes memory proof, uint256 level, bytes32 what) private view {
        (bool ok, bytes memory answer) = _call(proof);
        require(!ok, "accepted");
        _same(answer, level, what);
    }
}
