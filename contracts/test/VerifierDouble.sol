// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {BitcoinVerifier} from "../src/BitcoinVerifier.sol";
import {SuperRootVerifier} from "../src/SuperRootVerifier.sol";

/// The library alone, for figures of gas: what a consumer pays that has its own roots.
contract VerifierDouble {
    using SuperRootVerifier for bytes;

    function checkEvent(bytes calldata proof, bytes32 logId)
        external
        pure
        returns (bytes32 superRootHash, address emitter, uint256 dataLength)
    {
        SuperRootVerifier.Proven memory proven = proof.verify(logId);
        SuperRootVerifier.Log memory log = SuperRootVerifier.logOf(proven);
        return (proven.superRootHash, log.emitter, log.dataLength);
    }

    /// The same in a consumer whose free memory is full of what was there before.
    function checkEventInDirtyMemory(bytes calldata proof, bytes32 logId)
        external
        pure
        returns (bytes32 superRootHash, address emitter, uint256 dataLength)
    {
        assembly ("memory-safe") {
            let m := mload(0x40)
            for { let i := 0 } lt(i, 0x8000) { i := add(i, 32) } { mstore(add(m, i), not(i)) }
        }
        SuperRootVerifier.Proven memory proven = proof.verify(logId);
        SuperRootVerifier.Log memory log = SuperRootVerifier.logOf(proven);
        return (proven.superRootHash, log.emitter, log.dataLength);
    }

    function checkBlock(bytes calldata proof, bytes32 logId)
        external
        pure
        returns (bytes32 superRootHash, bytes32 blockHash)
    {
        SuperRootVerifier.Proven memory proven = proof.verify(logId);
        return (proven.superRootHash, proven.blockHash);
    }

    function checkOutput(bytes calldata proof, bytes32 logId)
        external
        view
        returns (bytes32 superRootHash, uint256 valueSats)
    {
        (SuperRootVerifier.Proven memory proven, BitcoinVerifier.Payment memory payment) =
            BitcoinVerifier.verify(proof, logId);
        return (proven.superRootHash, payment.valueSats);
    }

    /// Level 1 alone: `01 ‖ subject ‖ position ‖ leaf ‖ trie`.
    function checkEntry(bytes calldata entry) external pure returns (bytes32 root, address emitter) {
        SuperRootVerifier.Proven memory proven;
        (proven, root) = entry.verifyEntry();
        emitter = SuperRootVerifier.logOf(proven).emitter;
    }

    /// Level 2 alone: `profile ‖ header`, as they stand in a proof.
    function checkHeader(bytes calldata part) external pure returns (bytes32 hash, bytes32 root, uint256 number) {
        SuperRootVerifier.Proven memory proven;
        uint256 p;
        uint256 head;
        assembly ("memory-safe") {
            p := part.offset
            head := calldataload(p)
        }
        proven.chainId = head >> 192;
        uint256 end = p + part.length;
        p = SuperRootVerifier._header(p + 9 + 10 * ((head >> 184) & 0xff), end, proven, p);
        require(p == end);
        return (proven.blockHash, proven.receiptsRoot, proven.blockNumber);
    }
}
