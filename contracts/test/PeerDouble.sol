// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {BlockHeader} from "@openzeppelin/contracts/utils/BlockHeader.sol";
import {Memory} from "@openzeppelin/contracts/utils/Memory.sol";
import {TrieProof} from "@openzeppelin/contracts/utils/cryptography/TrieProof.sol";

/// OpenZeppelin's trie and header on the same proofs, for figures of gas.
contract PeerDouble {
    function checkTrie(bytes32 root, bytes calldata key, bytes[] calldata nodes) external pure returns (bytes32) {
        return keccak256(TrieProof.traverse(root, key, nodes));
    }

    function checkHeader(bytes calldata header) external pure returns (bytes32 hash, bytes32 root, uint256 number) {
        hash = keccak256(header);
        Memory.Slice[] memory fields = BlockHeader.parseHeader(header);
        root = BlockHeader.getReceiptsRoot(fields);
        number = BlockHeader.getNumber(fields);
    }
}
