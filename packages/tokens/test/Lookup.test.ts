import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Client from "../../core/test/support/client.js"
import * as Lookup from "../src/Lookup.js"
import type { TokenData } from "../src/TokenData.js"
import { alice, bob, mtToken, nft, token } from "./support/records.js"
import * as Service from "./support/service.js"

const contract = token

const idOf = (url: string) => BigInt(url.slice(url.lastIndexOf("/") + 1))

/** A service that knows every token below 1000, and takes longer for the smaller IDs. */
const service = () => {
  let running = 0
  let most = 0
  const wire = Testing.wire((sent) => {
    const id = idOf(sent.url)
    const answer = id < 1000n
      ? Testing.json(200, { ...nft, tokenId: `0x${id.toString(16)}` })
      : Service.failure(404, 1_040_400, "[ResourceNotFound]not found nft token")
    return Effect.acquireUseRelease(
      Effect.sync(() => most = Math.max(most, ++running)),
      () => Testing.after(`${Number(2000n - id)} millis`, answer)(sent),
      () => Effect.sync(() => running--)
    )
  })
  return { wire, most: () => most }
}

const told = (results: Chunk.Chunk<Lookup.NftResult>) =>
  Chunk.toReadonlyArray(results).map(({ result, tokenId }) =>
    [tokenId, Either.match(result, { onLeft: (error) => error._tag, onRight: (found) => found.tokenId })] as const
  )

