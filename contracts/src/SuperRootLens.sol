// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {BitcoinVerifier} from "./BitcoinVerifier.sol";
import {ISuperRootAnchor} from "./ISuperRootAnchor.sol";
import {SuperRootVerifier} from "./SuperRootVerifier.sol";

/// Proofs under the SuperRoots of one anchor, for contracts that call. No owner, nothing to configure: what is kept are
/// roots of blocks that anybody proved.
contract SuperRootLens {
    using SuperRootVerifier for bytes;

    /// No SuperRoot with this sequence is anchored, or another one.
    error NotAnchored(uint256 sequence, bytes32 hash);
    /// The log withdrew this chain's blocks from a number on.
    error Withdrawn(uint256 chainId, uint256 blockNumber, uint256 withdrawnFrom);
    /// The proof is of something else.
    error OtherSubject(uint256 subject);
    /// Nobody kept this block.
    error NotKept(uint256 chainId, uint256 blockNumber);

    /// A block's roots are kept.
    event BlockKept(uint256 indexed chainId, uint256 indexed blockNumber, bytes32 blockHash);

    /// Roots of a kept block, with the log's row of its chain.
    struct Kept {
        bytes32 transactionsRoot;
        bytes32 receiptsRoot;
        uint8 row;
    }

    ISuperRootAnchor public immutable ANCHOR;
    bytes32 public immutable LOG_ID;

    mapping(uint256 chainId => mapping(uint256 blockNumber => Kept)) private _kept;

    constructor(ISuperRootAnchor anchor) {
        ANCHOR = anchor;
        LOG_ID = anchor.logId();
    }

    /// Log of a chain, proven to an anchored SuperRoot. The same log may be proven by other bytes, under other
    /// SuperRoots: who pays once keeps (chainId, blockNumber, txIndex, logIndex).
    function verifyEvent(bytes calldata proof)
        external
        view
        returns (
            uint256 chainId,
            uint256 blockNumber,
            uint256 txIndex,
            uint256 logIndex,
            address emitter,
            bytes32[] memory topics,
            bytes memory data
        )
    {
        SuperRootVerifier.Proven memory proven = _verify(proof);
        if (proven.subject != SuperRootVerifier.LOG) revert OtherSubject(proven.subject);
        (emitter, topics, data) = _log(proven);
        return (proven.chainId, proven.blockNumber, proven.txIndex, proven.logIndex, emitter, topics, data);
    }

    /// Transaction of a chain: its hash is the keccak256 of its bytes.
    function verifyTransaction(bytes calldata proof)
        external
        view
        returns (uint256 chainId, uint256 blockNumber, uint256 txIndex, bytes32 transactionHash)
    {
        SuperRootVerifier.Proven memory proven = _verify(proof);
        if (proven.subject != SuperRootVerifier.TRANSACTION) revert OtherSubject(proven.subject);
        transactionHash = _leafHash(proven);
        return (proven.chainId, proven.blockNumber, proven.txIndex, transactionHash);
    }

    /// Block of a chain.
    function verifyBlock(bytes calldata proof)
        external
        view
        returns (
            uint256 chainId,
            uint256 blockNumber,
            bytes32 blockHash,
            bytes32 transactionsRoot,
            bytes32 receiptsRoot
        )
    {
        SuperRootVerifier.Proven memory proven = _verify(proof);
        if (proven.subject != SuperRootVerifier.BLOCK) revert OtherSubject(proven.subject);
        return (proven.chainId, proven.blockNumber, proven.blockHash, proven.transactionsRoot, proven.receiptsRoot);
    }

    /// Keeps a proven block's roots, so that its events need level 1 alone.
    function keepBlock(bytes calldata proof) external returns (uint256 chainId, uint256 blockNumber) {
        SuperRootVerifier.Proven memory proven = _verify(proof);
        if (proven.subject != SuperRootVerifier.BLOCK) revert OtherSubject(proven.subject);
        (chainId, blockNumber) = (proven.chainId, proven.blockNumber);
        _kept[chainId][blockNumber] =
            Kept(proven.transactionsRoot, proven.settlesOthers ? bytes32(0) : proven.receiptsRoot, uint8(proven.row));
        emit BlockKept(chainId, blockNumber, proven.blockHash);
    }

    /// Log in a kept block: `entry` is level 1 of its proof.
    function verifyKeptEvent(uint256 chainId, uint256 blockNumber, bytes calldata entry)
        external
        view
        returns (uint256 txIndex, uint256 logIndex, address emitter, bytes32[] memory topics, bytes memory data)
    {
        Kept storage kept = _kept[chainId][blockNumber];
        bytes32 receiptsRoot = kept.receiptsRoot;
        if (receiptsRoot == 0) revert NotKept(chainId, blockNumber);
        (, uint64 withdrawnFrom) = ANCHOR.superRootAt(0, kept.row);
        if (blockNumber >= withdrawnFrom) revert Withdrawn(chainId, blockNumber, withdrawnFrom);
        (SuperRootVerifier.Proven memory proven, bytes32 root) = entry.verifyEntry();
        if (proven.subject != SuperRootVerifier.LOG) revert OtherSubject(proven.subject);
        if (root != receiptsRoot) revert SuperRootVerifier.ProofRefused(1, "receipts root");
        (emitter, topics, data) = _log(proven);
        return (proven.txIndex, proven.logIndex, emitter, topics, data);
    }

    /// As Polymer's `CrossL2ProverV2` gives it: topics joined, 32 bytes each.
    function validateEvent(bytes calldata proof)
        external
        view
        returns (uint32 chainId, address emittingContract, bytes memory topics, bytes memory unindexedData)
    {
        SuperRootVerifier.Proven memory proven = _verify(proof);
        if (proven.subject != SuperRootVerifier.LOG) revert OtherSubject(proven.subject);
        bytes32[] memory list;
        (emittingContract, list, unindexedData) = _log(proven);
        topics = abi.encodePacked(list);
        chainId = uint32(proven.chainId);
        if (chainId != proven.chainId) revert OtherSubject(proven.subject);
    }

    /// As Polymer's `CrossL2ProverV2` gives it, of a proof that holds.
    function inspectLogIdentifier(bytes calldata proof)
        external
        view
        returns (uint32 srcChain, uint64 blockNumber, uint16 receiptIndex, uint8 logIndex)
    {
        SuperRootVerifier.Proven memory proven = _verify(proof);
        if (proven.subject != SuperRootVerifier.LOG) revert OtherSubject(proven.subject);
        bool fits = proven.chainId <= type(uint32).max && proven.txIndex <= type(uint16).max
            && proven.logIndex <= type(uint8).max;
        if (!fits) revert OtherSubject(proven.subject);
        return (uint32(proven.chainId), uint64(proven.blockNumber), uint16(proven.txIndex), uint8(proven.logIndex));
    }

    /// Output of a Bitcoin transaction: what was paid to a script. The hash is that of the transaction without its
    /// witnesses, in the order in which it is hashed; explorers show it reversed. Who pays once keeps (transactionHash,
    /// outputIndex).
    function verifyOutput(bytes calldata proof)
        external
        view
        returns (
            uint256 blockNumber,
            uint256 txIndex,
            bytes32 transactionHash,
            uint256 outputIndex,
            uint256 valueSats,
            bytes memory script
        )
    {
        (SuperRootVerifier.Proven memory proven, BitcoinVerifier.Payment memory payment) =
            _verifyBitcoin(proof, SuperRootVerifier.LOG);
        script = new bytes(payment.scriptLength);
        (uint256 scriptAt, uint256 length) = (payment.scriptAt, payment.scriptLength);
        assembly ("memory-safe") {
            calldatacopy(add(script, 32), scriptAt, length)
        }
        return (
            proven.blockNumber, proven.txIndex, payment.transactionHash, proven.logIndex, payment.valueSats, script
        );
    }

    /// Transaction of Bitcoin.
    function verifyBitcoinTransaction(bytes calldata proof)
        external
        view
        returns (uint256 blockNumber, uint256 txIndex, bytes32 transactionHash)
    {
        (SuperRootVerifier.Proven memory proven, BitcoinVerifier.Payment memory payment) =
            _verifyBitcoin(proof, SuperRootVerifier.TRANSACTION);
        return (proven.blockNumber, proven.txIndex, payment.transactionHash);
    }

    /// Block of Bitcoin.
    function verifyBitcoinBlock(bytes calldata proof)
        external
        view
        returns (uint256 blockNumber, bytes32 blockHash, bytes32 merkleRoot)
    {
        (SuperRootVerifier.Proven memory proven,) = _verifyBitcoin(proof, SuperRootVerifier.BLOCK);
        return (proven.blockNumber, proven.blockHash, proven.transactionsRoot);
    }

    function _verify(bytes calldata proof) private view returns (SuperRootVerifier.Proven memory proven) {
        proven = proof.verify(LOG_ID);
        _checkAnchored(proven);
    }

    function _verifyBitcoin(bytes calldata proof, uint256 subject)
        private
        view
        returns (SuperRootVerifier.Proven memory proven, BitcoinVerifier.Payment memory payment)
    {
        (proven, payment) = BitcoinVerifier.verify(proof, LOG_ID);
        if (proven.subject != subject) revert OtherSubject(proven.subject);
        _checkAnchored(proven);
    }

    function _checkAnchored(SuperRootVerifier.Proven memory proven) private view {
        (bytes32 hash, uint64 withdrawnFrom) = ANCHOR.superRootAt(uint64(proven.sequence), uint8(proven.row));
        if (hash == 0 || hash != proven.superRootHash) revert NotAnchored(proven.sequence, proven.superRootHash);
        if (proven.blockNumber >= withdrawnFrom) {
            revert Withdrawn(proven.chainId, proven.blockNumber, withdrawnFrom);
        }
    }

    function _log(SuperRootVerifier.Proven memory proven)
        private
        pure
        returns (address emitter, bytes32[] memory topics, bytes memory data)
    {
        SuperRootVerifier.Log memory log = SuperRootVerifier.logOf(proven);
        topics = new bytes32[](log.topicCount);
        data = new bytes(log.dataLength);
        (uint256 topicsAt, uint256 dataAt, uint256 dataLength) = (log.topicsAt, log.dataAt, log.dataLength);
        for (uint256 i; i < topics.length; ++i) {
            bytes32 topic;
            assembly ("memory-safe") {
                topic := calldataload(add(topicsAt, add(1, mul(33, i))))
            }
            topics[i] = topic;
        }
        assembly ("memory-safe") {
            calldatacopy(add(data, 32), dataAt, dataLength)
        }
        emitter = log.emitter;
    }

    function _leafHash(SuperRootVerifier.Proven memory proven) private pure returns (bytes32 hash) {
        (uint256 leafAt, uint256 length) = (proven.leafAt, proven.leafLength);
        assembly ("memory-safe") {
            let m := mload(0x40)
            calldatacopy(m, leafAt, length)
            hash := keccak256(m, length)
        }
    }
}
