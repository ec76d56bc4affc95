// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

interface Vm {
    function addr(uint256 key) external pure returns (address);
    function deployCode(string calldata what, bytes calldata arguments) external returns (address deployed);
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function warp(uint256 time) external;
}

Vm constant VM = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

/// `VerifierDouble`: the library alone. It takes any consistent proof and says to which SuperRoot it leads, so that each
/// refusal is one of the form or of the rules, and none that of another hash.
interface IVerifier {
    error ProofRefused(uint256 level, bytes32 what);

    function checkBlock(bytes calldata proof, bytes32 logId)
        external
        pure
        returns (bytes32 superRoot, bytes32 blockHash);
    function checkEvent(bytes calldata proof, bytes32 logId)
        external
        pure
        returns (bytes32 superRoot, address emitter, uint256 dataLength);
    function checkEntry(bytes calldata entry) external pure returns (bytes32 root, address emitter);
}

/// RLP by its plain definition.
library Rlp {
    function string_(bytes memory text) internal pure returns (bytes memory) {
        if (text.length == 1 && uint8(text[0]) < 0x80) return text;
        return abi.encodePacked(_prefix(0x80, text.length), text);
    }

    function list(bytes memory payload) internal pure returns (bytes memory) {
        return abi.encodePacked(_prefix(0xc0, payload.length), payload);
    }

    function number(uint256 value) internal pure returns (bytes memory) {
        return string_(trimmed(value));
    }

    /// Without leading zeros.
    function trimmed(uint256 value) internal pure returns (bytes memory text) {
        for (; value != 0; value >>= 8) {
            text = abi.encodePacked(uint8(value), text);
        }
    }

    function _prefix(uint8 short, uint256 length) private pure returns (bytes memory) {
        if (length < 56) return abi.encodePacked(uint8(short + length));
        bytes memory size = trimmed(length);
        return abi.encodePacked(uint8(short + 55 + size.length), size);
    }
}

