// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "@kaiachain/contracts/KIP/token/KIP17/KIP17.sol";
import "@kaiachain/contracts/KIP/token/KIP17/extensions/KIP17URIStorage.sol";

/// A KIP-17 token that anybody may mint: for seeding a sandbox, never for a real chain.
contract OpenKIP17 is KIP17URIStorage {
    constructor(string memory name_, string memory symbol_) KIP17(name_, symbol_) {}

    function mint(address to, uint256 tokenId, string memory uri) public {
        _mint(to, tokenId);
        _setTokenURI(tokenId, uri);
    }

    function burn(uint256 tokenId) public {
        _burn(tokenId);
    }
}
