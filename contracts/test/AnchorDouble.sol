// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {ISuperRootAnchor} from "../src/ISuperRootAnchor.sol";

/// Anchor of tests: whoever calls sets what it holds.
contract AnchorDouble is ISuperRootAnchor {
    bytes32 public immutable logId;
    mapping(uint64 sequence => bytes32) private _roots;
    mapping(uint8 row => uint64) private _withdrawn;

    constructor(bytes32 id) {
        logId = id;
    }

    function set(uint64 sequence, bytes32 hash) external {
        _roots[sequence] = hash;
    }

    function withdraw(uint8 row, uint64 from) external {
        _withdrawn[row] = from + 1;
    }

    function superRootAt(uint64 sequence, uint8 row) external view returns (bytes32 hash, uint64 withdrawnFrom) {
        uint64 from = _withdrawn[row];
        unchecked {
            return (_roots[sequence], from - 1);
        }
    }
}
