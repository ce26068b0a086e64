// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// Its logs and its balances have little to do with each other.
contract LyingToken {
    string public name = "Lie";
    string public symbol = "LIE";
    uint8 public constant decimals = 0;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Noise(address who, uint256 what);

    function quietMint(address to, uint256 value) public {
        totalSupply += value;
        balanceOf[to] += value;
    }

    function quietMove(address from, address to, uint256 value) public {
        balanceOf[from] -= value;
        balanceOf[to] += value;
    }

    function quietBurn(address from, uint256 value) public {
        totalSupply -= value;
        balanceOf[from] -= value;
    }

    function claim(address from, address to, uint256 told) public {
        emit Transfer(from, to, told);
    }

    function moveAndLie(address from, address to, uint256 value, address toldTo, uint256 told) public {
        quietMove(from, to, value);
        emit Transfer(from, toldTo, told);
    }

    function set(address owner, uint256 value) public {
        balanceOf[owner] = value;
        emit Noise(owner, value);
    }
}

/// Looks like a fungible token when it is deployed, and has non-fungible ones.
contract LyingCats {
    string public name = "Cats that lie";
    string public symbol = "CTL";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(uint256 => address) private _owners;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    function ownerOf(uint256 id) public view returns (address) {
        require(_owners[id] != address(0), "no such cat");
        return _owners[id];
    }

    function tokenURI(uint256 id) public view returns (string memory) {
        ownerOf(id);
        return "cat://lie";
    }

    /// Without a log, or with a false one.
    function put(uint256 id, address to, address toldFrom, address toldTo, bool tell) public {
        address before = _owners[id];
        if (before != address(0)) balanceOf[before]--;
        if (to != address(0)) balanceOf[to]++;
        if (before == address(0) && to != address(0)) totalSupply++;
        if (before != address(0) && to == address(0)) totalSupply--;
        _owners[id] = to;
        if (tell) emit Transfer(toldFrom, toldTo, id);
    }
}

/// Multi tokens whose logs tell wrong amounts.
contract LyingItems {
    mapping(uint256 => mapping(address => uint256)) private _balances;
    mapping(uint256 => uint256) public totalSupply;

    event TransferSingle(
        address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value
    );

    function supportsInterface(bytes4 id) public pure returns (bool) {
        return id == 0xd9b67a26;
    }

    function balanceOf(address owner, uint256 id) public view returns (uint256) {
        return _balances[id][owner];
    }

    function uri(uint256) public pure returns (string memory) {
        return "item://{id}";
    }

    function mint(address to, uint256 id, uint256 value, uint256 told) public {
        _balances[id][to] += value;
        totalSupply[id] += value;
        emit TransferSingle(msg.sender, address(0), to, id, told);
    }

    function move(address from, address to, uint256 id, uint256 value, uint256 told) public {
        _balances[id][from] -= value;
        _balances[id][to] += value;
        emit TransferSingle(msg.sender, from, to, id, told);
    }

    function quietMove(address from, address to, uint256 id, uint256 value) public {
        _balances[id][from] -= value;
        _balances[id][to] += value;
    }

    function quietMint(address to, uint256 id, uint256 value) public {
        _balances[id][to] += value;
        totalSupply[id] += value;
    }

    function quietBurn(address from, uint256 id, uint256 value) public {
        _balances[id][from] -= value;
        totalSupply[id] -= value;
    }

    function quietMoves(address from, address to, uint256[] calldata ids, uint256 value) public {
        for (uint256 i = 0; i < ids.length; i++) quietMove(from, to, ids[i], value);
    }
}
