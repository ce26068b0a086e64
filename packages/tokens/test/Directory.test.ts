import type { ReadError, StreamError } from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as TokenDirectory from "../src/TokenDirectory.js"
import * as records from "./support/records.js"
import * as Service from "./support/service.js"

const contract = records.token
const owner = records.alice
const { alice, bob, token, zero } = records

type Row = readonly [
  name: string,
  call: (directory: TokenDirectory.Service) => Effect.Effect<unknown, ReadError>,
  sent: string,
  answer: unknown,
  means: unknown
]

const described = { address: token, createdAt: 1_600_000_001, updatedAt: 1_600_000_002, extra: {} }
const ftDetail = {
  ...described,
  name: "Apple",
  symbol: "APL",
  decimals: 2,
  totalSupply: 1000n,
  status: "completed",
  type: "KIP-7"
}
const nftDetail = {
  ...described,
  name: "Pears",
  symbol: "PRS",
  totalSupply: 10_000n,
  status: "completed",
  type: "KIP-17",
  deletedAt: 1_600_000_003
}
const mtDetail = { ...described, status: "processing", type: "ERC-1155" }
const holder = { address: "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359", totalHolder: 77, extra: {} }

const held = { contractAddress: token, updatedAt: 1_610_000_001, extra: {} }
const contracts = [
  {
    _tag: "FtContractSummary",
    ...held,
    totalBalance: 1000n,
    extras: { name: "Apple", symbol: "APL", decimals: 2, totalSupply: 10_000n, formattedValue: "10", extra: {} }
  },
  {
    _tag: "NftContractSummary",
    ...held,
    totalBalance: 2n,
    extras: { name: "Pears", symbol: "PRS", totalSupply: 10_000n, extra: {} }
  },
  { _tag: "MtContractSummary", ...held, totalBalance: 5n, extras: { extra: {} } },
  { _tag: "UnknownContractSummary", kind: "sbt", record: { kind: "sbt", bound: [1, null] } }
]

const lastTransfer = { transactionHash: records.hash, transferFrom: zero, transferTo: alice, extra: {} }
const tokens = [
  {
    _tag: "FtTokenSummary",
    ...held,
    balance: 1n,
    lastTransfer,
    extras: { name: "Apple", symbol: "APL", decimals: 2, totalSupply: 10_000n, formattedValue: "0.01", extra: {} }
  },
  {
    _tag: "NftTokenSummary",
    ...held,
    balance: 1n,
    lastTransfer,
    extras: { tokenId: 450n, tokenUri: "https://pears.example/450.json", extra: {} }
  },
  {
    _tag: "MtTokenSummary",
    ...held,
    balance: 1n,
    lastTransfer,
    extras: { tokenId: 16n, tokenUri: "", totalSupply: 100n, extra: {} }
  },
  { _tag: "UnknownTokenSummary", kind: "sbt", record: { kind: "sbt", bound: [1, null] } }
]

const one = (item: unknown, cursor = "") => ({ items: [item], cursor })
const last = (...items: ReadonlyArray<unknown>) => ({ items, cursor: Option.none() })

