// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {IRegistry, RegistryBase, VM} from "./Base.sol";

struct Log {
    bytes32[] topics;
    bytes data;
    address emitter;
}

interface LogVm {
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
}

LogVm constant LOGS = LogVm(address(VM));

/// Calls what anybody and each role may call, in any order, and sums up the events.
contract Crowd is RegistryBase {
    uint256 public usdcSold;
    uint256 public weiSold;
    uint256 public weiForced;
    uint256 public sales;
    uint256 public now_;
    mapping(address account => mapping(uint8 tier => uint64)) public lastEnd;

    function setUp() public override {
        super.setUp();
        _approve(BUYER, type(uint256).max);
        LOGS.recordLogs();
        now_ = NOW;
        // each sale works and is seen: the laws are not kept by idling
        this.buyForUsdc(0, 1, 1);
        this.buyForEth(1, 1, 1 ether);
        this.buyByAuthorization(1, 1, 1, "first");
        assert(sales == 3);
    }

    function check() external view {
        assert(usdc.balanceOf(address(registry)) == 0 && usdc.balanceOf(TREASURY) == usdcSold);
        assert(address(registry).balance + TREASURY.balance == weiSold + weiForced);
        for (uint160 i = 0; i < 4; i++) {
            for (uint8 tier = 1; tier < 3; tier++) {
                assert(registry.expiresAt(_account(i), tier) == lastEnd[_account(i)][tier]);
            }
        }
    }

    function buyForUsdc(uint160 account, uint8 tier, uint256 most) external {
        most = most % 4 == 0 ? most : type(uint256).max;
        _call(BUYER, 0, abi.encodeCall(registry.activateWithUsdcFor, (_account(account), _tier(tier), most)));
    }

    function buyByAuthorization(uint8 tier, uint8 signedTier, uint256 wrong, bytes32 salt) external {
        (tier, signedTier) = (_tier(tier), wrong % 4 == 0 ? _tier(signedTier) : _tier(tier));
        bytes32 nonce = registry.authorizationNonce(BUYER, signedTier, salt);
        bytes memory signature = _authorization(BUYER, registry.priceOf(tier), now_ + 1, nonce);
        bytes memory call =
            abi.encodeCall(registry.activateWithAuthorization, (BUYER, tier, salt, 0, now_ + 1, signature));
        _call(STRANGER, 0, call);
    }

    function buyForEth(uint160 account, uint8 tier, uint64 value) external {
        VM.deal(BUYER, 100 ether);
        _call(BUYER, value, abi.encodeCall(registry.activateWithEthFor, (_account(account), _tier(tier))));
    }

    function forceEth(uint64 value) external {
        weiForced += value;
        VM.deal(address(registry), address(registry).balance + value);
    }

    function withdraw(uint160 sender) external {
        _call(_account(sender), 0, abi.encodeCall(registry.withdrawEth, ()));
    }

    function wait(uint32 time) external {
        now_ += time % 3 == 0 ? time % 20 days : time % 2 hours;
        VM.warp(now_);
    }

    function setEthPrice(uint64 price) external {
        uint64 last = registry.usdcPerEth();
        price = price % 8 == 0 ? price : last / 2 + price % (last + last / 2 + 1);
        _call(PRICER, 0, abi.encodeCall(registry.setEthPrice, (price)));
    }

    function setPrice(uint8 tier, uint32 price) external {
        _call(ADMIN, 0, abi.encodeCall(registry.setPrice, (_tier(tier), 1 + price % 100e6)));
    }

    function pause(uint8 dice) external {
        if (dice % 5 == 1) _call(PAUSER, 0, abi.encodeCall(registry.pause, ()));
        else _call(ADMIN, 0, abi.encodeCall(registry.unpause, ()));
    }

    function _account(uint160 seed) private view returns (address) {
        return seed % 4 == 0 ? BUYER : address(0xacc0 + seed % 4);
    }

    /// One of four is not for sale.
    function _tier(uint8 seed) private pure returns (uint8) {
        uint256 dice = uint256(keccak256(abi.encode(seed)));
        return uint8(dice % 4 == 0 ? dice % 256 : 1 + dice % 2);
    }

    /// Calls, and sums up the sales of a call that succeeds: a period continues the last one or starts now.
    function _call(address sender, uint256 value, bytes memory call) private {
        VM.warp(now_);
        (bool ok,) = _try(sender, value, call);
        Log[] memory logs = LOGS.getRecordedLogs(); // those of a reverted call too
        if (!ok) return;
        for (uint256 i = 0; i < logs.length; i++) {
            if (logs[i].topics[0] != IRegistry.Activated.selector) continue;
            (uint64 start, uint64 end, uint256 price, uint256 weiPaid) =
                abi.decode(logs[i].data, (uint64, uint64, uint256, uint256));
            (address account, uint8 tier) =
                (address(uint160(uint256(logs[i].topics[1]))), uint8(uint256(logs[i].topics[2])));
            uint64 last = lastEnd[account][tier];
            assert(start == (last < now_ ? now_ : last) && end == start + PERIOD);
            lastEnd[account][tier] = end;
            weiSold += weiPaid;
            usdcSold += weiPaid == 0 ? price : 0;
            sales += 1;
        }
    }
}

/// forge-config: default.evm_version = "cancun"
/// forge-config: default.invariant.runs = 48
/// forge-config: default.invariant.depth = 80
/// forge-config: default.invariant.fail-on-revert = true
contract InvariantTest {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    Crowd private _crowd;

    function setUp() external {
        _crowd = new Crowd();
        _crowd.setUp();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_crowd);
    }

    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        targets = new FuzzSelector[](1);
        targets[0] = FuzzSelector(address(_crowd), new bytes4[](9));
        targets[0].selectors[0] = Crowd.buyForUsdc.selector;
        targets[0].selectors[1] = Crowd.buyByAuthorization.selector;
        targets[0].selectors[2] = Crowd.buyForEth.selector;
        targets[0].selectors[3] = Crowd.forceEth.selector;
        targets[0].selectors[4] = Crowd.withdraw.selector;
        targets[0].selectors[5] = Crowd.wait.selector;
        targets[0].selectors[6] = Crowd.setEthPrice.selector;
        targets[0].selectors[7] = Crowd.setPrice.selector;
        targets[0].selectors[8] = Crowd.pause.selector;
    }

    /// The registry holds no USDC, the treasury received the sum of the events, and a period's end never falls.
    function invariant_moneyAndPeriodsAreThoseOfTheEvents() external view {
        _crowd.check();
    }
}
