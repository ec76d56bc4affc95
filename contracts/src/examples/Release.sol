// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {SuperRootLens} from "../SuperRootLens.sol";

/// Example of a consumer: pays the sender of each transfer of a token to a deposit address on another chain as many wei,
/// once an event. The bytes of a proof are not the event's name: the same event is proven by other bytes under each
/// SuperRoot.
contract Release {
    error OtherEvent(uint256 chainId, address emitter);
    error ReleasedBefore(bytes32 id);
    error NotPaid(address to);

    event Released(bytes32 indexed id, address indexed to, uint256 amount);

    SuperRootLens public immutable LENS;
    uint256 public immutable CHAIN_ID;
    /// Token, and the address to which it is transferred.
    address public immutable TOKEN;
    address public immutable DEPOSIT;
    bytes32 public constant TRANSFER = keccak256("Transfer(address,address,uint256)");

    mapping(bytes32 id => bool) public isReleased;

    constructor(SuperRootLens lens, uint256 chainId, address token, address deposit) payable {
        LENS = lens;
        CHAIN_ID = chainId;
        TOKEN = token;
        DEPOSIT = deposit;
    }

    receive() external payable {}

    /// Pays out the deposit that the proof shows.
    function release(bytes calldata proof) external {
        (
            uint256 chainId,
            uint256 blockNumber,
            uint256 txIndex,
            uint256 logIndex,
            address emitter,
            bytes32[] memory topics,
            bytes memory data
        ) = LENS.verifyEvent(proof);
        bool isDeposit = chainId == CHAIN_ID && emitter == TOKEN && topics.length == 3 && topics[0] == TRANSFER
            && topics[2] == bytes32(uint256(uint160(DEPOSIT)));
        if (!isDeposit) revert OtherEvent(chainId, emitter);
        bytes32 id = keccak256(abi.encode(chainId, blockNumber, txIndex, logIndex));
        if (isReleased[id]) revert ReleasedBefore(id);
        isReleased[id] = true;
        address to = address(uint160(uint256(topics[1])));
        uint256 amount = abi.decode(data, (uint256));
        emit Released(id, to, amount);
        (bool isPaid,) = to.call{value: amount}("");
        if (!isPaid) revert NotPaid(to);
    }
}
