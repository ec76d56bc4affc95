// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {IRegistry, RegistryBase, VM} from "./Base.sol";

/// Refuses ETH, or burns all gas, when a refund comes.
contract BadPayer {
    bool private immutable BURNS;

    constructor(bool burns) {
        BURNS = burns;
    }

    receive() external payable {
        while (BURNS) {}
        revert();
    }

    function buy(IRegistry registry, uint256 value) external {
        registry.activateWithEth{value: value}(1);
    }
}

/// Calls the registry again while its refund comes in, and keeps the answers.
contract ReentrantPayer {
    IRegistry private immutable REGISTRY;
    bytes[] private _calls;
    bytes4[] public answers;

    constructor(IRegistry registry) {
        REGISTRY = registry;
    }

    function buy(bytes[] memory calls) external payable {
        _calls = calls;
        REGISTRY.activateWithEth{value: msg.value}(1);
    }

    receive() external payable {
        for (uint256 i = 0; i < _calls.length; i++) {
            (bool ok, bytes memory answer) = address(REGISTRY).call{value: i < 2 ? msg.value : 0}(_calls[i]);
            answers.push(ok ? bytes4(0) : bytes4(answer));
        }
    }
}

/// forge-config: default.evm_version = "cancun"
contract RegistryTest is RegistryBase {
    bytes32 private constant ADMIN_ROLE = 0;

    // Sales for ETH

    function test_theExactPriceBuysAndOneWeiLessDoesNot() external {
        uint256 price = _weiPrice(BUILDER);
        _refused(BUYER, abi.encodeWithSelector(IRegistry.EthBelowPrice.selector, price - 1, price));
        registry.activateWithEth{value: price - 1}(BUILDER);
        _refused(BUYER, abi.encodeWithSelector(IRegistry.EthBelowPrice.selector, 0, price));
        registry.activateWithEth(BUILDER);
        _expectActivated(BUYER, BUILDER, BUYER, BUILDER_PRICE, price);
        VM.prank(BUYER);
        registry.activateWithEth{value: price}(BUILDER);
        assert(address(registry).balance == price && BUYER.balance == 1_000 ether - price);
    }

    function test_theExcessComesBackInTheSameCall() external {
        uint256 price = _weiPrice(PROTOCOL);
        uint256 excess = 1;
        for (uint256 i = 1; i <= 2; i++) {
            VM.prank(BUYER);
            registry.activateWithEthFor{value: price + excess}(STRANGER, PROTOCOL);
            assert(address(registry).balance == i * price && BUYER.balance == 1_000 ether - i * price);
            excess = 100 ether;
        }
        assert(STRANGER.balance == 0 && registry.expiresAt(STRANGER, PROTOCOL) == NOW + 2 * PERIOD);
        assert(registry.expiresAt(BUYER, PROTOCOL) == 0);
    }

    function test_aPayerThatRefusesOrBurnsItsRefundBuysNothing() external {
        uint256 price = _weiPrice(BUILDER);
        for (uint256 i = 0; i < 2; i++) {
            BadPayer payer = new BadPayer(i == 1);
            VM.deal(address(payer), 2 * price);
            (bool ok,) = address(payer).call{gas: 3_000_000}(abi.encodeCall(payer.buy, (registry, price + 1)));
            assert(!ok && address(registry).balance == i * price && registry.expiresAt(address(payer), 1) == 0);
            // without an excess there is nothing to refuse
            payer.buy(registry, price);
            assert(registry.expiresAt(address(payer), BUILDER) == NOW + PERIOD);
        }
    }

    function test_aRefundEntersNoFunction() external {
        ReentrantPayer payer = new ReentrantPayer(registry);
        (bytes[] memory calls,) = _everyCall();
        uint256 price = _weiPrice(BUILDER);
        payer.buy{value: price + 1 ether}(calls);
        for (uint256 i = 0; i < calls.length; i++) {
            // behind a role, the role is asked first
            bytes4 guard = IRegistry.ReentrancyGuardReentrantCall.selector;
            assert(payer.answers(i) == (i < 7 ? guard : IRegistry.AccessControlUnauthorizedAccount.selector));
        }
        assert(registry.expiresAt(address(payer), BUILDER) == NOW + PERIOD && address(registry).balance == price);
        assert(address(payer).balance == 1 ether);
    }

    function test_aPriceThatChangesInTheSameBlockBuysAtTheNewPriceOrNotAtAll() external {
        uint256 before = _weiPrice(BUILDER);
        _setEthPrice(ETH_PRICE / 2, NOW + 1 hours);
        uint256 risen = _weiPrice(BUILDER);
        _refused(BUYER, abi.encodeWithSelector(IRegistry.EthBelowPrice.selector, before, risen));
        registry.activateWithEth{value: before}(BUILDER);
        _setEthPrice(ETH_PRICE, NOW + 2 hours);
        VM.prank(BUYER);
        registry.activateWithEth{value: risen}(BUILDER);
        assert(address(registry).balance == before && BUYER.balance == 1_000 ether - before);
    }

    function test_aStaleEthPriceSellsNothing() external {
        VM.warp(NOW + 24 hours);
        (uint256 price, uint64 validUntil) = registry.quoteEth(BUILDER);
        assert(validUntil == NOW + 24 hours);
        VM.prank(BUYER);
        registry.activateWithEth{value: price}(BUILDER);
        VM.warp(NOW + 24 hours + 1);
        bytes memory old = abi.encodeWithSelector(IRegistry.EthPriceTooOld.selector, NOW, NOW + 1);
        _refused(BUYER, old);
        registry.activateWithEth{value: price}(BUILDER);
        VM.expectRevert(old);
        registry.quoteEth(BUILDER);
    }

    function test_withoutAnEthPriceNothingIsSoldForEth() external {
        registry = IRegistry(_deployRegistry(address(usdc), TREASURY, ADMIN));
        _refused(BUYER, abi.encodeWithSelector(IRegistry.EthPriceTooOld.selector, 0, NOW - 24 hours));
        registry.activateWithEth{value: 1 ether}(BUILDER);
    }

    function test_theEthPriceMovesByAFactorOfTwoAnHour() external {
        uint256 half = (uint256(ETH_PRICE) + 1) / 2;
        uint256 twice = 2 * uint256(ETH_PRICE);
        uint64[4] memory wrong = [0, uint64(half - 1), uint64(twice + 1), type(uint64).max];
        _refused(PRICER, abi.encodeWithSelector(IRegistry.EthPriceTooSoon.selector, NOW + 1 hours - 1, NOW + 1 hours));
        VM.warp(NOW + 1 hours - 1);
        registry.setEthPrice(ETH_PRICE);
        VM.warp(NOW + 1 hours);
        for (uint256 i = 0; i < 4; i++) {
            _refused(PRICER, abi.encodeWithSelector(IRegistry.EthPriceOutOfStep.selector, wrong[i], half, twice));
            registry.setEthPrice(wrong[i]);
        }
        VM.expectEmit(address(registry));
        emit IRegistry.EthPriceSet(twice);
        _setEthPrice(uint64(twice), NOW + 1 hours);
        _setEthPrice(ETH_PRICE, NOW + 2 hours);
        _setEthPrice(uint64(half), NOW + 3 hours);
        assert(registry.usdcPerEth() == half);
    }

    /// Whatever the price, the wei are what it takes, and not one more.
    function testFuzz_weiAreRoundedUp(uint64 usdcPrice, uint64 ethPrice) external {
        usdcPrice = usdcPrice == 0 ? 1 : usdcPrice;
        ethPrice = ethPrice == 0 ? 1 : ethPrice;
        bytes memory arguments = abi.encode(usdc, TREASURY, ADMIN, usdcPrice, usdcPrice);
        IRegistry other = IRegistry(VM.deployCode("SubscriptionRegistry.sol:SubscriptionRegistry", arguments));
        VM.prank(ADMIN);
        other.grantRole(keccak256("PRICE"), PRICER);
        VM.prank(PRICER);
        other.setEthPrice(ethPrice);
        (uint256 weiPrice,) = other.quoteEth(BUILDER);
        uint256 scaled = uint256(usdcPrice) * 1e18;
        assert(weiPrice * ethPrice >= scaled && (weiPrice - 1) * ethPrice < scaled);
    }

    function test_forcedEthBuysNothingAndGoesToTheTreasury() external {
        bytes memory selfDestruct = abi.encodePacked(hex"73", registry, hex"ff");
        assembly {
            pop(create(3000000000000000000, add(selfDestruct, 32), mload(selfDestruct)))
        }
        _nothingHappenedBut(3 ether);
        (bool ok,) = _try(BUYER, 1 ether, "");
        assert(!ok);
        VM.prank(BUYER);
        registry.activateWithEth{value: 2 ether}(BUILDER);
        uint256 held = 3 ether + _weiPrice(BUILDER);
        VM.expectEmit(address(registry));
        emit IRegistry.EthWithdrawn(held);
        VM.prank(STRANGER);
        registry.withdrawEth();
        assert(TREASURY.balance == held && address(registry).balance == 0);
        registry.withdrawEth();
        assert(TREASURY.balance == held);
    }

    // Tiers and periods

    function test_tiersThatAreNotSoldAreRefusedByEveryFunction() external {
        _approve(BUYER, type(uint256).max);
        uint8[3] memory tiers = [0, 3, 255];
        for (uint256 i = 0; i < 3; i++) {
            uint8 tier = tiers[i];
            bytes memory refusal = abi.encodeWithSelector(IRegistry.TierNotForSale.selector, tier);
            bytes[6] memory sales = [
                abi.encodeCall(registry.activateWithUsdc, (tier)),
                abi.encodeCall(registry.activateWithUsdcFor, (STRANGER, tier, type(uint256).max)),
                abi.encodeCall(registry.activateWithUsdcPermit, (tier, type(uint256).max, NOW, "")),
                abi.encodeCall(registry.activateWithAuthorization, (BUYER, tier, "", 0, NOW + 1, "")),
                abi.encodeCall(registry.activateWithEth, (tier)),
                abi.encodeCall(registry.activateWithEthFor, (STRANGER, tier))
            ];
            for (uint256 k = 0; k < 6; k++) {
                (bool ok, bytes memory answer) = _try(BUYER, k < 4 ? 0 : 1 ether, sales[k]);
                assert(!ok && keccak256(answer) == keccak256(refusal));
            }
            assert(registry.priceOf(tier) == 0);
            _refused(ADMIN, refusal);
            registry.setPrice(tier, 1);
            VM.expectRevert(refusal);
            registry.quoteEth(tier);
        }
        _nothingHappened();
    }

    function test_periodsStackAndALapseIsNotPaidFor() external {
        uint256 start = NOW;
        _buy(BUYER, BUILDER);
        // the period's last second, and the second after it: both continue without a gap
        uint256[2] memory times = [start + PERIOD - 1, start + 2 * PERIOD];
        for (uint256 i = 0; i < 2; i++) {
            VM.warp(times[i]);
            _setEthPrice(ETH_PRICE, times[i]);
            _buy(BUYER, BUILDER);
            assert(registry.expiresAt(BUYER, BUILDER) == start + (i + 2) * PERIOD);
        }
        uint256 late = start + 3 * PERIOD + 1;
        VM.warp(late);
        (uint8 tier, uint64 end) = registry.subscriptionOf(BUYER);
        assert(tier == 0 && end == 0);
        _setEthPrice(ETH_PRICE, late);
        _buy(BUYER, BUILDER);
        assert(registry.expiresAt(BUYER, BUILDER) == late + PERIOD);
    }

    function test_tiersRunSideBySideAndTheHighestIsServed() external {
        _buy(BUYER, BUILDER);
        _buy(BUYER, BUILDER);
        _buy(BUYER, PROTOCOL);
        (uint8 tier, uint64 end) = registry.subscriptionOf(BUYER);
        assert(tier == PROTOCOL && end == NOW + PERIOD);
        VM.warp(NOW + PERIOD);
        (tier, end) = registry.subscriptionOf(BUYER);
        assert(tier == BUILDER && end == NOW + 2 * PERIOD);
        VM.warp(NOW + 2 * PERIOD);
        (tier, end) = registry.subscriptionOf(BUYER);
        assert(tier == 0 && end == 0);
    }

    function test_aThousandPeriodsStack() external {
        for (uint256 i = 1; i <= 1_000; i++) {
            _buy(BUYER, BUILDER);
        }
        assert(registry.expiresAt(BUYER, BUILDER) == NOW + 1_000 * uint256(PERIOD));
    }

    // Prices in USDC

    function test_aPriceTakesEffectTwoDaysAfterItsAnnouncement() external {
        VM.expectEmit(address(registry));
        emit IRegistry.PriceAnnounced(BUILDER, 60e6, uint64(NOW + 2 days));
        _setPrice(BUILDER, 60e6);
        VM.warp(NOW + 2 days - 1);
        (uint256 next, uint64 from) = registry.announcedPriceOf(BUILDER);
        assert(registry.priceOf(BUILDER) == BUILDER_PRICE && next == 60e6 && from == NOW + 2 days);
        // a quote ends with the price that it is made of
        uint64 validUntil;
        for (uint256 time = NOW + 1 days; time < NOW + 2 days; time += 1 days - 1) {
            _setEthPrice(ETH_PRICE, time);
            (, validUntil) = registry.quoteEth(BUILDER);
            assert(validUntil == NOW + 2 days - 1);
        }
        (, validUntil) = registry.quoteEth(PROTOCOL);
        assert(validUntil == NOW + 3 days - 1);
        VM.warp(NOW + 2 days);
        assert(registry.priceOf(BUILDER) == 60e6 && registry.priceOf(PROTOCOL) == PROTOCOL_PRICE);
        (, validUntil) = registry.quoteEth(BUILDER);
        assert(validUntil == NOW + 3 days - 1);
    }

    function test_anAnnouncementReplacesTheOneBefore() external {
        _setPrice(BUILDER, 1);
        VM.warp(NOW + 1 days);
        _setPrice(BUILDER, 70e6);
        VM.warp(NOW + 2 days);
        assert(registry.priceOf(BUILDER) == BUILDER_PRICE);
        VM.warp(NOW + 3 days);
        assert(registry.priceOf(BUILDER) == 70e6);
        _setPrice(BUILDER, 0);
        assert(registry.priceOf(BUILDER) == 70e6);
        VM.warp(NOW + 5 days);
        _refused(BUYER, abi.encodeWithSelector(IRegistry.TierNotForSale.selector, BUILDER));
        registry.activateWithUsdc(BUILDER);
    }

    // Roles

    /// Each function that is not a sale, by each role: one may, the others may not.
    function test_eachRoleHasItsFunctionsAlone() external {
        VM.warp(NOW + 1 hours);
        address[6] memory senders = [ADMIN, PRICER, WRITER, PAUSER, TREASURY, STRANGER];
        (bytes[] memory calls, bytes32[] memory roles) = _everyCall();
        _mint(address(registry), 1);
        for (uint256 i = 7; i < calls.length; i++) {
            for (uint256 k = 6; k > 0; k--) {
                address sender = senders[k - 1];
                bool may = registry.hasRole(roles[i], sender);
                (bool ok, bytes memory answer) = _try(sender, 0, calls[i]);
                assert(ok == may);
                bytes4 what = IRegistry.AccessControlUnauthorizedAccount.selector;
                if (!ok) assert(keccak256(answer) == keccak256(abi.encodeWithSelector(what, sender, roles[i])));
            }
        }
        assert(registry.hasRole(ADMIN_ROLE, ADMIN) && !registry.hasRole(keccak256("PRICE"), ADMIN));
    }

    function test_theAdministratorIsChangedInTwoStepsAndTwoDays() external {
        _refused(ADMIN, abi.encodeWithSelector(IRegistry.AccessControlEnforcedDefaultAdminRules.selector));
        registry.grantRole(ADMIN_ROLE, STRANGER);
        VM.prank(ADMIN);
        registry.beginDefaultAdminTransfer(STRANGER);
        uint48 schedule = uint48(NOW + 2 days);
        bytes4 what = IRegistry.AccessControlEnforcedDefaultAdminDelay.selector;
        _refused(STRANGER, abi.encodeWithSelector(what, schedule));
        registry.acceptDefaultAdminTransfer();
        VM.warp(NOW + 2 days);
        _refused(STRANGER, abi.encodeWithSelector(what, schedule));
        registry.acceptDefaultAdminTransfer();
        VM.warp(NOW + 2 days + 1);
        _refused(PRICER, abi.encodeWithSelector(IRegistry.AccessControlInvalidDefaultAdmin.selector, PRICER));
        registry.acceptDefaultAdminTransfer();
        assert(registry.defaultAdmin() == ADMIN);
        VM.prank(STRANGER);
        registry.acceptDefaultAdminTransfer();
        assert(registry.defaultAdmin() == STRANGER && !registry.hasRole(ADMIN_ROLE, ADMIN));
    }

    function test_aPauseStopsSalesAlone() external {
        _buy(BUYER, BUILDER);
        uint256 price = _weiPrice(BUILDER);
        VM.deal(BUYER, 2 * price);
        _approve(BUYER, type(uint256).max);
        VM.prank(PAUSER);
        registry.pause();
        (bytes[] memory calls,) = _everyCall();
        for (uint256 i = 0; i < 6; i++) {
            (bool ok, bytes memory answer) = _try(BUYER, i < 2 ? price : 0, calls[i]);
            assert(!ok && bytes4(answer) == IRegistry.EnforcedPause.selector);
        }
        (uint8 tier,) = registry.subscriptionOf(BUYER);
        assert(tier == BUILDER && registry.priceOf(BUILDER) == BUILDER_PRICE);
        registry.withdrawEth();
        assert(_weiPrice(BUILDER) == price && TREASURY.balance == price);
        _write(0, NOW - 1 days, NOW, "");
        VM.prank(ADMIN);
        registry.unpause();
        _buy(BUYER, BUILDER);
    }

    function test_rescueSendsStrayTokensAndFailsWithoutAToken() external {
        _mint(address(registry), 7);
        VM.prank(ADMIN);
        registry.rescue(address(usdc), STRANGER, 7);
        assert(usdc.balanceOf(STRANGER) == 7);
        _refused(ADMIN, abi.encodeWithSelector(IRegistry.SafeERC20FailedOperation.selector, STRANGER));
        registry.rescue(STRANGER, STRANGER, 0);
    }

    // Checkpoints

    function test_checkpointsFollowOneAnotherWithoutGapOrOverlap() external {
        uint256 day = NOW - 1 days;
        VM.expectEmit(address(registry));
        emit IRegistry.UsageCheckpoint(0, uint64(day - 1 days), uint64(day), "one");
        _write(0, day - 1 days, day, "one");
        _refused(WRITER, abi.encodeWithSelector(IRegistry.CheckpointSequenceWrong.selector, 0, 1));
        registry.writeCheckpoint(0, uint64(day - 1 days), uint64(day), "one");
        _refused(WRITER, abi.encodeWithSelector(IRegistry.CheckpointSequenceWrong.selector, 2, 1));
        registry.writeCheckpoint(2, uint64(day), uint64(NOW), "two");
        uint256[3] memory starts = [day + 1, day - 1, day - 1 days];
        for (uint256 i = 0; i < 3; i++) {
            _refused(WRITER, abi.encodeWithSelector(IRegistry.CheckpointStartWrong.selector, starts[i], day));
            registry.writeCheckpoint(1, uint64(starts[i]), uint64(NOW), "two");
        }
        uint256[4] memory ends = [NOW + 1, day, day - 1, type(uint64).max];
        for (uint256 i = 0; i < 4; i++) {
            _refused(WRITER, abi.encodeWithSelector(IRegistry.CheckpointEndWrong.selector, ends[i], day, NOW));
            registry.writeCheckpoint(1, uint64(day), uint64(ends[i]), "two");
        }
        _write(1, day, NOW, "two");
        assert(registry.checkpointRoot(0) == "one" && registry.checkpointRoot(1) == "two");
        assert(registry.nextCheckpoint() == 2 && registry.checkpointEnd() == NOW);
    }

    // Deployment

    function test_aRegistryNeedsATokenAnAdministratorAndATreasuryThatTakesEth() external {
        address refusing = address(new BadPayer(false));
        _notDeployed(STRANGER, TREASURY, ADMIN, abi.encodeWithSelector(IRegistry.NotAContract.selector, STRANGER));
        _notDeployed(address(usdc), address(0), ADMIN, abi.encodeWithSelector(IRegistry.AccountIsZero.selector));
        bytes memory noEth = abi.encodeWithSelector(IRegistry.EthRefused.selector, refusing, 0);
        _notDeployed(address(usdc), refusing, ADMIN, noEth);
        bytes4 noAdmin = IRegistry.AccessControlInvalidDefaultAdmin.selector;
        _notDeployed(address(usdc), TREASURY, address(0), abi.encodeWithSelector(noAdmin, address(0)));
    }

    function _notDeployed(address token, address treasury, address admin, bytes memory what) private {
        VM.expectRevert(what);
        _deployRegistry(token, treasury, admin);
    }

    /// Every function that changes something, with the role that it asks for: six sales, the withdrawal, then the roles'.
    function _everyCall() private view returns (bytes[] memory calls, bytes32[] memory roles) {
        (calls, roles) = (new bytes[](15), new bytes32[](15));
        calls[0] = abi.encodeCall(registry.activateWithEth, (BUILDER));
        calls[1] = abi.encodeCall(registry.activateWithEthFor, (BUYER, BUILDER));
        calls[2] = abi.encodeCall(registry.activateWithUsdc, (BUILDER));
        calls[3] = abi.encodeCall(registry.activateWithUsdcFor, (BUYER, BUILDER, BUILDER_PRICE));
        calls[4] = abi.encodeCall(registry.activateWithUsdcPermit, (BUILDER, BUILDER_PRICE, NOW, ""));
        calls[5] = abi.encodeCall(registry.activateWithAuthorization, (BUYER, BUILDER, "", 0, NOW + 1, ""));
        calls[6] = abi.encodeCall(registry.withdrawEth, ());
        calls[7] = abi.encodeCall(registry.rescue, (address(usdc), STRANGER, 1));
        calls[8] = abi.encodeCall(registry.setPrice, (BUILDER, 1));
        (calls[9], roles[9]) = (abi.encodeCall(registry.setEthPrice, (ETH_PRICE)), keccak256("PRICE"));
        (calls[10], roles[10]) = (abi.encodeCall(registry.writeCheckpoint, (0, 1, 2, "")), keccak256("CHECKPOINT"));
        (calls[11], roles[11]) = (abi.encodeCall(registry.pause, ()), keccak256("PAUSE"));
        calls[12] = abi.encodeCall(registry.unpause, ());
        calls[13] = abi.encodeCall(registry.grantRole, ("OTHER", STRANGER));
        calls[14] = abi.encodeCall(registry.beginDefaultAdminTransfer, (STRANGER));
    }

    function _weiPrice(uint8 tier) private view returns (uint256 price) {
        (price,) = registry.quoteEth(tier);
    }

    function _setEthPrice(uint64 price, uint256 time) private {
        VM.warp(time);
        VM.prank(PRICER);
        registry.setEthPrice(price);
    }

    function _setPrice(uint8 tier, uint64 price) private {
        VM.prank(ADMIN);
        registry.setPrice(tier, price);
    }

    function _write(uint64 sequence, uint256 start, uint256 end, bytes32 root) private {
        VM.prank(WRITER);
        registry.writeCheckpoint(sequence, uint64(start), uint64(end), root);
    }

    function _buy(address account, uint8 tier) private {
        uint256 price = _weiPrice(tier);
        VM.deal(account, price);
        VM.prank(account);
        registry.activateWithEth{value: price}(tier);
    }

    function _nothingHappenedBut(uint256 held) private view {
        assert(registry.expiresAt(BUYER, BUILDER) == 0 && address(registry).balance == held);
    }
}
