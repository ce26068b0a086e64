// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// A wrapped coin as WETH9 is: deposits and withdrawals change balances without a Transfer log.
contract WrappedCoin {
    string public name = "Wrapped Coin";
    string public symbol = "WCOIN";
    uint8 public decimals = 18;

    event Approval(address indexed src, address indexed guy, uint256 wad);
    event Transfer(address indexed src, address indexed dst, uint256 wad);
    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 wad) public {
        require(balanceOf[msg.sender] >= wad);
        balanceOf[msg.sender] -= wad;
        (bool paid, ) = msg.sender.call{value: wad}("");
        require(paid);
        emit Withdrawal(msg.sender, wad);
    }

    function totalSupply() public view returns (uint256) {
        return address(this).balance;
    }

    function approve(address guy, uint256 wad) public returns (bool) {
        allowance[msg.sender][guy] = wad;
        emit Approval(msg.sender, guy, wad);
        return true;
    }

    function transfer(address dst, uint256 wad) public returns (bool) {
        return transferFrom(msg.sender, dst, wad);
    }

    function transferFrom(address src, address dst, uint256 wad) public returns (bool) {
        require(balanceOf[src] >= wad);
        if (src != msg.sender && allowance[src][msg.sender] != type(uint256).max) {
            require(allowance[src][msg.sender] >= wad);
            allowance[src][msg.sender] -= wad;
        }
        balanceOf[src] -= wad;
        balanceOf[dst] += wad;
        emit Transfer(src, dst, wad);
        return true;
    }
}

/// Wraps and unwraps for itself and for others.
contract WrapRouter {
    WrappedCoin immutable coin;

    constructor(address payable coin_) {
        coin = WrappedCoin(coin_);
    }

    receive() external payable {}

    function hold() public payable {
        coin.deposit{value: msg.value}();
    }

    function wrapFor(address to) public payable {
        coin.deposit{value: msg.value}();
        coin.transfer(to, msg.value);
    }

    function drain() public {
        coin.withdraw(coin.balanceOf(address(this)));
    }
}
