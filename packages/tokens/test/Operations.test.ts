import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Client from "../../core/test/support/client.js"
import type * as TokenData from "../src/TokenData.js"
import { alice, expected, mt, mtToken, nft, token } from "./support/records.js"
import * as Service from "./support/service.js"

/** The literal bytes of an answer, and what a caller gets of it. */
interface Row {
  readonly operation: string
  readonly call: (tokens: TokenData.Service) => Effect.Effect<unknown, ReadError>
  readonly sent: string
  readonly answer: string
  readonly means: unknown
}

const checksummed = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
const lower = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359"
const huge = 2n ** 256n - 1n
const hugeHex = "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"

const rows: ReadonlyArray<Row> = [
  {
    operation: "getNftsByContractAddress",
    call: (tokens) => tokens.getNftsByContractAddress({ contract: checksummed }),
    sent: `GET /v2/contract/nft/${lower}/token`,
    answer: "{\"items\":[{\"tokenId\":\"0x1c2\",\"owner\":\"0x1111111111111111111111111111111111111111\"," +
      "\"previousOwner\":\"0x0000000000000000000000000000000000000000\"," +
      "\"tokenUri\":\"https://pears.example/450.json\"," +
      "\"transactionHash\":\"0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"," +
      "\"createdAt\":1610000001,\"updatedAt\":1610000002}],\"cursor\":\"aB3\"}",
    means: { items: [expected.nft], cursor: Option.some("aB3") }
  },
  {
    operation: "getNftsByContractAddress, with size and cursor",
    call: (tokens) => tokens.getNftsByContractAddress({ cursor: "a+/=b", size: 1000, contract: token }),
    sent: `GET /v2/contract/nft/${token}/token?size=1000&cursor=a%2B%2F%3Db`,
    answer: "{\"items\":[],\"cursor\":\"\"}",
    means: { items: [], cursor: Option.none() }
  },
  {
    operation: "getNftsByOwnerAddress",
    call: (tokens) => tokens.getNftsByOwnerAddress({ contract: token, owner: checksummed, size: 0, cursor: "" }),
    sent: `GET /v2/contract/nft/${token}/owner/${lower}?size=0`,
    answer: JSON.stringify({ items: [nft, nft], cursor: "" }),
    means: { items: [expected.nft, expected.nft], cursor: Option.none() }
  },
  {
    operation: "getNftById",
    call: (tokens) => tokens.getNftById({ contract: token, tokenId: 450n }),
    sent: `GET /v2/contract/nft/${token}/token/0x1c2`,
    answer: JSON.stringify(nft),
    means: expected.nft
  },
  {
    operation: "getNftById, of the token with the largest ID",
    call: (tokens) => tokens.getNftById({ contract: token, tokenId: huge }),
    sent: `GET /v2/contract/nft/${token}/token/${hugeHex}`,
    answer: JSON.stringify({ ...nft, tokenId: hugeHex }),
    means: { ...expected.nft, tokenId: huge }
  },
  {
    operation: "getNftById, of the token with the smallest ID",
    call: (tokens) => tokens.getNftById({ contract: token, tokenId: 0n }),
    sent: `GET /v2/contract/nft/${token}/token/0x0`,
    answer: JSON.stringify({ ...nft, tokenId: "0x0", tokenUri: "" }),
    means: { ...expected.nft, tokenId: 0n, tokenUri: "" }
  },
  {
    operation: "getMtTokensByContractAddressAndOwnerAddress",
    call: (tokens) => tokens.getMtTokensByContractAddressAndOwnerAddress({ contract: token, owner: alice, size: 2 }),
    sent: `GET /v2/contract/mt/${token}/owner/${alice}?size=2`,
    answer: JSON.stringify({ items: [mtToken], totalBalance: "0x1bc16d674ec80000", cursor: "next" }),
    means: { items: [expected.mtToken], totalBalance: 2_000_000_000_000_000_000n, cursor: Option.some("next") }
  },
  {
    operation: "getMtTokensByContractAddressAndOwnerAddress, of an owner without tokens",
    call: (tokens) => tokens.getMtTokensByContractAddressAndOwnerAddress({ contract: token, owner: alice }),
    sent: `GET /v2/contract/mt/${token}/owner/${alice}`,
    answer: "{\"items\":[],\"totalBalance\":\"0x0\",\"cursor\":\"\"}",
    means: { items: [], totalBalance: 0n, cursor: Option.none() }
  },
  {
    operation: "getMtTokensByContractAddressAndOwnerAddressAndTokenId",
    call: (tokens) =>
      tokens.getMtTokensByContractAddressAndOwnerAddressAndTokenId({ contract: token, owner: alice, tokenId: 16n }),
    sent: `GET /v2/contract/mt/${token}/owner/${alice}/token/0x10`,
    answer: JSON.stringify(mtToken),
    means: expected.mtToken
  },
  {
    operation: "getMtTokensByContractAddressAndTokenId",
    call: (tokens) => tokens.getMtTokensByContractAddressAndTokenId({ contract: token, tokenId: 16n, cursor: "c" }),
    sent: `GET /v2/contract/mt/${token}/token/0x10?cursor=c`,
    answer: JSON.stringify({ items: [mtToken], cursor: "" }),
    means: { items: [expected.mtToken], cursor: Option.none() }
  },
  {
    operation: "getMtsByContractAddress, in the order they come",
    call: (tokens) => tokens.getMtsByContractAddress({ contract: token }),
    sent: `GET /v2/contract/mt/${token}/token`,
    answer: "{\"items\":[{\"tokenId\":\"0x10\",\"totalSupply\":\"0x1\",\"tokenUri\":\"a\"}," +
      "{\"tokenId\":\"0x2\",\"totalSupply\":\"0x64\",\"tokenUri\":\"\"}],\"cursor\":\"\"}",
    means: {
      items: [{ tokenId: 16n, totalSupply: 1n, tokenUri: "a", extra: {} }, expected.mt],
      cursor: Option.none()
    }
  }
]

