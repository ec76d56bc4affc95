// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {ContractWallet, IRealUsdc, IRegistry, RegistryBase, VM} from "./Base.sol";

/// Laws of a sale for USDC: on the real token, and on the test token.
abstract contract UsdcSales is RegistryBase {
    bytes32 private constant SALT = keccak256("salt");

    function test_usdcGoesStraightToTheTreasury() external {
        _approve(BUYER, BUILDER_PRICE);
        _expectActivated(BUYER, BUILDER, BUYER, BUILDER_PRICE, 0);
        VM.prank(BUYER);
        registry.activateWithUsdc(BUILDER);
        assert(usdc.balanceOf(TREASURY) == BUILDER_PRICE && usdc.balanceOf(address(registry)) == 0);
        assert(registry.expiresAt(BUYER, BUILDER) == NOW + PERIOD && registry.expiresAt(BUYER, PROTOCOL) == 0);
        assert(usdc.allowance(BUYER, address(registry)) == 0);
    }

    function test_somebodyPaysForAnotherAccount() external {
        _approve(BUYER, type(uint256).max);
        _expectActivated(STRANGER, PROTOCOL, BUYER, PROTOCOL_PRICE, 0);
        VM.prank(BUYER);
        registry.activateWithUsdcFor(STRANGER, PROTOCOL, PROTOCOL_PRICE);
        assert(registry.expiresAt(BUYER, PROTOCOL) == 0);
        _refused(
            BUYER, abi.encodeWithSelector(IRegistry.PriceAboveMaximum.selector, PROTOCOL_PRICE, PROTOCOL_PRICE - 1)
        );
        registry.activateWithUsdcFor(STRANGER, PROTOCOL, PROTOCOL_PRICE - 1);
        _refused(BUYER, abi.encodeWithSelector(IRegistry.AccountIsZero.selector));
        registry.activateWithUsdcFor(address(0), PROTOCOL, PROTOCOL_PRICE);
    }

    function test_nobodyBuysWithAnothersAllowance() external {
        _approve(BUYER, type(uint256).max);
        _fails(STRANGER, abi.encodeCall(registry.activateWithUsdcFor, (BUYER, BUILDER, BUILDER_PRICE)));
        _fails(STRANGER, abi.encodeCall(registry.activateWithUsdcFor, (STRANGER, BUILDER, BUILDER_PRICE)));
        _fails(STRANGER, abi.encodeCall(registry.activateWithUsdc, (BUILDER)));
        _nothingHappened();
    }

    function test_anAllowanceOrBalanceThatIsShortBuysNothing() external {
        _approve(BUYER, BUILDER_PRICE - 1);
        _fails(BUYER, abi.encodeCall(registry.activateWithUsdc, (BUILDER)));
        _mint(STRANGER, BUILDER_PRICE - 1);
        _approve(STRANGER, BUILDER_PRICE);
        _fails(STRANGER, abi.encodeCall(registry.activateWithUsdc, (BUILDER)));
        _nothingHappened();
    }

    function test_theTreasuryCannotPayItself() external {
        _mint(TREASURY, BUILDER_PRICE);
        _approve(TREASURY, BUILDER_PRICE);
        uint256 twice = 2 * BUILDER_PRICE;
        _refused(TREASURY, abi.encodeWithSelector(IRegistry.TreasuryBalanceWrong.selector, BUILDER_PRICE, twice));
        registry.activateWithUsdc(BUILDER);
    }

    function test_aPausedUsdcStopsUsdcAlone() external {
        _approve(BUYER, BUILDER_PRICE);
        bytes memory signature = _authorize(BUYER, BUILDER);
        VM.prank(ISSUER);
        usdc.pause();
        _everyUsdcSaleFails(signature);
        _nothingHappened();
        _ethStillBuys();
        VM.prank(ISSUER);
        usdc.unpause();
        VM.prank(BUYER);
        registry.activateWithUsdc(BUILDER);
    }

    function test_aBlockedPayerTreasuryOrRegistryStopsUsdcAlone() external {
        _approve(BUYER, BUILDER_PRICE);
        bytes memory signature = _authorize(BUYER, BUILDER);
        address[3] memory parties = [BUYER, TREASURY, address(registry)];
        for (uint256 i = 0; i < 3; i++) {
            VM.prank(ISSUER);
            usdc.blacklist(parties[i]);
            _everyUsdcSaleFails(signature);
            VM.prank(ISSUER);
            usdc.unBlacklist(parties[i]);
        }
        _nothingHappened();
        VM.prank(ISSUER);
        usdc.blacklist(TREASURY);
        _ethStillBuys();
    }

    function test_aPermitBuysInOneTransaction() external {
        bytes memory signature = _permit(BUYER, BUILDER_PRICE, NOW);
        _expectActivated(BUYER, BUILDER, BUYER, BUILDER_PRICE, 0);
        VM.prank(BUYER);
        registry.activateWithUsdcPermit(BUILDER, BUILDER_PRICE, NOW, signature);
        // once: the permit is used up, and so is the allowance
        _fails(BUYER, abi.encodeCall(registry.activateWithUsdcPermit, (BUILDER, BUILDER_PRICE, NOW, signature)));
        assert(usdc.balanceOf(TREASURY) == BUILDER_PRICE);
    }

    function test_aPermitThatWasUsedFirstByAnotherStillBuys() external {
        bytes memory signature = _permit(BUYER, BUILDER_PRICE, NOW);
        VM.prank(STRANGER);
        usdc.permit(BUYER, address(registry), BUILDER_PRICE, NOW, signature);
        VM.prank(BUYER);
        registry.activateWithUsdcPermit(BUILDER, BUILDER_PRICE, NOW, signature);
        assert(registry.expiresAt(BUYER, BUILDER) == NOW + PERIOD);
    }

    function test_aPermitIsNoMeansForAnother() external {
        bytes memory signature = _permit(BUYER, BUILDER_PRICE, NOW);
        _fails(STRANGER, abi.encodeCall(registry.activateWithUsdcPermit, (BUILDER, BUILDER_PRICE, NOW, signature)));
        assert(usdc.allowance(BUYER, address(registry)) == 0);
        _nothingHappened();
    }

    function test_anExpiredPermitLeavesTheAllowanceToDecide() external {
        bytes memory signature = _permit(BUYER, BUILDER_PRICE, NOW - 1);
        bytes memory call =
            abi.encodeCall(registry.activateWithUsdcPermit, (BUILDER, BUILDER_PRICE, NOW - 1, signature));
        _fails(BUYER, call);
        _nothingHappened();
        _approve(BUYER, BUILDER_PRICE);
        (bool ok,) = _try(BUYER, 0, call);
        assert(ok && usdc.balanceOf(TREASURY) == BUILDER_PRICE);
    }

    function test_aPermitBelowThePriceIsRefused() external {
        bytes memory signature = _permit(BUYER, PROTOCOL_PRICE - 1, NOW);
        _refused(
            BUYER, abi.encodeWithSelector(IRegistry.PriceAboveMaximum.selector, PROTOCOL_PRICE, PROTOCOL_PRICE - 1)
        );
        registry.activateWithUsdcPermit(PROTOCOL, PROTOCOL_PRICE - 1, NOW, signature);
    }

    function test_aContractWalletPermitsAndAuthorizes() external {
        address wallet = address(new ContractWallet(BUYER));
        _mint(wallet, 2 * BUILDER_PRICE);
        bytes memory signature = _permit(wallet, BUILDER_PRICE, NOW);
        VM.prank(wallet);
        registry.activateWithUsdcPermit(BUILDER, BUILDER_PRICE, NOW, signature);
        signature = _authorize(wallet, BUILDER);
        VM.prank(STRANGER);
        registry.activateWithAuthorization(wallet, BUILDER, SALT, 0, NOW + 1, signature);
        assert(registry.expiresAt(wallet, BUILDER) == NOW + 2 * PERIOD && usdc.balanceOf(wallet) == 0);
    }

    function test_anAuthorizationIsSentByAnybodyOnce() external {
        bytes memory signature = _authorize(BUYER, BUILDER);
        _expectActivated(BUYER, BUILDER, BUYER, BUILDER_PRICE, 0);
        VM.prank(STRANGER);
        registry.activateWithAuthorization(BUYER, BUILDER, SALT, 0, NOW + 1, signature);
        assert(usdc.balanceOf(TREASURY) == BUILDER_PRICE && usdc.balanceOf(address(registry)) == 0);
        assert(usdc.balanceOf(BUYER) == 1_000_000e6 - BUILDER_PRICE);
        _fails(STRANGER, _authorizedCall(BUYER, BUILDER, SALT, signature));
    }

    function test_anAuthorizationBuysThatTierForThatAccountThroughTheRegistryAlone() external {
        // one price for both tiers, so that the nonce alone tells them apart
        VM.prank(ADMIN);
        registry.setPrice(PROTOCOL, uint64(BUILDER_PRICE));
        VM.warp(NOW + 2 days);
        bytes32 nonce = registry.authorizationNonce(BUYER, BUILDER, SALT);
        bytes memory signature = _authorization(BUYER, BUILDER_PRICE, NOW + 3 days, nonce);
        assert(registry.priceOf(PROTOCOL) == registry.priceOf(BUILDER));
        uint256 end = NOW + 3 days;
        _fails(STRANGER, abi.encodeCall(registry.activateWithAuthorization, (BUYER, PROTOCOL, SALT, 0, end, signature)));
        _fails(
            STRANGER, abi.encodeCall(registry.activateWithAuthorization, (STRANGER, BUILDER, SALT, 0, end, signature))
        );
        _fails(
            STRANGER, abi.encodeCall(registry.activateWithAuthorization, (BUYER, BUILDER, "other", 0, end, signature))
        );
        _fails(STRANGER, abi.encodeCall(registry.activateWithAuthorization, (BUYER, BUILDER, SALT, 1, end, signature)));
        // the token takes it from the payee alone: nobody moves the money without the sale
        VM.prank(STRANGER);
        try usdc.receiveWithAuthorization(BUYER, address(registry), BUILDER_PRICE, 0, end, nonce, signature) {
            assert(false);
        } catch {}
        _nothingHappened();
        VM.prank(STRANGER);
        registry.activateWithAuthorization(BUYER, BUILDER, SALT, 0, end, signature);
    }

    function test_anAuthorizationOutsideItsTimeOrPriceIsRefused() external {
        bytes memory signature = _authorize(BUYER, BUILDER);
        VM.warp(NOW + 1);
        _fails(STRANGER, _authorizedCall(BUYER, BUILDER, SALT, signature));
        VM.warp(NOW);
        bytes32 nonce = registry.authorizationNonce(BUYER, BUILDER, SALT);
        signature = _authorization(BUYER, BUILDER_PRICE + 1, NOW + 1, nonce);
        _fails(STRANGER, _authorizedCall(BUYER, BUILDER, SALT, signature));
        _nothingHappened();
    }

    /// Somebody's stray USDC in the registry pays for nothing, and the administrator gives it back.
    function test_strayUsdcPaysForNothing() external {
        VM.prank(BUYER);
        usdc.transfer(address(registry), PROTOCOL_PRICE);
        _fails(STRANGER, abi.encodeCall(registry.activateWithUsdc, (BUILDER)));
        VM.prank(ADMIN);
        registry.rescue(address(usdc), BUYER, PROTOCOL_PRICE);
        _nothingHappened();
    }

    function _authorize(address from, uint8 tier) private view returns (bytes memory) {
        bytes32 nonce = registry.authorizationNonce(from, tier, SALT);
        return _authorization(from, registry.priceOf(tier), NOW + 1, nonce);
    }

    function _authorizedCall(address from, uint8 tier, bytes32 salt, bytes memory signature)
        private
        view
        returns (bytes memory)
    {
        return abi.encodeCall(registry.activateWithAuthorization, (from, tier, salt, 0, NOW + 1, signature));
    }

    function _everyUsdcSaleFails(bytes memory signature) private {
        _fails(BUYER, abi.encodeCall(registry.activateWithUsdc, (BUILDER)));
        _fails(BUYER, abi.encodeCall(registry.activateWithUsdcFor, (STRANGER, BUILDER, BUILDER_PRICE)));
        _fails(BUYER, abi.encodeCall(registry.activateWithUsdcPermit, (BUILDER, BUILDER_PRICE, NOW, "")));
        _fails(STRANGER, _authorizedCall(BUYER, BUILDER, SALT, signature));
    }

    function _ethStillBuys() private {
        VM.prank(BUYER);
        registry.activateWithEth{value: 1 ether}(BUILDER);
        registry.withdrawEth();
        assert(registry.expiresAt(BUYER, BUILDER) == NOW + PERIOD && TREASURY.balance > 0);
    }

    function _fails(address sender, bytes memory call) private {
        (bool ok,) = _try(sender, 0, call);
        assert(!ok);
    }
}

