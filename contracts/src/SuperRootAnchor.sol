// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {ISuperRootAnchor} from "./ISuperRootAnchor.sol";
import {SuperRootVerifier} from "./SuperRootVerifier.sol";

/// SuperRoots of one log, as its secp256k1 key signed them. No owner: the address is the trust, as log and key are fixed.
/// Whoever brings a signature publishes; history is append-only by the rising sequence.
contract SuperRootAnchor is ISuperRootAnchor {
    error NotSigned(bytes32 hash);
    error NotRising(uint64 sequence, uint64 newest);
    error TimeFalls(uint64 timestamp, uint64 newest);
    error TimeAhead(uint64 timestamp, uint256 clock);
    /// The key signed two SuperRoots with one sequence: nothing is published any more.
    error Frozen(uint64 sequence);
    error NoFork(bytes32 hash);
    error NoWithdrawal(uint8 row);

    event Published(uint64 indexed sequence, bytes32 hash, uint64 timestamp);
    event Forked(uint64 indexed sequence, bytes32 one, bytes32 other);
    event BlocksWithdrawn(uint8 indexed row, uint64 from);

    /// SuperRoot as its preimage has it, besides version and log id.
    struct SuperRoot {
        uint64 sequence;
        uint64 timestamp;
        bytes32 treeRoot;
    }

    /// Signature in the compact form of EIP-2098.
    struct Signature {
        bytes32 r;
        bytes32 vs;
    }

    /// Seconds by which a SuperRoot's time may be ahead of this chain's clock.
    uint256 public constant CLOCKS_DIFFER = 15 minutes;
    /// Half of the curve's order: a signature above it has a twin below.
    uint256 private constant HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    bytes32 public immutable logId;
    address public immutable SIGNER;

    /// Newest sequence plus one, its time, and whether the log forked.
    uint64 private _next;
    uint64 private _timestamp;
    bool public isForked;

    mapping(uint64 sequence => bytes32 hash) private _roots;
    /// First withdrawn number plus one of a registry row.
    mapping(uint8 row => uint64) private _withdrawn;

    constructor(bytes32 id, address signer) {
        require(signer != address(0));
        (logId, SIGNER) = (id, signer);
    }

    /// Publishes a SuperRoot that the log's key signed.
    function publish(SuperRoot calldata superRoot, Signature calldata signature) external {
        if (isForked) revert Frozen(superRoot.sequence);
        if (superRoot.sequence < _next) revert NotRising(superRoot.sequence, _next - 1);
        if (superRoot.timestamp < _timestamp) revert TimeFalls(superRoot.timestamp, _timestamp);
        if (superRoot.timestamp > block.timestamp + CLOCKS_DIFFER) {
            revert TimeAhead(superRoot.timestamp, block.timestamp);
        }
        bytes32 hash = _signed(superRoot, signature);
        (_next, _timestamp) = (superRoot.sequence + 1, superRoot.timestamp);
        _roots[superRoot.sequence] = hash;
        emit Published(superRoot.sequence, hash, superRoot.timestamp);
    }

    /// Freezes the anchor for good: the log's key signed two SuperRoots with one sequence.
    function reportFork(
        SuperRoot calldata one,
        Signature calldata ofOne,
        SuperRoot calldata other,
        Signature calldata ofOther
    ) external {
        bytes32 first = _signed(one, ofOne);
        bytes32 second = _signed(other, ofOther);
        if (one.sequence != other.sequence || first == second) revert NoFork(second);
        isForked = true;
        emit Forked(one.sequence, first, second);
    }

    /// Records what the log withdrew: a profile with rule 0000, opened under an anchored SuperRoot. From then on blocks at
    /// or above that number are refused under older SuperRoots too.
    /// @param opening `profile ‖ sequence ‖ timestamp ‖ row ‖ count ‖ registry ‖ path of slot 55`, as docs/calldata.md
    /// has the parts, the path with its mask.
    function reportWithdrawal(bytes calldata opening) external {
        (uint64 sequence, uint8 row, uint64 from, bytes32 hash) = SuperRootVerifier.openWithdrawal(opening, logId);
        if (hash == 0 || _roots[sequence] != hash) revert NotSigned(hash);
        uint64 known = _withdrawn[row];
        if (from == type(uint64).max || (known != 0 && known <= from + 1)) revert NoWithdrawal(row);
        _withdrawn[row] = from + 1;
        emit BlocksWithdrawn(row, from);
    }

    /// @inheritdoc ISuperRootAnchor
    function superRootAt(uint64 sequence, uint8 row) external view returns (bytes32 hash, uint64 withdrawnFrom) {
        unchecked {
            return (_roots[sequence], _withdrawn[row] - 1);
        }
    }

    /// Least sequence that may be published: the newest one and 1, or 0.
    function next() external view returns (uint64 sequence) {
        return _next;
    }

    /// Hash of a SuperRoot of this log, if its key signed it.
    function _signed(SuperRoot calldata superRoot, Signature calldata signature) private view returns (bytes32 hash) {
        hash = keccak256(
            abi.encodePacked(uint16(0x0705), logId, superRoot.sequence, superRoot.timestamp, superRoot.treeRoot)
        );
        uint256 s = uint256(signature.vs) & (type(uint256).max >> 1);
        uint8 v = uint8(uint256(signature.vs) >> 255) + 27;
        bytes32 message = keccak256(abi.encodePacked(uint8(0x0a), hash));
        address signer = s > HALF_ORDER ? address(0) : ecrecover(message, v, signature.r, bytes32(s));
        if (signer != SIGNER) revert NotSigned(hash);
    }
}