/// Proof in calldata by its parts, and the SuperRoot to which it leads by the definitions of docs/protocol.md. Siblings
/// are words without a meaning.
abstract contract ProofBase {
    bytes32 internal constant LOG_ID = keccak256("log");
    uint64 internal constant BASE_CHAIN = 8_453;
    uint64 internal constant NUMBER = 30_000_001;

    /// Forms of a header's fields, a byte each: 0 number, 1 hash, 2 large number, 3 bytes, 4 nonce, 5 seal, 6 address,
    /// 7 bloom, 8 receipts root, 15 the block's number. Fields behind the last are numbers.
    bytes internal constant ETHEREUM = hex"01010601010807020f0000000301040001000001010100";
    bytes internal constant AURA = hex"01010601010807020f000000030005000000000000";
    bytes internal constant CELO = hex"0106010108070f000003";
    bytes internal constant AVALANCHE = hex"01010601010807020f00000003010401000000000001";

    struct Proof {
        uint8 form;
        uint8 subject;
        uint64 chain;
        bytes rules;
        bytes entry;
        bytes header;
        uint16 twigMask;
        bytes32[] twig;
        bytes place;
        uint64 sequence;
        uint64 timestamp;
        uint8 row;
        uint8 count;
        bytes32[] registry;
        uint16 pathsMask;
        bytes32[] paths;
        bytes behind;
    }

    IVerifier internal verifier;

    function setUp() public virtual {
        verifier = IVerifier(VM.deployCode("VerifierDouble.sol:VerifierDouble", ""));
    }

    /// Block in a sealed twig: leaf 1 of 2, row 0 of 1.
    function _sealed() internal pure returns (Proof memory proof) {
        proof = _of(BASE_CHAIN, _rule(0, 1), _header(ETHEREUM, 15, NUMBER));
        proof.place = abi.encodePacked(uint64(1), uint64(2), keccak256("path"));
    }

    /// Block in an open twig that ends seven blocks later.
    function _open() internal pure returns (Proof memory proof) {
        proof = _of(BASE_CHAIN, _rule(0, 1), _header(ETHEREUM, 15, NUMBER));
        proof.subject = 4;
        proof.place = _reference(NUMBER & ~uint64(2047), NUMBER + 7, keccak256("top"));
    }

    function _reference(uint64 start, uint64 top, bytes32 hash) internal pure returns (bytes memory) {
        return abi.encodePacked(start, top, hash);
    }

    function _of(uint64 chain, bytes memory rules, bytes memory header) internal pure returns (Proof memory proof) {
        (proof.form, proof.chain, proof.header) = (1, chain, header);
        proof.rules = abi.encodePacked(uint8(rules.length / 10), rules);
        (proof.twig, proof.paths) = (_words("twig", 11), _words("paths", 10));
        (proof.sequence, proof.timestamp, proof.count) = (9, 1_800_000_000, 1);
        proof.place = abi.encodePacked(uint64(0), uint64(1));
    }

    function _rule(uint64 from, uint16 code) internal pure returns (bytes memory) {
        return abi.encodePacked(from, code);
    }

    function _words(string memory seed, uint256 count) internal pure returns (bytes32[] memory words) {
        words = new bytes32[](count);
        for (uint256 i; i < count; ++i) {
            words[i] = keccak256(abi.encode(seed, i));
        }
    }

    function _bytes(Proof memory proof) internal pure returns (bytes memory) {
        bytes memory head = abi.encodePacked(
            proof.form, proof.subject, proof.chain, proof.rules, proof.entry, uint16(proof.header.length), proof.header
        );
        bytes memory numbers = abi.encodePacked(proof.sequence, proof.timestamp, proof.row, proof.count);
        return abi.encodePacked(
            abi.encodePacked(head, proof.twigMask, proof.twig, proof.place, numbers, proof.registry),
            proof.pathsMask,
            proof.paths,
            proof.behind
        );
    }

    /// Header of the first `count` fields.
    function _header(bytes memory forms, uint256 count, uint64 number) internal pure returns (bytes memory) {
        return _headerOver(forms, count, number, keccak256("receipts"));
    }

    function _headerOver(bytes memory forms, uint256 count, uint64 number, bytes32 receipts)
        internal
        pure
        returns (bytes memory)
    {
        bytes memory payload;
        for (uint256 i; i < count; ++i) {
            uint8 form = i < forms.length ? uint8(forms[i]) : 0;
            payload = abi.encodePacked(payload, _field(form, number, receipts));
        }
        return Rlp.list(payload);
    }

    function _field(uint8 form, uint64 number, bytes32 receipts) private pure returns (bytes memory) {
        if (form == 1) return Rlp.string_(abi.encode(keccak256("hash")));
        if (form == 2) return Rlp.string_(abi.encode(type(uint256).max));
        if (form == 3) return Rlp.string_("made");
        if (form == 4) return Rlp.string_(new bytes(8));
        if (form == 5) return Rlp.string_(new bytes(65));
        if (form == 6) return Rlp.string_(abi.encodePacked(address(0x5165)));
        if (form == 7) return Rlp.string_(new bytes(256));
        if (form == 8) return Rlp.string_(abi.encode(receipts));
        return Rlp.number(form == 15 ? number : 1_234_567);
    }

    function _without(bytes32[] memory words, uint256 place) internal pure returns (bytes32[] memory rest) {
        rest = new bytes32[](words.length - 1);
        for (uint256 i; i < rest.length; ++i) {
            rest[i] = words[i < place ? i : i + 1];
        }
    }

    /// Empty root of a height.
    function _zero(uint256 height) internal pure returns (bytes32 root) {
        for (; height != 0; --height) {
            root = _node(root, root);
        }
    }

    function _node(bytes32 left, bytes32 right) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked(uint8(1), left, right));
    }

    function _ask(bytes memory proof) internal view returns (bool ok, bytes memory answer) {
        return address(verifier).staticcall(abi.encodeCall(verifier.checkBlock, (proof, LOG_ID)));
    }

    function _holds(Proof memory proof) internal view returns (bytes32 superRoot) {
        (bool ok, bytes memory answer) = _ask(_bytes(proof));
        require(ok, "a proof that holds is refused");
        (superRoot,) = abi.decode(answer, (bytes32, bytes32));
    }

    /// Refused with exactly this level and these words.
    function _refused(Proof memory proof, uint256 level, bytes32 what) internal view {
        (bool ok, bytes memory answer) = _ask(_bytes(proof));
        require(!ok, "accepted");
        _same(answer, level, what);
    }

    function _same(bytes memory answer, uint256 level, bytes32 what) internal pure {
        bytes memory expected = abi.encodeWithSelector(IVerifier.ProofRefused.selector, level, what);
        require(
            keccak256(answer) == keccak256(expected), string.concat("another refusal than ", string(bytes.concat(what)))
        );
    }
}