describe("an operation on tokens", () => {
  for (const { answer, call, means, operation, sent } of rows) {
    it.effect(`sends and reads ${operation}`, () =>
      Effect.gen(function*() {
        const wire = Testing.wire(Testing.text(200, answer, { "content-type": "application/json" }))
        const result = yield* call(yield* Service.make(wire))
        assert.deepStrictEqual(Service.requests(wire), [sent])
        assert.deepStrictEqual(result, means)
      }))
  }

  it.effect("carries the credential and the chain, and no body", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(200, nft))
      const tokens = yield* Service.make(wire)
      yield* tokens.getNftById({ contract: token, tokenId: 450n })
      assert.deepStrictEqual(wire.sent.map(({ body, headers }) => ({ body, headers })), [{
        body: undefined,
        headers: {
          accept: "application/json",
          authorization: "Basic S0FTSzBFWEFNUExFOm5vdC1hLXNlY3JldA==",
          "x-chain-id": "1001"
        }
      }])
    }))

  it.effect("takes a page without items for an empty one, and refuses one without a cursor", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(200, "{\"cursor\":\"\"}"), Testing.json(200, { items: [mt] }))
      const tokens = yield* Service.make(wire)
      const page = yield* tokens.getMtsByContractAddress({ contract: token })
      assert.deepStrictEqual(page, { items: [], cursor: Option.none() })
      const error = yield* Client.failsAs("MalformedResponse")(tokens.getMtsByContractAddress({ contract: token }))
      assert.deepStrictEqual(error.path, ["cursor"])
    }))

  const broken: ReadonlyArray<
    readonly [name: string, items: ReadonlyArray<unknown>, path: ReadonlyArray<string | number>]
  > = [
    ["a token ID that is a number", [nft, { ...nft, tokenId: 450 }], ["items", 1, "tokenId"]],
    ["a token ID in decimal", [{ ...nft, tokenId: "450" }], ["items", 0, "tokenId"]],
    ["a token ID above 2^256 - 1", [{ ...nft, tokenId: `0x1${"0".repeat(64)}` }], ["items", 0, "tokenId"]],
    ["an owner that is no address", [{ ...nft, owner: "0x1" }], ["items", 0, "owner"]],
    ["no owner", [{ ...nft, owner: undefined }], ["items", 0, "owner"]],
    ["a time that is a text", [{ ...nft, updatedAt: "1610000002" }], ["items", 0, "updatedAt"]],
    ["a record that is null", [null], ["items", 0]]
  ]
  for (const [name, items, path] of broken) {
    it.effect(`refuses a page with ${name} and says where it stands`, () =>
      Effect.gen(function*() {
        const wire = Testing.wire(Service.page(items))
        const tokens = yield* Service.make(wire)
        const error = yield* Client.failsAs("MalformedResponse")(tokens.getNftsByContractAddress({ contract: token }))
        assert.deepStrictEqual(error.path, path)
        assert.strictEqual(error.operation, "tokens.getNftsByContractAddress")
        assert.strictEqual(wire.sent.length, 1, "what does not decode is not asked for again")
      }))
  }

  it.effect("refuses a page of an owner's tokens without their total", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.page([mtToken]))
      const tokens = yield* Service.make(wire)
      const error = yield* Client.failsAs("MalformedResponse")(
        tokens.getMtTokensByContractAddressAndOwnerAddress({ contract: token, owner: alice })
      )
      assert.deepStrictEqual(error.path, ["totalBalance"])
    }))
})
