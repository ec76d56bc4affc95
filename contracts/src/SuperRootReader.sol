// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {SuperRootAnchor} from "./SuperRootAnchor.sol";
import {SuperRootLens} from "./SuperRootLens.sol";

/// Question that a gateway answers with a proof in calldata: `GET /ccip/{sender}/{data}` of a service.
interface ISuperRootGateway {
    /// Proof of a log, under the SuperRoot with this sequence. `logIndex` counts through the receipt.
    function eventProof(uint64 sequence, uint64 chainId, uint64 blockNumber, uint32 txIndex, uint32 logIndex)
        external
        view
        returns (bytes memory proof);
}

/// Reads logs of other chains by EIP-3668: wallets and libraries fetch the proof and hand it back, the lens checks it. A
/// gateway that lies makes the call fail. No owner; URLs are fixed.
contract SuperRootReader {
    /// As EIP-3668 has it: whoever calls asks a URL, and calls back.
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);
    /// Nothing is anchored yet.
    error NothingAnchored();
    /// The proof is of another log.
    error OtherEvent(uint256 chainId, uint256 blockNumber, uint256 txIndex, uint256 logIndex);

    SuperRootLens public immutable LENS;
    string[] private _gateways;

    /// @param templates URLs of gateways, with `{sender}` and `{data}`, asked in this order.
    constructor(SuperRootLens lens, string[] memory templates) {
        (LENS, _gateways) = (lens, templates);
    }

    /// Log by its place, under the newest anchored SuperRoot. Always reverts with `OffchainLookup`; what `eventProven`
    /// returns is what a caller with EIP-3668 gets.
    function eventAt(uint64 chainId, uint64 blockNumber, uint32 txIndex, uint32 logIndex)
        external
        view
        returns (address, bytes32[] memory, bytes memory)
    {
        uint64 next = SuperRootAnchor(address(LENS.ANCHOR())).next();
        if (next == 0) revert NothingAnchored();
        revert OffchainLookup(
            address(this),
            _gateways,
            abi.encodeCall(ISuperRootGateway.eventProof, (next - 1, chainId, blockNumber, txIndex, logIndex)),
            this.eventProven.selector,
            abi.encode(chainId, blockNumber, txIndex, logIndex)
        );
    }

    /// Log that a proof shows, at the place that `eventAt` was asked for.
    function eventProven(bytes calldata proof, bytes calldata place)
        external
        view
        returns (address emitter, bytes32[] memory topics, bytes memory data)
    {
        uint256 chainId;
        uint256 blockNumber;
        uint256 txIndex;
        uint256 logIndex;
        (chainId, blockNumber, txIndex, logIndex, emitter, topics, data) = LENS.verifyEvent(proof);
        if (keccak256(abi.encode(chainId, blockNumber, txIndex, logIndex)) != keccak256(place)) {
            revert OtherEvent(chainId, blockNumber, txIndex, logIndex);
        }
    }

    /// Templates of the gateways' URLs.
    function gateways() external view returns (string[] memory) {
        return _gateways;
    }
}
