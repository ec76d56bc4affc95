// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {VM} from "./Proof.sol";

interface IAnchor {
    error NotSigned(bytes32 hash);
    error NotRising(uint64 sequence, uint64 newest);
    error TimeFalls(uint64 timestamp, uint64 newest);
    error TimeAhead(uint64 timestamp, uint256 clock);
    error Frozen(uint64 sequence);
    error NoFork(bytes32 hash);

    struct SuperRoot {
        uint64 sequence;
        uint64 timestamp;
        bytes32 treeRoot;
    }

    struct Signature {
        bytes32 r;
        bytes32 vs;
    }

    function publish(SuperRoot calldata superRoot, Signature calldata signature) external;
    function reportFork(
        SuperRoot calldata one,
        Signature calldata ofOne,
        SuperRoot calldata other,
        Signature calldata ofOther
    ) external;
    function superRootAt(uint64 sequence, uint8 row) external view returns (bytes32 hash, uint64 withdrawnFrom);
    function isForked() external view returns (bool);
    function next() external view returns (uint64);
}

/// Attacks on the anchor by a log's own key, by others' keys, and by the key of the same operator's other log.
/// forge-config: default.evm_version = "cancun"
contract AnchorAttackTest {
    uint256 private constant KEY = 0x5165;
    uint256 private constant OTHER_KEY = 0x5166;
    bytes32 private constant LOG_ID = keccak256("log");
    bytes32 private constant OTHER_LOG = keccak256("other log");
    uint64 private constant NOW = 1_900_000_000;

    IAnchor private anchor;

    function setUp() external {
        VM.warp(NOW);
        bytes memory arguments = abi.encode(LOG_ID, VM.addr(KEY));
        anchor = IAnchor(VM.deployCode("SuperRootAnchor.sol:SuperRootAnchor", arguments));
    }

    function test_noReportButAForkOfThisLogFreezes() external {
        IAnchor.SuperRoot memory one = _root(5, "one");
        IAnchor.SuperRoot memory two = _root(5, "two");
        anchor.publish(one, _sign(KEY, LOG_ID, one));
        IAnchor.SuperRoot memory later = _root(6, "two");
        bytes memory noFork = abi.encodeWithSelector(IAnchor.NoFork.selector, _hash(LOG_ID, one));
        _fails(_report(one, _sign(KEY, LOG_ID, one), one, _sign(KEY, LOG_ID, one)), noFork);
        noFork = abi.encodeWithSelector(IAnchor.NoFork.selector, _hash(LOG_ID, later));
        _fails(_report(one, _sign(KEY, LOG_ID, one), later, _sign(KEY, LOG_ID, later)), noFork);
        // two of another log with the same key, one of each, another key's, and a signature for the other one
        _fails(_report(one, _sign(KEY, OTHER_LOG, one), two, _sign(KEY, OTHER_LOG, two)), _notSigned(one));
        _fails(_report(one, _sign(KEY, LOG_ID, one), two, _sign(KEY, OTHER_LOG, two)), _notSigned(two));
        _fails(_report(one, _sign(KEY, LOG_ID, one), two, _sign(OTHER_KEY, LOG_ID, two)), _notSigned(two));
        _fails(_report(one, _sign(KEY, LOG_ID, two), two, _sign(KEY, LOG_ID, two)), _notSigned(one));
        _fails(_report(one, _sign(KEY, LOG_ID, one), two, IAnchor.Signature(0, 0)), _notSigned(two));
        assert(!anchor.isForked());
        anchor.publish(later, _sign(KEY, LOG_ID, later));
    }

    /// A fork below what is published, of a sequence that was never published, and of two times alone: each is one.
    function test_everyForkFreezesForGood() external {
        for (uint256 i; i < 3; ++i) {
            this.setUp();
            IAnchor.SuperRoot memory seven = _root(7, "seven");
            anchor.publish(seven, _sign(KEY, LOG_ID, seven));
            IAnchor.SuperRoot memory one = _root(i == 1 ? 90 : 3, "one");
            IAnchor.SuperRoot memory two = _root(one.sequence, i == 2 ? bytes32("one") : bytes32("two"));
            if (i == 2) two.timestamp -= 1;
            anchor.reportFork(one, _sign(KEY, LOG_ID, one), two, _sign(KEY, LOG_ID, two));
            assert(anchor.isForked());
            IAnchor.SuperRoot memory next = _root(91, "next");
            bytes memory frozen = abi.encodeWithSelector(IAnchor.Frozen.selector, 91);
            _fails(abi.encodeCall(anchor.publish, (next, _sign(KEY, LOG_ID, next))), frozen);
            (bytes32 hash,) = anchor.superRootAt(7, 0);
            assert(hash == _hash(LOG_ID, seven) && anchor.next() == 8);
            (hash,) = anchor.superRootAt(one.sequence, 0);
            assert(hash == 0);
            // twice is no harm, and no way back
            anchor.reportFork(one, _sign(KEY, LOG_ID, one), two, _sign(KEY, LOG_ID, two));
            assert(anchor.isForked());
        }
    }

    /// Whatever is tried, newest and times never fall, and what is anchored is what the key signed.
    function testFuzz_historyOnlyGrows(uint64[8] calldata sequences, uint16[8] calldata times, uint8 wrong) external {
        uint64 next;
        uint64 time;
        for (uint256 i; i < 8; ++i) {
            uint64 sequence = sequences[i] % 64;
            IAnchor.SuperRoot memory one = IAnchor.SuperRoot(sequence, NOW - 64_000 + times[i], bytes32(i + 1));
            bool isSigned = (wrong >> i) & 1 == 0;
            bytes memory call = abi.encodeCall(anchor.publish, (one, _sign(isSigned ? KEY : OTHER_KEY, LOG_ID, one)));
            (bytes32 before,) = anchor.superRootAt(sequence, 0);
            (bool ok,) = address(anchor).call(call);
            bool may = isSigned && sequence >= next && one.timestamp >= time && one.timestamp <= NOW + 15 minutes;
            assert(ok == may);
            (bytes32 held,) = anchor.superRootAt(sequence, 0);
            assert(held == (ok ? _hash(LOG_ID, one) : before));
            if (ok) (next, time) = (sequence + 1, one.timestamp);
            assert(anchor.next() == next);
        }
    }

    /// The twin of a signature has no compact form, and is taken in none that can be written.
    function testFuzz_aSignatureHasNoTwin(uint64 sequence, bytes32 tree) external {
        IAnchor.SuperRoot memory one = IAnchor.SuperRoot(sequence % 1_000, NOW, tree);
        IAnchor.Signature memory good = _sign(KEY, LOG_ID, one);
        uint256 order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
        uint256 low = uint256(good.vs) & (type(uint256).max >> 1);
        bytes32[5] memory others = [
            bytes32(uint256(good.vs) ^ (1 << 255)),
            bytes32(order - low),
            bytes32((order - low) ^ (1 << 255)),
            bytes32(0),
            bytes32(uint256(1) << 255)
        ];
        for (uint256 i; i < 5; ++i) {
            bytes memory call = abi.encodeCall(anchor.publish, (one, IAnchor.Signature(good.r, others[i])));
            _fails(call, _notSigned(one));
        }
        anchor.publish(one, good);
    }

    function _root(uint64 sequence, bytes32 tree) private pure returns (IAnchor.SuperRoot memory) {
        return IAnchor.SuperRoot(sequence, NOW, tree);
    }

    function _hash(bytes32 log, IAnchor.SuperRoot memory one) private pure returns (bytes32) {
        return keccak256(abi.encodePacked(hex"0705", log, one.sequence, one.timestamp, one.treeRoot));
    }

    function _sign(uint256 key, bytes32 log, IAnchor.SuperRoot memory one)
        private
        pure
        returns (IAnchor.Signature memory)
    {
        (uint8 v, bytes32 r, bytes32 s) = VM.sign(key, keccak256(abi.encodePacked(hex"0a", _hash(log, one))));
        return IAnchor.Signature(r, bytes32((uint256(v - 27) << 255) | uint256(s)));
    }

    function _report(
        IAnchor.SuperRoot memory one,
        IAnchor.Signature memory ofOne,
        IAnchor.SuperRoot memory other,
        IAnchor.Signature memory ofOther
    ) private view returns (bytes memory) {
        return abi.encodeCall(anchor.reportFork, (one, ofOne, other, ofOther));
    }

    function _notSigned(IAnchor.SuperRoot memory one) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IAnchor.NotSigned.selector, _hash(LOG_ID, one));
    }

    function _fails(bytes memory call, bytes memory what) private {
        (bool ok, bytes memory answer) = address(anchor).call(call);
        assert(!ok && keccak256(answer) == keccak256(what));
    }
}
