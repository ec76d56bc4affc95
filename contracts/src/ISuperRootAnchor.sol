// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

/// SuperRoots of one log, as its key signed them.
interface ISuperRootAnchor {
    /// Id of the log: `keccak256(09 ‖ origin)`.
    function logId() external view returns (bytes32);

    /// Hash of the SuperRoot with this sequence, zero where none is anchored; and the first block number that the log
    /// withdrew from the chain in this registry row, `type(uint64).max` where none.
    function superRootAt(uint64 sequence, uint8 row) external view returns (bytes32 hash, uint64 withdrawnFrom);
}