/// forge-config: default.evm_version = "cancun"
contract TestUsdcTest is UsdcSales {
    function _deployUsdc() internal override returns (address) {
        return VM.deployCode("TestUsdc.sol:TestUsdc", abi.encode(ISSUER));
    }
}

/// What Circle's proxy could be upgraded to. Its balances are its own.
contract ChangedUsdc {
    uint256[1000] private _before;
    mapping(address account => uint256) public balanceOf;
    uint256 public mode;

    function set(uint256 to, address holder) external {
        (mode, balanceOf[holder]) = (to, 1_000e6);
    }

    function transferFrom(address from, address to, uint256 amount) external {
        _move(from, to, amount);
    }

    function transfer(address to, uint256 amount) external {
        _move(msg.sender, to, amount);
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 amount,
        uint256,
        uint256,
        bytes32,
        bytes calldata
    ) external {
        _move(from, to, amount);
    }

    /// 0 takes a fee from what arrives, 1 returns false, 2 returns true and moves nothing, 3 moves one more,
    /// 4 moves and returns nothing, 5 moves, returns false.
    function _move(address from, address to, uint256 amount) private {
        if (mode == 0) (balanceOf[from], balanceOf[to]) = (balanceOf[from] - amount, balanceOf[to] + amount - 1);
        if (mode == 3) (balanceOf[from], balanceOf[to]) = (balanceOf[from] - amount - 1, balanceOf[to] + amount + 1);
        if (mode > 3) (balanceOf[from], balanceOf[to]) = (balanceOf[from] - amount, balanceOf[to] + amount);
        if (mode == 4) return;
        bool isTrue = mode == 0 || mode == 2 || mode == 3;
        assembly {
            mstore(0, isTrue)
            return(0, 32)
        }
    }
}

