// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {IRegistry, RegistryBase, VM} from "./Base.sol";

/// What the registry inherits for its administrator.
interface IAdminRules {
    error AccessControlBadConfirmation();

    function cancelDefaultAdminTransfer() external;
    function changeDefaultAdminDelay(uint48 delay) external;
    function rollbackDefaultAdminDelay() external;
    function revokeRole(bytes32 role, address account) external;
    function renounceRole(bytes32 role, address account) external;
    function defaultAdminDelay() external view returns (uint48);
}

/// Holds a role, and uses it while its refund comes in.
contract RolePayer {
    IRegistry private immutable REGISTRY;
    bytes private _call;
    bool public isDone;

    constructor(IRegistry registry) {
        REGISTRY = registry;
    }

    function buy(bytes calldata call) external payable {
        _call = call;
        REGISTRY.activateWithEth{value: msg.value}(1);
    }

    receive() external payable {
        (isDone,) = address(REGISTRY).call(_call);
    }
}

/// Functions that the registry inherits, by each key; and keys that are used for what they are not for.
/// forge-config: default.evm_version = "cancun"
contract AdminTest is RegistryBase {
    bytes32 private constant ADMIN_ROLE = 0;

    function test_inheritedFunctionsAreTheAdministratorsAlone() external {
        address[5] memory others = [PRICER, WRITER, PAUSER, TREASURY, STRANGER];
        bytes[5] memory calls = [
            abi.encodeCall(IAdminRules.cancelDefaultAdminTransfer, ()),
            abi.encodeCall(IAdminRules.changeDefaultAdminDelay, (1)),
            abi.encodeCall(IAdminRules.rollbackDefaultAdminDelay, ()),
            abi.encodeCall(IAdminRules.revokeRole, (keccak256("PRICE"), PRICER)),
            abi.encodeCall(registry.grantRole, (keccak256("PRICE"), STRANGER))
        ];
        bytes4 what = IRegistry.AccessControlUnauthorizedAccount.selector;
        for (uint256 i = 0; i < 5; i++) {
            for (uint256 k = 0; k < 5; k++) {
                (bool ok, bytes memory answer) = _try(others[k], 0, calls[i]);
                assert(!ok && keccak256(answer) == keccak256(abi.encodeWithSelector(what, others[k], ADMIN_ROLE)));
            }
            (bool may,) = _try(ADMIN, 0, calls[i]);
            assert(may);
        }
        // a role is given up by its own key alone
        bytes memory other = abi.encodeWithSelector(IAdminRules.AccessControlBadConfirmation.selector);
        _refused(STRANGER, other);
        IAdminRules(address(registry)).renounceRole(keccak256("PAUSE"), PAUSER);
        assert(registry.hasRole(keccak256("PAUSE"), PAUSER) && registry.hasRole(keccak256("PRICE"), STRANGER));
    }

    function test_aRevokedKeyDoesNothingMore() external {
        VM.prank(ADMIN);
        IAdminRules(address(registry)).revokeRole(keccak256("PAUSE"), PAUSER);
        bytes4 what = IRegistry.AccessControlUnauthorizedAccount.selector;
        _refused(PAUSER, abi.encodeWithSelector(what, PAUSER, keccak256("PAUSE")));
        registry.pause();
    }

    /// The delay of two days is shortened by waiting for two days; and nobody gives the administrator's role up, or away,
    /// in one step.
    function test_noShortcutLeadsToTheAdministratorsRole() external {
        IAdminRules rules = IAdminRules(address(registry));
        VM.prank(ADMIN);
        rules.changeDefaultAdminDelay(0);
        VM.prank(ADMIN);
        registry.beginDefaultAdminTransfer(STRANGER);
        assert(rules.defaultAdminDelay() == 2 days);
        VM.warp(NOW + 2 days);
        bytes4 what = IRegistry.AccessControlEnforcedDefaultAdminDelay.selector;
        _refused(STRANGER, abi.encodeWithSelector(what, uint48(NOW + 2 days)));
        registry.acceptDefaultAdminTransfer();
        bytes memory rule = abi.encodeWithSelector(IRegistry.AccessControlEnforcedDefaultAdminRules.selector);
        _refused(ADMIN, rule);
        rules.revokeRole(ADMIN_ROLE, ADMIN);
        _refused(ADMIN, abi.encodeWithSelector(what, uint48(NOW + 2 days)));
        rules.renounceRole(ADMIN_ROLE, ADMIN);
        // called off, it is no transfer
        VM.prank(ADMIN);
        rules.cancelDefaultAdminTransfer();
        VM.warp(NOW + 30 days);
        _refused(STRANGER, abi.encodeWithSelector(IRegistry.AccessControlInvalidDefaultAdmin.selector, STRANGER));
        registry.acceptDefaultAdminTransfer();
        assert(registry.defaultAdmin() == ADMIN);
    }

    /// A payer with a role changes prices, pauses or writes while its refund comes in: the sale is at the price before, and
    /// its refund is the one due.
    function test_aRoleUsedInsideARefundChangesNothingOfTheSale() external {
        (uint256 price,) = registry.quoteEth(BUILDER);
        VM.warp(NOW + 1 hours);
        bytes32[4] memory roles = [keccak256("PRICE"), keccak256("PAUSE"), keccak256("CHECKPOINT"), keccak256("PRICE")];
        bytes[4] memory calls = [
            abi.encodeCall(registry.setEthPrice, (ETH_PRICE * 2)),
            abi.encodeCall(registry.pause, ()),
            abi.encodeCall(registry.writeCheckpoint, (0, 1, 2, "root")),
            abi.encodeCall(registry.withdrawEth, ())
        ];
        for (uint256 i = 0; i < 4; i++) {
            RolePayer payer = new RolePayer(registry);
            VM.prank(ADMIN);
            registry.grantRole(roles[i], address(payer));
            uint256 before = address(registry).balance;
            (uint256 current,) = registry.quoteEth(BUILDER);
            payer.buy{value: current + 1 ether}(calls[i]);
            assert(payer.isDone() == (i < 3) && address(payer).balance == 1 ether);
            assert(address(registry).balance == before + current);
            assert(registry.expiresAt(address(payer), BUILDER) == NOW + 1 hours + PERIOD);
            if (i == 0) assert(current == price);
            if (i != 1) continue;
            VM.prank(ADMIN);
            registry.unpause();
        }
    }

    /// A permit of another spender, and the signature of a permit as an authorization: neither pays.
    function test_aSignatureForSomethingElseBuysNothing() external {
        bytes memory permit = _permit(BUYER, BUILDER_PRICE, NOW + 1);
        bytes memory call = abi.encodeCall(registry.activateWithAuthorization, (BUYER, BUILDER, "", 0, NOW + 1, permit));
        (bool ok,) = _try(STRANGER, 0, call);
        assert(!ok);
        bytes32 nonce = registry.authorizationNonce(BUYER, BUILDER, "");
        bytes memory signed = _authorization(BUYER, BUILDER_PRICE, NOW + 1, nonce);
        call = abi.encodeCall(registry.activateWithUsdcPermit, (BUILDER, BUILDER_PRICE, NOW + 1, signed));
        (ok,) = _try(BUYER, 0, call);
        assert(!ok);
        // cancelled by its signer before anybody sends it
        bytes memory form = abi.encode(keccak256("CancelAuthorization(address authorizer,bytes32 nonce)"), BUYER, nonce);
        bytes memory cancel =
            abi.encodeWithSignature("cancelAuthorization(address,bytes32,bytes)", BUYER, nonce, _sign(form));
        (ok,) = address(usdc).call(cancel);
        assert(ok);
        call = abi.encodeCall(registry.activateWithAuthorization, (BUYER, BUILDER, "", 0, NOW + 1, signed));
        (ok,) = _try(STRANGER, 0, call);
        assert(!ok);
        _nothingHappened();
    }
}
