// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// Takes a fee on every transfer: half goes to a collector, half is burnt, and the log tells of neither.
contract FeeToken {
    string public name = "Fee";
    string public symbol = "FEE";
    uint8 public constant decimals = 6;
    uint256 public totalSupply;
    address public collector;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    mapping(address => uint256) private _balances;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(address collector_) {
        collector = collector_;
    }

    function balanceOf(address owner) public view returns (uint256) {
        return _balances[owner];
    }

    function setCollector(address collector_) public {
        collector = collector_;
    }

    function mint(address to, uint256 value) public {
        totalSupply += value;
        _balances[to] += value;
        emit Transfer(address(0), to, value);
    }

    function burn(uint256 value) public {
        _balances[msg.sender] -= value;
        totalSupply -= value;
        emit Transfer(msg.sender, address(0), value);
    }

    function approve(address spender, uint256 value) public returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) public returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) public returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function airdrop(address[] memory to, uint256 value) public {
        for (uint256 i = 0; i < to.length; i++) _move(msg.sender, to[i], value);
    }

    function _move(address from, address to, uint256 value) private {
        uint256 fee = value / 10;
        _balances[from] -= value;
        _balances[to] += value - fee;
        _balances[collector] += fee / 2;
        totalSupply -= fee - fee / 2;
        emit Transfer(from, to, value);
    }
}
