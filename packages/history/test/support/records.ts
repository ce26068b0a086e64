/**
 * Records as the service sends them, one of each kind, with every field that was seen. Written by hand from the tables
 * of the wire, not made with the contract under test.
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { Peb } from "@effect-klaytn/core/Amount"
import type { Hash } from "@effect-klaytn/core/Hash"
import type { UnixTime } from "@effect-klaytn/core/UnixTime"
import type * as Transfer from "../../src/Transfer.js"

export const alice = "0x1111111111111111111111111111111111111111"
export const bob = "0x2222222222222222222222222222222222222222"
export const token = "0x3333333333333333333333333333333333333333"
export const hash = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

export const coin = {
  transferType: "klay",
  from: "0x1111111111111111111111111111111111111111",
  to: "0x3333333333333333333333333333333333333333",
  value: "0x0",
  fee: "0x1dd7c1681d000",
  feePayer: "",
  feeRatio: 0,
  status: 1,
  transactionHash: "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  transactionIndex: 3,
  blockNumber: 7000001,
  typeInt: 48,
  timestamp: 1610000001
}

export const transaction = {
  from: "0x1111111111111111111111111111111111111111",
  transactionHash: "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  blockNumber: 7000001,
  timestamp: 1610000001,
  typeInt: 49,
  value: "0x0",
  fee: "0x1dd7c1681d000",
  feePayer: "0x4444444444444444444444444444444444444444",
  feeRatio: 30
}

export const ft = {
  transferType: "ft",
  from: "0x1111111111111111111111111111111111111111",
  to: "0x2222222222222222222222222222222222222222",
  value: "0x3e8",
  formattedValue: "10",
  contract: {
    address: "0x3333333333333333333333333333333333333333",
    name: "Apple",
    symbol: "APL",
    decimals: 2,
    status: "completed"
  },
  transaction
}

export const nft = {
  transferType: "nft",
  from: "0x0000000000000000000000000000000000000000",
  to: "0x2222222222222222222222222222222222222222",
  tokenId: "0x1c2",
  contract: { address: "0x3333333333333333333333333333333333333333", name: "Pears", symbol: "PRS" },
  transaction
}

export const mt = {
  transferType: "mt",
  operator: "0x4444444444444444444444444444444444444444",
  from: "0x1111111111111111111111111111111111111111",
  to: "0x2222222222222222222222222222222222222222",
  ids: ["0x1", "0xff"],
  values: ["0xa", "0x0"],
  contract: { address: "0x3333333333333333333333333333333333333333" },
  transaction
}

export const unknown = { transferType: "sbt", from: alice, soul: { bound: [1, null] }, transactionHash: hash }

const address = (text: string) => text as Address
const peb = (amount: bigint) => amount as Peb
const time = (seconds: number) => seconds as UnixTime

/** What the records above mean. */
export const expected = {
  coin: {
    _tag: "CoinTransfer",
    from: address("0x1111111111111111111111111111111111111111"),
    to: address("0x3333333333333333333333333333333333333333"),
    value: peb(0n),
    fee: peb(525_000_000_000_000n),
    feeRatio: 0,
    status: "success",
    transactionHash: "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" as Hash,
    transactionIndex: 3,
    blockNumber: 7_000_001,
    typeInt: 48,
    timestamp: time(1_610_000_001)
  },
  transaction: {
    from: address("0x1111111111111111111111111111111111111111"),
    transactionHash: "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" as Hash,
    blockNumber: 7_000_001,
    timestamp: time(1_610_000_001),
    typeInt: 49,
    value: peb(0n),
    fee: peb(525_000_000_000_000n),
    feePayer: address("0x4444444444444444444444444444444444444444"),
    feeRatio: 30
  }
} as const satisfies { readonly coin: Transfer.CoinTransfer; readonly transaction: Transfer.TransactionSummary }

export const expectedTokens = {
  ft: {
    _tag: "FtTransfer",
    from: address("0x1111111111111111111111111111111111111111"),
    to: address("0x2222222222222222222222222222222222222222"),
    value: 1000n,
    formattedValue: "10",
    contract: {
      address: address("0x3333333333333333333333333333333333333333"),
      name: "Apple",
      symbol: "APL",
      decimals: 2,
      status: "completed"
    },
    transaction: expected.transaction
  },
  nft: {
    _tag: "NftTransfer",
    from: address("0x0000000000000000000000000000000000000000"),
    to: address("0x2222222222222222222222222222222222222222"),
    tokenId: 450n,
    contract: { address: address("0x3333333333333333333333333333333333333333"), name: "Pears", symbol: "PRS" },
    transaction: expected.transaction
  },
  mt: {
    _tag: "MtTransfer",
    operator: address("0x4444444444444444444444444444444444444444"),
    from: address("0x1111111111111111111111111111111111111111"),
    to: address("0x2222222222222222222222222222222222222222"),
    ids: [1n, 255n],
    values: [10n, 0n],
    contract: { address: address("0x3333333333333333333333333333333333333333") },
    transaction: expected.transaction
  },
  unknown: {
    _tag: "UnknownTransfer",
    transferType: "sbt",
    record: {
      transferType: "sbt",
      from: "0x1111111111111111111111111111111111111111",
      soul: { bound: [1, null] },
      transactionHash: "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    }
  }
} as const satisfies {
  readonly ft: Transfer.FtTransfer
  readonly nft: Transfer.NftTransfer
  readonly mt: Transfer.MtTransfer
  readonly unknown: Transfer.UnknownTransfer
}
