// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

import {
    AccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// USDC with EIP-2612 and EIP-3009. A signature in bytes is also accepted from a contract wallet (EIP-1271).
interface IUsdc is IERC20 {
    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes calldata signature) external;

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;
}

/// Sells periods of 30 days of a tier, for USDC or ETH, and keeps the roots of usage checkpoints. No proxy: a new version
/// is a new address. Money goes to a treasury that nobody can change.
/// Tiers are numbered as in the service: 0 explorer (free), 1 builder, 2 protocol, 3 enterprise (by agreement).
/// USDC amounts are millionths, times are Unix seconds.
contract SubscriptionRegistry is AccessControlDefaultAdminRules, Pausable, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    error TierNotForSale(uint8 got);
    error AccountIsZero();
    error PriceAboveMaximum(uint256 got, uint256 expectedMost);
    error EthBelowPrice(uint256 got, uint256 expected);
    error EthPriceTooOld(uint256 got, uint256 expectedLeast);
    error EthPriceTooSoon(uint256 got, uint256 expectedLeast);
    error EthPriceOutOfStep(uint256 got, uint256 expectedLeast, uint256 expectedMost);
    error TreasuryBalanceWrong(uint256 got, uint256 expected);
    error EthRefused(address by, uint256 amount);
    error CheckpointSequenceWrong(uint64 got, uint64 expected);
    error CheckpointStartWrong(uint64 got, uint64 expected);
    error CheckpointEndWrong(uint64 got, uint64 expectedAbove, uint64 expectedMost);
    error NotAContract(address got);

    /// The payer bought a period. `usdcPrice` is the tier's price for ETH too; `weiPaid` is 0 for USDC.
    event Activated(
        address indexed account,
        uint8 indexed tier,
        address indexed payer,
        uint64 start,
        uint64 end,
        uint256 usdcPrice,
        uint256 weiPaid
    );
    /// Root of the usage from `start` to before `end`.
    event UsageCheckpoint(uint64 indexed sequence, uint64 start, uint64 end, bytes32 root);
    /// The tier costs `usdcPrice` from this time on, unless another announcement replaces this one; 0 ends the sale.
    event PriceAnnounced(uint8 indexed tier, uint256 usdcPrice, uint64 from);
    event EthPriceSet(uint256 usdcPerEth);
    event EthWithdrawn(uint256 amount);

    /// Price of a tier, and the one that replaces it.
    struct Price {
        uint64 current;
        uint64 next;
        /// First second of `next`.
        uint64 nextFrom;
    }

    uint8 public constant BUILDER = 1;
    uint8 public constant PROTOCOL = 2;
    uint64 public constant PERIOD = 30 days;
    /// Time between the announcement of a USDC price and its start.
    uint64 public constant PRICE_NOTICE = 2 days;
    uint64 public constant ETH_PRICE_AGE_MAX = 24 hours;
    /// Time between two ETH prices: with the step of 2 it bounds what a stolen key does before a pause.
    uint64 public constant ETH_PRICE_INTERVAL_MIN = 1 hours;

    /// Sets the ETH price.
    bytes32 public constant PRICE_ROLE = keccak256("PRICE");
    /// Writes usage checkpoints.
    bytes32 public constant CHECKPOINT_ROLE = keccak256("CHECKPOINT");
    /// Pauses the sale; the administrator ends a pause.
    bytes32 public constant PAUSE_ROLE = keccak256("PAUSE");

    IUsdc public immutable USDC;
    address public immutable TREASURY;

    /// First second after the account's last period of a tier; 0 without a period.
    mapping(address account => mapping(uint8 tier => uint64)) public expiresAt;
    mapping(uint64 sequence => bytes32) public checkpointRoot;
    mapping(uint8 tier => Price) private _prices;

    uint64 public usdcPerEth;
    /// Time of the newest ETH price.
    uint64 public ethPriceAt;
    uint64 public nextCheckpoint;
    /// End of the newest checkpoint.
    uint64 public checkpointEnd;

    constructor(IUsdc usdc, address treasury, address admin, uint64 builderPrice, uint64 protocolPrice)
        AccessControlDefaultAdminRules(2 days, admin)
    {
        if (address(usdc).code.length == 0) revert NotAContract(address(usdc));
        if (treasury == address(0)) revert AccountIsZero();
        (USDC, TREASURY) = (usdc, treasury);
        _sendEth(treasury, 0); // a treasury that takes no ETH would lock it here for good
        _announce(BUILDER, builderPrice, uint64(block.timestamp));
        _announce(PROTOCOL, protocolPrice, uint64(block.timestamp));
    }

    /// Buys a period for the sender, at the current price, from its USDC allowance.
    function activateWithUsdc(uint8 tier) external {
        activateWithUsdcFor(msg.sender, tier, type(uint256).max);
    }

    /// Buys a period for another account, from the sender's USDC allowance.
    function activateWithUsdcFor(address account, uint8 tier, uint256 mostUsdc) public whenNotPaused nonReentrant {
        uint256 price = _salePrice(tier);
        if (price > mostUsdc) revert PriceAboveMaximum(price, mostUsdc);
        uint256 expected = USDC.balanceOf(TREASURY) + price;
        _activate(account, tier, msg.sender, price, 0);
        IERC20(USDC).safeTransferFrom(msg.sender, TREASURY, price);
        _checkTreasury(expected);
    }

    /// Buys a period for the sender, with a permit over `mostUsdc` to this contract. Somebody may have used the permit
    /// first, so a failing permit does not end the sale: the allowance decides.
    function activateWithUsdcPermit(uint8 tier, uint256 mostUsdc, uint256 deadline, bytes calldata signature) external {
        try USDC.permit(msg.sender, address(this), mostUsdc, deadline, signature) {} catch {}
        activateWithUsdcFor(msg.sender, tier, mostUsdc);
    }

    /// Buys a period for `from`, which signed a `ReceiveWithAuthorization` (EIP-3009) of the current price to this
    /// contract, with `authorizationNonce`. Anybody may send it.
    function activateWithAuthorization(
        address from,
        uint8 tier,
        bytes32 salt,
        uint256 validAfter,
        uint256 validBefore,
        bytes calldata signature
    ) external whenNotPaused nonReentrant {
        uint256 price = _salePrice(tier);
        uint256 expected = USDC.balanceOf(TREASURY) + price;
        _activate(from, tier, from, price, 0);
        bytes32 nonce = authorizationNonce(from, tier, salt);
        USDC.receiveWithAuthorization(from, address(this), price, validAfter, validBefore, nonce, signature);
        IERC20(USDC).safeTransfer(TREASURY, price);
        _checkTreasury(expected);
    }

    /// Buys a period for the sender; what was sent above the price goes back.
    function activateWithEth(uint8 tier) external payable {
        activateWithEthFor(msg.sender, tier);
    }

    /// Buys a period for another account; what was sent above the price goes back to the sender.
    function activateWithEthFor(address account, uint8 tier) public payable whenNotPaused nonReentrant {
        (uint256 weiPrice,) = quoteEth(tier);
        if (msg.value < weiPrice) revert EthBelowPrice(msg.value, weiPrice);
        _activate(account, tier, msg.sender, priceOf(tier), weiPrice);
        if (msg.value > weiPrice) _sendEth(msg.sender, msg.value - weiPrice);
    }

    /// Nonce of an authorization: it binds the tier, so that no other is bought with it.
    function authorizationNonce(address from, uint8 tier, bytes32 salt) public pure returns (bytes32 nonce) {
        return keccak256(abi.encode(from, tier, salt));
    }

    /// Current price of a period; 0 if the tier is not for sale.
    function priceOf(uint8 tier) public view returns (uint256 usdcPrice) {
        Price storage price = _prices[tier];
        return block.timestamp < price.nextFrom ? price.current : price.next;
    }

    /// Newest announced price and its first second, which may be past.
    function announcedPriceOf(uint8 tier) external view returns (uint256 usdcPrice, uint64 from) {
        return (_prices[tier].next, _prices[tier].nextFrom);
    }

    /// Current price of a period in wei, rounded up, and the last second at which it can hold. A new ETH price may come
    /// earlier: send a little more, the rest goes back.
    function quoteEth(uint8 tier) public view returns (uint256 weiPrice, uint64 validUntil) {
        uint256 price = _salePrice(tier);
        validUntil = ethPriceAt + ETH_PRICE_AGE_MAX;
        if (block.timestamp > validUntil) revert EthPriceTooOld(ethPriceAt, block.timestamp - ETH_PRICE_AGE_MAX);
        uint64 nextFrom = _prices[tier].nextFrom;
        if (block.timestamp < nextFrom && nextFrom <= validUntil) validUntil = nextFrom - 1;
        weiPrice = Math.ceilDiv(price * 1 ether, usdcPerEth);
    }

    /// Highest tier that the account has paid for now, and its end; 0 and 0 without one.
    function subscriptionOf(address account) external view returns (uint8 tier, uint64 end) {
        for (tier = PROTOCOL; tier > 0; --tier) {
            end = expiresAt[account][tier];
            if (block.timestamp < end) return (tier, end);
        }
        return (0, 0);
    }

    /// Announces a USDC price for a tier; 0 ends the sale. It replaces an announced price that has not begun.
    function setPrice(uint8 tier, uint64 usdcPrice) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _announce(tier, usdcPrice, uint64(block.timestamp) + PRICE_NOTICE);
    }

    /// Sets the price of one ETH in USDC: at most twice and at least half of the last one, an hour or more after it.
    function setEthPrice(uint64 price) external onlyRole(PRICE_ROLE) {
        (uint256 last, uint64 earliest) = (usdcPerEth, ethPriceAt + ETH_PRICE_INTERVAL_MIN);
        if (last != 0 && block.timestamp < earliest) revert EthPriceTooSoon(block.timestamp, earliest);
        (uint256 least, uint256 most) = last == 0 ? (1, type(uint64).max) : (Math.ceilDiv(last, 2), last * 2);
        if (price < least || price > most) revert EthPriceOutOfStep(price, least, most);
        (usdcPerEth, ethPriceAt) = (price, uint64(block.timestamp));
        emit EthPriceSet(price);
    }

    /// Writes the root of the usage from `start`, the last checkpoint's end, to before `end`. A pause does not stop it.
    function writeCheckpoint(uint64 sequence, uint64 start, uint64 end, bytes32 root)
        external
        onlyRole(CHECKPOINT_ROLE)
    {
        if (sequence != nextCheckpoint) {
            revert CheckpointSequenceWrong(sequence, nextCheckpoint);
        }
        if (sequence != 0 && start != checkpointEnd) revert CheckpointStartWrong(start, checkpointEnd);
        if (end <= start || end > block.timestamp) revert CheckpointEndWrong(end, start, uint64(block.timestamp));
        (nextCheckpoint, checkpointEnd, checkpointRoot[sequence]) = (sequence + 1, end, root);
        emit UsageCheckpoint(sequence, start, end, root);
    }

    function pause() external onlyRole(PAUSE_ROLE) {
        _pause();
    }

    function unpause() external onlyRole(DEFAULT_ADMIN_ROLE) {
        _unpause();
    }

    /// Sends all ETH to the treasury; anybody may call.
    function withdrawEth() external nonReentrant {
        emit EthWithdrawn(address(this).balance);
        _sendEth(TREASURY, address(this).balance);
    }

    /// Sends tokens away that somebody transferred here by mistake: a sale leaves none.
    function rescue(IERC20 token, address to, uint256 amount) external onlyRole(DEFAULT_ADMIN_ROLE) nonReentrant {
        token.safeTransfer(to, amount);
    }

    /// Appends a period to the tier's running one; after a lapse it starts now.
    function _activate(address account, uint8 tier, address payer, uint256 usdcPrice, uint256 weiPaid) private {
        if (account == address(0)) revert AccountIsZero();
        uint64 start = uint64(Math.max(block.timestamp, expiresAt[account][tier]));
        expiresAt[account][tier] = start + PERIOD;
        emit Activated(account, tier, payer, start, start + PERIOD, usdcPrice, weiPaid);
    }

    function _announce(uint8 tier, uint64 usdcPrice, uint64 from) private {
        if (tier != BUILDER && tier != PROTOCOL) revert TierNotForSale(tier);
        _prices[tier] = Price(uint64(priceOf(tier)), usdcPrice, from);
        emit PriceAnnounced(tier, usdcPrice, from);
    }

    function _salePrice(uint8 tier) private view returns (uint256 price) {
        price = priceOf(tier);
        if (price == 0) revert TierNotForSale(tier);
    }

    /// Refuses a USDC that takes a fee or does not move.
    function _checkTreasury(uint256 expected) private view {
        uint256 got = USDC.balanceOf(TREASURY);
        if (got != expected) revert TreasuryBalanceWrong(got, expected);
    }

    function _sendEth(address to, uint256 amount) private {
        (bool isSent,) = to.call{value: amount}("");
        if (!isSent) revert EthRefused(to, amount);
    }
}
