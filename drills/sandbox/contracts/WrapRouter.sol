// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "sandbox/WrappedKlay.sol";

/// Wraps and unwraps for itself and for others.
contract WrapRouter {
    WrappedKlay immutable coin;

    constructor(address payable coin_) {
        coin = WrappedKlay(coin_);
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
