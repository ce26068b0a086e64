import type { Checkpoint } from "@effect-klaytn/core/Checkpoint"
import type { StreamError } from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import * as Client from "../../core/test/support/client.js"
import type * as TokenData from "../src/TokenData.js"
import { alice, expected, mt, mtToken, nft, token } from "./support/records.js"
import * as Service from "./support/service.js"

const contract = token
const owner = alice
const nftOf = (id: bigint) => ({ ...nft, tokenId: `0x${id.toString(16)}` })

type Row = readonly [
  name: string,
  stream: (tokens: TokenData.Service) => Stream.Stream<unknown, StreamError>,
  item: unknown,
  means: unknown,
  sent: string
]

const rows: ReadonlyArray<Row> = [
  [
    "getNftsByContractAddress.items",
    (_) => _.getNftsByContractAddress.items({ contract, size: 2 }),
    nft,
    expected.nft,
    `/v2/contract/nft/${token}/token?size=2`
  ],
  [
    "getNftsByOwnerAddress.items",
    (_) => _.getNftsByOwnerAddress.items({ contract, owner, size: 2 }),
    nft,
    expected.nft,
    `/v2/contract/nft/${token}/owner/${alice}?size=2`
  ],
  [
    "getMtsByContractAddress.items",
    (_) => _.getMtsByContractAddress.items({ contract, size: 2 }),
    mt,
    expected.mt,
    `/v2/contract/mt/${token}/token?size=2`
  ],
  [
    "getMtTokensByContractAddressAndTokenId.items",
    (_) => _.getMtTokensByContractAddressAndTokenId.items({ contract, tokenId: 16n, size: 2 }),
    mtToken,
    expected.mtToken,
    `/v2/contract/mt/${token}/token/0x10?size=2`
  ],
  [
    "getMtTokensByContractAddressAndOwnerAddress.items",
    (_) => _.getMtTokensByContractAddressAndOwnerAddress.items({ contract, owner, size: 2 }),
    mtToken,
    expected.mtToken,
    `/v2/contract/mt/${token}/owner/${alice}?size=2`
  ]
]

