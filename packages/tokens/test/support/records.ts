/**
 * Records as the service sends them, with every field that was seen. Written by hand from the tables of the wire, not
 * made with the contract under test.
 */
export const zero = "0x0000000000000000000000000000000000000000"
export const alice = "0x1111111111111111111111111111111111111111"
export const bob = "0x2222222222222222222222222222222222222222"
export const token = "0x3333333333333333333333333333333333333333"
export const hash = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

export const nft = {
  tokenId: "0x1c2",
  owner: "0x1111111111111111111111111111111111111111",
  previousOwner: "0x0000000000000000000000000000000000000000",
  tokenUri: "https://pears.example/450.json",
  transactionHash: "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  createdAt: 1610000001,
  updatedAt: 1610000002
}

export const mtToken = {
  tokenId: "0x10",
  owner: "0x2222222222222222222222222222222222222222",
  tokenAddress: "0x3333333333333333333333333333333333333333",
  totalSupply: "0xffffffffffffffffffffffffffffffffffffffff",
  tokenUri: "no url at all",
  balance: "0xde0b6b3a7640000",
  transactionHash: "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  transferFrom: "0x0000000000000000000000000000000000000000",
  transferTo: "0x1111111111111111111111111111111111111111",
  updatedAt: 1610000003
}

export const mt = { tokenId: "0x2", totalSupply: "0x64", tokenUri: "" }

/** What the records above mean. */
export const expected = {
  nft: {
    tokenId: 450n,
    owner: "0x1111111111111111111111111111111111111111",
    previousOwner: "0x0000000000000000000000000000000000000000",
    tokenUri: "https://pears.example/450.json",
    transactionHash: "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    createdAt: 1_610_000_001,
    updatedAt: 1_610_000_002,
    extra: {}
  },
  mtToken: {
    tokenId: 16n,
    owner: "0x2222222222222222222222222222222222222222",
    tokenAddress: "0x3333333333333333333333333333333333333333",
    totalSupply: 1_461_501_637_330_902_918_203_684_832_716_283_019_655_932_542_975n,
    tokenUri: "no url at all",
    balance: 1_000_000_000_000_000_000n,
    transactionHash: "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    transferFrom: "0x0000000000000000000000000000000000000000",
    transferTo: "0x1111111111111111111111111111111111111111",
    updatedAt: 1_610_000_003,
    extra: {}
  },
  mt: { tokenId: 2n, totalSupply: 100n, tokenUri: "", extra: {} }
}

export const ftDetail = {
  address: "0x3333333333333333333333333333333333333333",
  name: "Apple",
  symbol: "APL",
  decimals: 2,
  totalSupply: "0x3e8",
  status: "completed",
  type: "KIP-7",
  createdAt: 1600000001,
  updatedAt: 1600000002,
  deletedAt: 0
}

export const nftDetail = {
  address: "0x3333333333333333333333333333333333333333",
  name: "Pears",
  symbol: "PRS",
  totalSupply: "0x2710",
  status: "completed",
  type: "KIP-17",
  createdAt: 1600000001,
  updatedAt: 1600000002,
  deletedAt: 1600000003
}

export const mtDetail = {
  address: "0x3333333333333333333333333333333333333333",
  status: "processing",
  type: "ERC-1155",
  createdAt: 1600000001,
  updatedAt: 1600000002,
  deletedAt: 0
}

export const holder = { address: "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", totalHolder: 77 }

export const change = {
  from: "0x0000000000000000000000000000000000000000",
  to: "0x1111111111111111111111111111111111111111",
  timestamp: 1610000001
}

const contractSummary = { contractAddress: "0x3333333333333333333333333333333333333333", updatedAt: 1610000001 }

export const contracts = {
  ft: {
    kind: "ft",
    ...contractSummary,
    totalBalance: "0x3e8",
    extras: { name: "Apple", symbol: "APL", decimals: 2, totalSupply: "0x2710", formattedValue: "10" }
  },
  nft: {
    kind: "nft",
    ...contractSummary,
    totalBalance: "0x2",
    extras: { name: "Pears", symbol: "PRS", totalSupply: "0x2710" }
  },
  mt: { kind: "mt", ...contractSummary, totalBalance: "0x5", extras: {} },
  unknown: { kind: "sbt", bound: [1, null] }
}

const tokenSummary = {
  ...contractSummary,
  balance: "0x1",
  lastTransfer: {
    transactionHash: "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    transferFrom: "0x0000000000000000000000000000000000000000",
    transferTo: "0x1111111111111111111111111111111111111111"
  }
}

export const holdings = {
  ft: {
    kind: "ft",
    ...tokenSummary,
    extras: { name: "Apple", symbol: "APL", decimals: 2, totalSupply: "0x2710", formattedValue: "0.01" }
  },
  nft: { kind: "nft", ...tokenSummary, extras: { tokenId: "0x1c2", tokenUri: "https://pears.example/450.json" } },
  mt: { kind: "mt", ...tokenSummary, extras: { tokenId: "0x10", tokenUri: "", totalSupply: "0x64" } },
  unknown: { kind: "sbt", bound: [1, null] }
}
