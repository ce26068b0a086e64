import * as Paged from "@effect-klaytn/core/Paged"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Client from "../../core/test/support/client.js"
import * as records from "./support/records.js"
import * as Service from "./support/service.js"

const { alice: owner, contracts, expected, nft, token: contract } = records

const list = <A, E>(stream: Stream.Stream<A, E>) => Effect.map(Stream.runCollect(stream), Chunk.toReadonlyArray)

describe("a token that can't be read", () => {
  const odd = { ...nft, tokenId: "450" }

  it.effect("makes its page fail, with its place and the cursor to go on from", () =>
    Effect.gen(function*() {
      const tokens = yield* Service.make(Testing.wire(Service.page([nft, odd], "next")))
      const error = yield* Client.failsAs("MalformedResponse")(tokens.getNftsByContractAddress({ contract }))
      assert.deepStrictEqual([error.path, error.nextCursor], [["items", 1, "tokenId"], "next"])
    }))

  it.effect("is handed on as it came where that is asked for, and the list goes on", () =>
    Effect.gen(function*() {
      const tokens = yield* Service.make(Testing.wire(Service.page([odd, nft], "next"), Service.page([nft])))
      const [first, ...rest] = yield* list(tokens.getNftsByContractAddress.items({ contract }, { unreadable: "keep" }))
      assert.isTrue(Paged.isUnreadable(first) && first.index === 0)
      assert.deepInclude(first, { raw: odd })
      assert.deepStrictEqual<unknown>(rest, [expected.nft, expected.nft])
    }))
})

describe("an extra of a contract that may be missing", () => {
  it.effect("reads as missing where it is null, or an empty text that it can't be", () =>
    Effect.gen(function*() {
      const extras = { name: null, symbol: "", decimals: null, totalSupply: "", formattedValue: null }
      const wire = Testing.wire(Service.page([{ ...contracts.ft, extras }, { ...contracts.mt, extras: null }]))
      const directory = yield* Service.makeDirectory(wire)
      const [ft, mt] = yield* list(directory.getContractsByOwnerAddress.items({ owner }))
      assert.isTrue(ft?._tag === "FtContractSummary" && mt?._tag === "MtContractSummary")
      assert.deepInclude(ft, { extras: { symbol: "", extra: {} } })
      assert.notProperty(mt, "extras")
    }))
})