describe("a stream of tokens", () => {
  for (const [name, stream, item, means, sent] of rows) {
    it.effect(`${name} goes over all pages, with the same size and each cursor as it came`, () =>
      Effect.gen(function*() {
        const answer = (items: ReadonlyArray<unknown>, cursor: string) =>
          Testing.json(200, { items, cursor, totalBalance: "0x3" })
        const wire = Testing.wire(answer([item, item], "A+/="), answer([], "b"), answer([item], ""))
        const all = yield* Stream.runCollect(stream(yield* Service.make(wire)))
        assert.deepStrictEqual(Chunk.toReadonlyArray(all), [means, means, means])
        assert.deepStrictEqual(Service.requests(wire), [
          `GET ${sent}`,
          `GET ${sent}&cursor=A%2B%2F%3D`,
          `GET ${sent}&cursor=b`
        ])
      }))
  }

  it.effect("asks for a page only when it is pulled", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.page([nft, nft], "one"), Service.page([nft], "two"), Service.page([]))
      const tokens = yield* Service.make(wire)
      const some = yield* Stream.runCollect(Stream.take(tokens.getNftsByContractAddress.items({ contract }), 2))
      assert.strictEqual(Chunk.size(some), 2)
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("fails when a cursor comes a second time", () =>
    Effect.gen(function*() {
      const tokens = yield* Service.make(Testing.wire(Service.page([nft], "again")))
      const error = yield* tokens.getNftsByContractAddress.items({ contract }).pipe(
        Stream.runDrain,
        Client.failsAs("PagingStalled")
      )
      assert.deepStrictEqual([error.reason, error.pages], ["repeated-cursor", 2])
    }))

  it.effect("gives checkpoints to continue from, bound to the same input", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.page([nftOf(1n)], "one"), Service.page([nftOf(2n)]))
      const tokens = yield* Service.make(wire)
      const [first] = Chunk.toReadonlyArray(
        yield* Stream.runCollect(Stream.take(tokens.getNftsByContractAddress.checkpoints({ contract, size: 1 }), 1))
      )
      assert.deepStrictEqual(first?.items.map((_) => _.tokenId), [1n])
      const rest = yield* Stream.runCollect(
        tokens.getNftsByContractAddress.checkpoints({ contract, size: 1 }, { resumeFrom: first?.checkpoint })
      )
      assert.deepStrictEqual(Chunk.toReadonlyArray(rest).flatMap((page) => page.items.map((_) => _.tokenId)), [2n])
      yield* tokens.getNftsByContractAddress.checkpoints({ contract: alice, size: 1 }, {
        resumeFrom: first?.checkpoint
      })
        .pipe(Stream.runDrain, Client.failsAs("InvalidInput"))
    }))

  it.effect("is resumed by the same account in any spelling", () =>
    Effect.gen(function*() {
      const spelt = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
      const spellings = [spelt, spelt.toLowerCase(), `0x${spelt.slice(2).toUpperCase()}`]
      const wire = Testing.wire((sent) =>
        (sent.url.includes("cursor=one") ? Service.page([nftOf(2n)]) : Service.page([nftOf(1n)], "one"))(sent)
      )
      const tokens = yield* Service.make(wire)
      const read = (owner: string, resumeFrom?: Checkpoint) =>
        tokens.getNftsByOwnerAddress.checkpoints({ contract, owner }, { resumeFrom }).pipe(
          Stream.take(1),
          Stream.runCollect,
          Effect.map(Chunk.toReadonlyArray)
        )
      for (const one of spellings) {
        const [first] = yield* read(one)
        for (const other of spellings) {
          const [second] = yield* read(other, first?.checkpoint)
          assert.strictEqual(second?.checkpoint.finished, true)
        }
      }
    }))

  const pages = FastCheck.array(
    FastCheck.array(FastCheck.bigInt({ min: 0n, max: 2n ** 256n - 1n }), { maxLength: 7 }),
    {
      minLength: 1,
      maxLength: 6
    }
  )
  it.effect.prop(
    "delivers every token of every page once and in order, however they are cut",
    { pages },
    ({ pages }) =>
      Effect.gen(function*() {
        const wire = Testing.wire(
          ...pages.map((ids, at) => Service.page(ids.map(nftOf), at + 1 < pages.length ? `c${at}` : ""))
        )
        const tokens = yield* Service.make(wire)
        const all = yield* Stream.runCollect(tokens.getNftsByContractAddress.items({ contract }))
        assert.deepStrictEqual(Chunk.toReadonlyArray(all).map((_) => _.tokenId), pages.flat())
        assert.strictEqual(wire.sent.length, pages.length)
      })
  )

  for (const total of [0, 1, 999, 1000, 1001, 100_000]) {
    it.effect(`delivers all of a collection of ${total} tokens`, () =>
      Effect.gen(function*() {
        const size = 1000
        const wire = Testing.wire((sent) => {
          const from = Number(new URL(sent.url).searchParams.get("cursor") ?? "0")
          const ids = Array.from({ length: Math.min(size, total - from) }, (_, i) => nftOf(BigInt(from + i)))
          return Service.page(ids, from + size < total ? String(from + size) : "")(sent)
        })
        const tokens = yield* Service.make(wire)
        const read = yield* tokens.getNftsByContractAddress.items({ contract, size }).pipe(
          Stream.runFold(
            { count: 0, sum: 0n },
            ({ count, sum }, { tokenId }) => ({ count: count + 1, sum: sum + tokenId })
          )
        )
        assert.deepStrictEqual(read, { count: total, sum: BigInt(total) * BigInt(total - 1) / 2n })
        assert.strictEqual(wire.sent.length, Math.max(1, Math.ceil(total / size)))
      }))
  }
})
