// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

/// Token without value for a demo chain, with the interface of USDC (FiatTokenV2_2): EIP-2612, EIP-3009, blocklist, pause.
/// Anybody mints; the owner blocks and pauses.
contract TestUsdc is ERC20, EIP712, Nonces, Pausable, Ownable {
    error Blocked(address account);
    error NotPayee(address got, address expected);
    error SignatureInvalid(address signer);
    error OutsideTime(uint256 got, uint256 expectedAbove, uint256 expectedBelow);
    error AuthorizationUsedBefore(address authorizer, bytes32 nonce);

    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

    string private constant FIELDS =
        "(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)";
    bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH =
        keccak256(abi.encodePacked("TransferWithAuthorization", FIELDS));
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH =
        keccak256(abi.encodePacked("ReceiveWithAuthorization", FIELDS));
    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    string public constant version = "2";
    mapping(address account => bool) public isBlacklisted;
    mapping(address authorizer => mapping(bytes32 nonce => bool)) public authorizationState;

    constructor(address administrator)
        ERC20("Test USDC without value", "tUSDC")
        EIP712("Test USDC without value", "2")
        Ownable(administrator)
    {
        isBlacklisted[address(this)] = true;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function blacklist(address account) external onlyOwner {
        isBlacklisted[account] = true;
    }

    function unBlacklist(address account) external onlyOwner {
        isBlacklisted[account] = false;
    }

    function pause() external onlyOwner {
        _pause();
    }

    function unpause() external onlyOwner {
        _unpause();
    }

    function permit(address holder, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        permit(holder, spender, value, deadline, abi.encodePacked(r, s, v));
    }

    function permit(address holder, address spender, uint256 value, uint256 deadline, bytes memory signature) public {
        if (block.timestamp > deadline) revert OutsideTime(block.timestamp, 0, deadline);
        _checkSigned(
            holder, abi.encode(PERMIT_TYPEHASH, holder, spender, value, _useNonce(holder), deadline), signature
        );
        _approve(holder, spender, value);
    }

    /// Transfers what `from` signed; anybody may send it.
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        transferWithAuthorization(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    /// The same with one signature, also a contract's.
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public {
        bytes32 form = TRANSFER_WITH_AUTHORIZATION_TYPEHASH;
        _checkSigned(from, abi.encode(form, from, to, value, validAfter, validBefore, nonce), signature);
        _useAuthorization(from, validAfter, validBefore, nonce);
        _transfer(from, to, value);
    }

    /// Transfers what `from` signed; the payee alone may send it.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) external {
        if (to != msg.sender) revert NotPayee(msg.sender, to);
        bytes32 form = RECEIVE_WITH_AUTHORIZATION_TYPEHASH;
        _checkSigned(from, abi.encode(form, from, to, value, validAfter, validBefore, nonce), signature);
        _useAuthorization(from, validAfter, validBefore, nonce);
        _transfer(from, to, value);
    }

    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function _useAuthorization(address from, uint256 validAfter, uint256 validBefore, bytes32 nonce) private {
        bool isInTime = validAfter < block.timestamp && block.timestamp < validBefore;
        if (!isInTime) revert OutsideTime(block.timestamp, validAfter, validBefore);
        if (authorizationState[from][nonce]) revert AuthorizationUsedBefore(from, nonce);
        authorizationState[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
    }

    function _checkSigned(address signer, bytes memory form, bytes memory signature) private view {
        bytes32 hash = _hashTypedDataV4(keccak256(form));
        if (!SignatureChecker.isValidSignatureNow(signer, hash, signature)) revert SignatureInvalid(signer);
    }

    function _update(address from, address to, uint256 value) internal override whenNotPaused {
        if (isBlacklisted[from]) revert Blocked(from);
        if (isBlacklisted[to]) revert Blocked(to);
        super._update(from, to, value);
    }

    function _approve(address holder, address spender, uint256 value, bool emitEvent) internal override whenNotPaused {
        super._approve(holder, spender, value, emitEvent);
    }

    function _spendAllowance(address holder, address spender, uint256 value) internal override {
        if (isBlacklisted[spender]) revert Blocked(spender);
        super._spendAllowance(holder, spender, value);
    }
}