describe("many look-ups", () => {
  it.effect("come in the order of the input, though the answers don't", () =>
    Effect.gen(function*() {
      const { wire } = service()
      const all = yield* Lookup.getNftsById({ contract, tokenIds: [1n, 900n, 450n, 2n] }).pipe(
        Stream.runCollect,
        Effect.provide(Service.layer(wire)),
        Client.within("3 seconds")
      )
      assert.deepStrictEqual(told(all), [[1n, 1n], [900n, 900n], [450n, 450n], [2n, 2n]])
    }))

  it.effect("run no more at a time than allowed, and as many as allowed", () =>
    Effect.gen(function*() {
      for (const [concurrency, expected] of [[3, 3], [undefined, 16], [1, 1]] as const) {
        const { most, wire } = service()
        yield* Lookup.getNftsById({ contract, tokenIds: Array.from({ length: 40 }, (_, i) => BigInt(i)), concurrency })
          .pipe(Stream.runDrain, Effect.provide(Service.layer(wire)), Client.within("2 minutes"))
        assert.strictEqual(most(), expected, `concurrency ${concurrency}`)
        assert.strictEqual(wire.sent.length, 40)
      }
    }))

  it.effect("with a number at a time that can't be are refused, and nothing is sent", () =>
    Effect.gen(function*() {
      for (const concurrency of [0, -7, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        for (
          const lookups of [
            Lookup.getNftsById({ contract, tokenIds: [], concurrency }),
            Lookup.getMtTokensByOwnerAndId({ contract, tokens: [{ owner: alice, tokenId: 1n }], concurrency })
          ]
        ) {
          const error = yield* Effect.flip(Stream.runDrain<unknown, InvalidInput, TokenData>(lookups))
          assert.deepStrictEqual(error.path, ["concurrency"])
        }
      }
    }).pipe(Effect.provide(Service.layer(Testing.wire()))))

  it.effect("ask for the same token once and deliver it as often as it was asked for", () =>
    Effect.gen(function*() {
      const { wire } = service()
      const tokenIds = [7n, 8n, 7n, 5000n, 7n, 5000n]
      const all = yield* Lookup.getNftsById({ contract, tokenIds }).pipe(
        Stream.runCollect,
        Effect.provide(Service.layer(wire)),
        Client.within("3 seconds")
      )
      assert.deepStrictEqual(told(all).map(([id]) => id), tokenIds)
      assert.deepStrictEqual(wire.sent.map((sent) => idOf(sent.url)), [7n, 8n, 5000n])
    }))

  it.effect("that fail take no other down: an unknown token, an impossible one, a mistyped contract", () =>
    Effect.gen(function*() {
      const { wire } = service()
      const run = (contract: string) =>
        Lookup.getNftsById({ contract, tokenIds: [1n, 1500n, -1n, 2n] }).pipe(
          Stream.runCollect,
          Effect.provide(Service.layer(wire)),
          Client.within("3 seconds")
        )
      assert.deepStrictEqual(told(yield* run(contract)), [
        [1n, 1n],
        [1500n, "NotFound"],
        [-1n, "InvalidInput"],
        [2n, 2n]
      ])
      assert.deepStrictEqual(told(yield* run("0x1")).map(([, what]) => what), Array(4).fill("InvalidInput"))
    }))

  it.effect("are given up all together when the stream is", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.silence)
      const fiber = yield* Lookup.getNftsById({ contract, tokenIds: [1n, 2n, 1n, 3n] }).pipe(
        Stream.runDrain,
        Effect.provide(Service.layer(wire)),
        Effect.fork
      )
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(wire.sent.length, 3)
      assert.strictEqual(wire.interrupted(), 3)
    }))

  it.effect("of nothing ask nothing", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const all = yield* Lookup.getNftsById({ contract, tokenIds: [] }).pipe(
        Stream.runCollect,
        Effect.provide(Service.layer(wire))
      )
      assert.deepStrictEqual(told(all), [])
    }))

  it.effect("look up owners' parts of multi tokens too, an owner in any case being the same", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(200, mtToken))
      const upper = "0xABCDEFABCDEFABCDEFABCDEFABCDEFABCDEFABCD"
      const tokens = [
        { owner: alice, tokenId: 1n },
        { owner: bob, tokenId: 1n },
        { owner: upper, tokenId: 2n },
        { owner: upper.toLowerCase(), tokenId: 2n },
        { owner: alice, tokenId: 1n }
      ]
      const all = yield* Lookup.getMtTokensByOwnerAndId({ contract, tokens }).pipe(
        Stream.runCollect,
        Effect.provide(Service.layer(wire))
      )
      assert.deepStrictEqual(
        Chunk.toReadonlyArray(all).map(({ owner, tokenId }) => ({ owner, tokenId })),
        tokens
      )
      assert.isTrue(Chunk.toReadonlyArray(all).every(({ result }) => Either.isRight(result)))
      const path = `GET /v2/contract/mt/${token}/owner`
      assert.deepStrictEqual(Service.requests(wire), [
        `${path}/${alice}/token/0x1`,
        `${path}/${bob}/token/0x1`,
        `${path}/0xabcdefabcdefabcdefabcdefabcdefabcdefabcd/token/0x2`
      ])
    }))

  it.effect("of an owner with a mistyped checksum take down no look-up of the same owner", () =>
    Effect.gen(function*() {
      const lower = `0x${"abcdef".repeat(7).slice(0, 40)}`
      const mistyped = `0xA${lower.slice(3)}`
      for (const owners of [[mistyped, lower], [lower, mistyped]]) {
        const wire = Testing.wire(Testing.json(200, mtToken))
        const all = yield* Lookup.getMtTokensByOwnerAndId({
          contract,
          tokens: owners.map((owner) => ({ owner, tokenId: 1n }))
        }).pipe(Stream.runCollect, Effect.provide(Service.layer(wire)))
        assert.deepStrictEqual(
          Chunk.toReadonlyArray(all).map(({ owner, result }) => [owner, Either.isRight(result)]),
          owners.map((owner) => [owner, owner === lower])
        )
      }
    }))

  const tokenIds = FastCheck.array(FastCheck.bigInt({ min: 990n, max: 1010n }), { maxLength: 30 })
  const concurrency = FastCheck.integer({ min: 1, max: 8 })
  it.effect.prop(
    "keep the order and ask once, whatever is asked for",
    { tokenIds, concurrency },
    ({ concurrency, tokenIds }) =>
      Effect.gen(function*() {
        const { most, wire } = service()
        const all = yield* Lookup.getNftsById({ contract, tokenIds, concurrency }).pipe(
          Stream.runCollect,
          Effect.provide(Service.layer(wire)),
          Client.within("2 minutes")
        )
        assert.deepStrictEqual(told(all), tokenIds.map((id) => [id, id < 1000n ? id : "NotFound"] as const))
        assert.strictEqual(wire.sent.length, new Set(tokenIds).size)
        assert.isAtMost(most(), concurrency)
      }),
    { fastCheck: { numRuns: 30 } }
  )
})
