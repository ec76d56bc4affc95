// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {SuperRootAnchor} from "../src/SuperRootAnchor.sol";
import {SuperRootLens} from "../src/SuperRootLens.sol";
import {Release} from "../src/examples/Release.sol";

interface Vm {
    function deployCode(string calldata what, bytes calldata arguments) external returns (address deployed);
}

Vm constant VM = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

/// What strangers send is refused, whatever it is. Real, changed and hostile proofs: crates/contract/tests.
contract FuzzTest {
    SuperRootAnchor private ANCHOR =
        SuperRootAnchor(_deploy("SuperRootAnchor", abi.encode(keccak256("log"), address(0x5165))));
    SuperRootLens private LENS = SuperRootLens(_deploy("SuperRootLens", abi.encode(ANCHOR)));
    Release private RELEASE = Release(payable(_deploy("Release", abi.encode(LENS, 1, address(0xde), address(0xdf)))));

    function _deploy(string memory name, bytes memory arguments) private returns (address) {
        return VM.deployCode(string.concat(name, ".sol:", name), arguments);
    }

    function _refused(address to, bytes memory call) private {
        (bool ok,) = to.call(call);
        assert(!ok);
    }

    function testFuzz_noBytesAreAProof(bytes calldata proof) external {
        _refused(address(LENS), abi.encodeCall(LENS.verifyEvent, (proof)));
        _refused(address(LENS), abi.encodeCall(LENS.verifyTransaction, (proof)));
        _refused(address(LENS), abi.encodeCall(LENS.verifyBlock, (proof)));
        _refused(address(LENS), abi.encodeCall(LENS.keepBlock, (proof)));
        _refused(address(LENS), abi.encodeCall(LENS.validateEvent, (proof)));
        _refused(address(RELEASE), abi.encodeCall(RELEASE.release, (proof)));
    }

    /// The same behind a head that is well-formed, so that what follows is reached.
    function testFuzz_noBytesBehindAHeadAreAProof(uint8 subject, uint32 index, bytes calldata rest) external {
        bytes memory head = abi.encodePacked(uint8(1), subject % 7, uint64(1), uint8(1), uint64(0), uint16(1), index);
        this.testFuzz_noBytesAreAProof(abi.encodePacked(head, rest));
    }

    function testFuzz_noEntryOfABlockThatNobodyKept(uint256 chainId, uint256 number, bytes calldata entry) external {
        _refused(address(LENS), abi.encodeCall(LENS.verifyKeptEvent, (chainId, number, entry)));
    }

    function testFuzz_noWordsAreASignature(uint64 sequence, uint64 time, bytes32 root, bytes32 r, bytes32 vs) external {
        SuperRootAnchor.SuperRoot memory superRoot = SuperRootAnchor.SuperRoot(sequence, time, root);
        SuperRootAnchor.Signature memory signature = SuperRootAnchor.Signature(r, vs);
        _refused(address(ANCHOR), abi.encodeCall(ANCHOR.publish, (superRoot, signature)));
        _refused(address(ANCHOR), abi.encodeCall(ANCHOR.reportFork, (superRoot, signature, superRoot, signature)));
        (bytes32 hash,) = ANCHOR.superRootAt(sequence, uint8(sequence));
        assert(hash == 0 && !ANCHOR.isForked());
    }

    function testFuzz_noBytesAreAWithdrawal(bytes calldata opening) external {
        _refused(address(ANCHOR), abi.encodeCall(ANCHOR.reportWithdrawal, (opening)));
    }
}