/// forge-config: default.evm_version = "cancun"
contract RealUsdcTest is UsdcSales {
    /// For `--isolate --gas-report --match-test gasOf`: a first period and a renewal by each function, with a treasury
    /// that has money, a buyer that keeps some, and an allowance for the one sale.
    function test_gasOfASale() external {
        _mint(TREASURY, 1);
        VM.deal(TREASURY, 1);
        for (uint256 i = 0; i < 2; i++) {
            _approve(BUYER, BUILDER_PRICE);
            VM.prank(BUYER);
            registry.activateWithUsdc(BUILDER);
            _approve(BUYER, BUILDER_PRICE);
            VM.prank(BUYER);
            registry.activateWithUsdcFor(address(0xf1), BUILDER, BUILDER_PRICE);
            bytes memory signature = _permit(BUYER, PROTOCOL_PRICE, NOW);
            VM.prank(BUYER);
            registry.activateWithUsdcPermit(PROTOCOL, PROTOCOL_PRICE, NOW, signature);
            VM.deal(STRANGER, 2 ether);
            VM.prank(STRANGER);
            registry.activateWithEth{value: 1 ether}(BUILDER);
            VM.prank(STRANGER);
            registry.activateWithEthFor{value: 1 ether}(address(0xf1), PROTOCOL);
            VM.prank(WRITER);
            registry.writeCheckpoint(uint64(i), uint64(NOW - 2 + i), uint64(NOW - 1 + i), "root");
        }
        registry.withdrawEth();
        VM.warp(NOW + 1 hours);
        VM.prank(PRICER);
        registry.setEthPrice(ETH_PRICE);
        VM.prank(ADMIN);
        registry.setPrice(BUILDER, 1);
    }

    function test_gasOfAnAuthorization() external {
        _mint(TREASURY, 1);
        for (uint256 i = 0; i < 2; i++) {
            bytes32 nonce = registry.authorizationNonce(BUYER, BUILDER, bytes32(i));
            bytes memory signature = _authorization(BUYER, BUILDER_PRICE, NOW + 1, nonce);
            VM.prank(STRANGER);
            registry.activateWithAuthorization(BUYER, BUILDER, bytes32(i), 0, NOW + 1, signature);
        }
    }

    function test_anUpgradedUsdcPaysThePriceOrBuysNothing() external {
        address changed = address(new ChangedUsdc());
        VM.prank(PROXY_ADMIN);
        IRealUsdc(address(usdc)).upgradeTo(changed);
        for (uint256 mode = 0; mode < 6; mode++) {
            ChangedUsdc(address(usdc)).set(mode, BUYER);
            bytes memory signature;
            bytes memory call = abi.encodeCall(registry.activateWithUsdc, (BUILDER));
            (bool isSold,) = _try(BUYER, 0, call);
            assert(isSold == (mode == 4));
            ChangedUsdc(address(usdc)).set(mode, BUYER);
            call = abi.encodeCall(registry.activateWithAuthorization, (BUYER, BUILDER, "", 0, NOW + 1, signature));
            (isSold,) = _try(STRANGER, 0, call);
            assert(isSold == (mode == 4));
        }
        // returning nothing is allowed, as the balance decides: two sales, one each way
        assert(registry.expiresAt(BUYER, BUILDER) == NOW + 2 * PERIOD);
        assert(usdc.balanceOf(TREASURY) == 2 * BUILDER_PRICE);
    }
}
