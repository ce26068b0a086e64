// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "@kaiachain/contracts/KIP/token/KIP37/KIP37.sol";

/// A KIP-37 token that anybody may mint: for seeding a sandbox, never for a real chain.
contract OpenKIP37 is KIP37 {
    mapping(uint256 => string) private _tokenURIs;

    constructor(string memory uri_) KIP37(uri_) {}

    function uri(uint256 id) public view override returns (string memory) {
        return bytes(_tokenURIs[id]).length == 0 ? super.uri(id) : _tokenURIs[id];
    }

    function setURI(uint256 id, string memory uri_) public {
        _tokenURIs[id] = uri_;
    }

    function mint(address to, uint256 id, uint256 amount) public {
        _mint(to, id, amount, "");
    }

    function mintBatch(address to, uint256[] memory ids, uint256[] memory amounts) public {
        _mintBatch(to, ids, amounts, "");
    }

    function burn(address from, uint256 id, uint256 amount) public {
        _burn(from, id, amount);
    }
}
