// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "@kaiachain/contracts/KIP/token/KIP17/extensions/KIP17Enumerable.sol";
import "@kaiachain/contracts/KIP/token/KIP17/extensions/KIP17URIStorage.sol";
import "@kaiachain/contracts/KIP/token/KIP37/KIP37.sol";

/// A KIP-17 token that counts itself, mints in batches and tells when a URI changes.
contract Cats is KIP17URIStorage, KIP17Enumerable {
    event MetadataUpdate(uint256 tokenId);

    constructor() KIP17("Cats", "CAT") {}

    function mintMany(address to, uint256 first, uint256 count) public {
        for (uint256 id = first; id < first + count; id++) {
            _mint(to, id);
            _setTokenURI(id, "cat://new");
        }
    }

    function burn(uint256 id) public {
        require(_isApprovedOrOwner(msg.sender, id), "not yours");
        _burn(id);
    }

    function setURI(uint256 id, string memory uri) public {
        _setTokenURI(id, uri);
        emit MetadataUpdate(id);
    }

    function tokenURI(uint256 id) public view override(KIP17, KIP17URIStorage) returns (string memory) {
        return super.tokenURI(id);
    }

    function supportsInterface(bytes4 id) public view override(KIP17, KIP17Enumerable) returns (bool) {
        return super.supportsInterface(id);
    }

    function _burn(uint256 id) internal override(KIP17, KIP17URIStorage) {
        super._burn(id);
    }

    function _beforeTokenTransfer(address from, address to, uint256 id) internal override(KIP17, KIP17Enumerable) {
        super._beforeTokenTransfer(from, to, id);
    }
}

/// A KIP-37 token that anybody may mint and burn in batches, and that tells when a URI changes.
contract Items is KIP37 {
    mapping(uint256 => string) private _uris;

    constructor() KIP37("item://{id}") {}

    function uri(uint256 id) public view override returns (string memory) {
        return bytes(_uris[id]).length == 0 ? super.uri(id) : _uris[id];
    }

    function setURI(uint256 id, string memory uri_) public {
        _uris[id] = uri_;
        emit URI(uri_, id);
    }

    function mintBatch(address to, uint256[] memory ids, uint256[] memory amounts) public {
        _mintBatch(to, ids, amounts, "");
    }

    function burnBatch(address from, uint256[] memory ids, uint256[] memory amounts) public {
        _burnBatch(from, ids, amounts);
    }
}

/// Takes every token.
contract Keeper {
    function onKIP17Received(address, address, uint256, bytes memory) public pure returns (bytes4) {
        return this.onKIP17Received.selector;
    }

    function onKIP37Received(address, address, uint256, uint256, bytes memory) public pure returns (bytes4) {
        return this.onKIP37Received.selector;
    }

    function onKIP37BatchReceived(address, address, uint256[] memory, uint256[] memory, bytes memory)
        public
        pure
        returns (bytes4)
    {
        return this.onKIP37BatchReceived.selector;
    }
}