const rows: ReadonlyArray<Row> = [
  ["getFtContracts", (_) => _.getFtContracts({}), "/v2/contract/ft", one(records.ftDetail), last(ftDetail)],
  [
    "getFtContracts, by status and standard",
    (_) => _.getFtContracts({ cursor: "c", size: 5, standard: "ERC-20", status: "failed" }),
    "/v2/contract/ft?status=failed&type=ERC-20&size=5&cursor=c",
    one(records.ftDetail, "n"),
    { items: [ftDetail], cursor: Option.some("n") }
  ],
  [
    "getNftContracts",
    (_) => _.getNftContracts({ status: "completed", standard: "KIP-17" }),
    "/v2/contract/nft?status=completed&type=KIP-17",
    one(records.nftDetail),
    last(nftDetail)
  ],
  [
    "getMtContracts",
    (_) => _.getMtContracts({ standard: "ERC-1155" }),
    "/v2/contract/mt?type=ERC-1155",
    one(records.mtDetail),
    last(mtDetail)
  ],
  [
    "getFtContractDetail",
    (_) => _.getFtContractDetail({ contract }),
    `/v2/contract/ft/${token}`,
    records.ftDetail,
    ftDetail
  ],
  [
    "getNftContractDetail",
    (_) => _.getNftContractDetail({ contract }),
    `/v2/contract/nft/${token}`,
    records.nftDetail,
    nftDetail
  ],
  [
    "getMtContractDetail",
    (_) => _.getMtContractDetail({ contract }),
    `/v2/contract/mt/${token}`,
    records.mtDetail,
    mtDetail
  ],
  [
    "getNftTokenHolder",
    (_) => _.getNftTokenHolder({ contract: "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359" }),
    "/v2/contract/nft/0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359/holder",
    records.holder,
    holder
  ],
  [
    "getMtTokenHolder",
    (_) => _.getMtTokenHolder({ contract }),
    `/v2/contract/mt/${token}/holder`,
    records.holder,
    holder
  ],
  [
    "getNftOwnershipChanges",
    (_) => _.getNftOwnershipChanges({ contract, tokenId: 450n, size: 1 }),
    `/v2/contract/nft/${token}/token/0x1c2/history?size=1`,
    one(records.change),
    last({ from: zero, to: alice, timestamp: 1_610_000_001, extra: {} })
  ],
  [
    "getContractsByOwnerAddress",
    (_) => _.getContractsByOwnerAddress({ owner, kinds: ["mt", "ft"], size: 9 }),
    `/v2/account/${alice}/contract?kind=mt%2Cft&size=9`,
    { items: Object.values(records.contracts), cursor: "" },
    last(...contracts)
  ],
  [
    "getTokensByOwnerAddress",
    (_) => _.getTokensByOwnerAddress({ owner, kinds: ["nft"], contracts: [token, bob], cursor: "c" }),
    `/v2/account/${alice}/token?kind=nft&ca-filters=${token}%2C${bob}&cursor=c`,
    { items: Object.values(records.holdings), cursor: "" },
    last(...tokens)
  ],
  [
    "getTokensByOwnerAddress, of everything",
    (_) => _.getTokensByOwnerAddress({ owner, kinds: undefined, contracts: undefined }),
    `/v2/account/${alice}/token`,
    { items: [], cursor: "" },
    last()
  ]
]

describe("an operation beyond the document", () => {
  for (const [name, call, sent, answer, means] of rows) {
    it.effect(`sends and reads ${name}`, () =>
      Effect.gen(function*() {
        const wire = Testing.wire(Testing.json(200, answer))
        const result = yield* call(yield* Service.makeDirectory(wire))
        assert.deepStrictEqual(Service.requests(wire), [`GET ${sent}`])
        assert.deepStrictEqual(result, means)
      }))
  }
})

type Streamed = readonly [
  name: string,
  stream: (directory: TokenDirectory.Service) => Stream.Stream<unknown, StreamError>,
  item: unknown,
  sent: string
]

const streams: ReadonlyArray<Streamed> = [
  ["getFtContracts.items", (_) => _.getFtContracts.items({ size: 1 }), records.ftDetail, "/v2/contract/ft"],
  ["getNftContracts.items", (_) => _.getNftContracts.items({ size: 1 }), records.nftDetail, "/v2/contract/nft"],
  ["getMtContracts.items", (_) => _.getMtContracts.items({ size: 1 }), records.mtDetail, "/v2/contract/mt"],
  [
    "getNftOwnershipChanges.items",
    (_) => _.getNftOwnershipChanges.items({ contract, tokenId: 1n, size: 1 }),
    records.change,
    `/v2/contract/nft/${token}/token/0x1/history`
  ],
  [
    "getContractsByOwnerAddress.items",
    (_) => _.getContractsByOwnerAddress.items({ owner, size: 1 }),
    records.contracts.mt,
    `/v2/account/${alice}/contract`
  ],
  [
    "getTokensByOwnerAddress.items",
    (_) => _.getTokensByOwnerAddress.items({ owner, size: 1 }),
    records.holdings.mt,
    `/v2/account/${alice}/token`
  ]
]

describe("a stream beyond the document", () => {
  for (const [name, stream, item, sent] of streams) {
    it.effect(`${name} goes over all pages`, () =>
      Effect.gen(function*() {
        const wire = Testing.wire(Service.page([item], "two"), Service.page([item]))
        const all = yield* Stream.runCollect(stream(yield* Service.makeDirectory(wire)))
        assert.strictEqual(Chunk.size(all), 2)
        assert.deepStrictEqual(Service.requests(wire), [`GET ${sent}?size=1`, `GET ${sent}?size=1&cursor=two`])
      }))
  }
})
