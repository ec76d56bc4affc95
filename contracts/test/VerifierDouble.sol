// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

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

    function checkBlock(bytes calldata proof, bytes32 logId)
        external
        pure
        returns (bytes32 superRootHash, bytes32 blockHash)
    {
        SuperRootVerifier.Proven memory proven = proof.verify(logId);
        return (proven.superRootHash, proven.blockHash);
    }
}
