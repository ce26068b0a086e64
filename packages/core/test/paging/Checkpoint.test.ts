import * as Checkpoint from "@effect-klaytn/core/Checkpoint"
import { Cursor } from "@effect-klaytn/core/Cursor"
import * as Paged from "@effect-klaytn/core/Paged"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { inspect } from "node:util"
import * as Client from "../support/client.js"

interface Input {
  readonly size?: number | undefined
  readonly cursor?: string | undefined
  readonly [filter: string]: unknown
}

const origin: Checkpoint.Origin = { operation: "history.listThings", chain: 1001, host: "history.example" }

/** A paged operation over a list that is cut into pages; the cursor is the number of the next page. */
const over = (pages: ReadonlyArray<ReadonlyArray<string>>, at: Checkpoint.Origin = origin) => {
  const asked: Array<string | undefined> = []
  const things = Paged.make({
    origin: at,
    read: (input: Input) => Effect.succeed(input),
    page: (input) =>
      Effect.sync(() => {
        asked.push(input.cursor)
        const at = Number(input.cursor ?? 0)
        return {
          items: pages[at] ?? [],
          cursor: at + 1 < pages.length ? Option.some(Cursor.make(String(at + 1))) : Option.none()
        }
      })
  })
  return { ...things, asked }
}

const all = <A, E>(stream: Stream.Stream<A, E>) => Effect.map(Stream.runCollect(stream), Chunk.toReadonlyArray)

const three = [["a", "b"], ["c"], ["d", "e"]]

const Stored = Schema.parseJson(Checkpoint.Checkpoint)

/** As from a store. */
const throughJson = (checkpoint: Checkpoint.Checkpoint): Checkpoint.Checkpoint =>
  Schema.decodeSync(Stored)(Schema.encodeSync(Stored)(checkpoint))

const first = (input: Input = {}) =>
  Effect.map(all(Stream.take(over(three).checkpoints(input), 1)), ([page]) => {
    assert.isDefined(page)
    return throughJson(page?.checkpoint ?? Effect.runSync(Checkpoint.begin(origin, {})))
  })

describe("the checkpoints of a list", () => {
  it.effect("stand behind each page and count what was delivered", () =>
    Effect.gen(function*() {
      const pages = yield* all(over(three).checkpoints({ size: 2 }))
      assert.deepStrictEqual(pages.map((one) => one.items), three)
      assert.deepStrictEqual(
        pages.map(({ checkpoint: { cursor, finished, items, pages } }) => ({ cursor, finished, items, pages })),
        [
          { cursor: "1", finished: false, items: 2, pages: 1 },
          { cursor: "2", finished: false, items: 3, pages: 2 },
          { cursor: undefined, finished: true, items: 5, pages: 3 }
        ]
      )
    }))

  it.effect("are JSON that holds operation, chain, host and no filter", () =>
    Effect.gen(function*() {
      const [page] = yield* all(over(three).checkpoints({ address: "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359" }))
      const json = Schema.encodeSync(Stored)(page?.checkpoint ?? (yield* first()))
      assert.notInclude(json, "0xfb69")
      const { filters, ...rest } = JSON.parse(json)
      assert.match(String(filters), /^[0-9a-f]{32}$/)
      assert.deepStrictEqual(rest, {
        version: 1,
        operation: "history.listThings",
        chain: 1001,
        host: "history.example",
        cursor: "1",
        recent: Checkpoint.digest("1"),
        finished: false,
        pages: 1,
        items: 2
      })
    }))

  it.effect("written before they held digests are read", () =>
    Effect.gen(function*() {
      const { recent: _, ...rest } = JSON.parse(Schema.encodeSync(Stored)(yield* first()))
      assert.strictEqual(Schema.decodeSync(Stored)(JSON.stringify(rest)).recent, "")
    }))

  it.effect("of a version that is not known are not read", () =>
    Effect.gen(function*() {
      const json = Schema.encodeSync(Stored)(yield* first()).replace("\"version\":1", "\"version\":2")
      assert.isTrue(Either.isLeft(Schema.decodeUnknownEither(Stored)(json)))
    }))

  it.effect("begin at the cursor of the input", () =>
    Effect.gen(function*() {
      const things = over(three)
      const pages = yield* all(things.checkpoints({ cursor: "1" }))
      assert.deepStrictEqual(pages.flatMap((one) => one.items), ["c", "d", "e"])
      assert.deepStrictEqual(things.asked, ["1", "2"])
    }))
})

describe("resuming", () => {
  it.effect("goes on exactly behind the checkpoint, and counts on", () =>
    Effect.gen(function*() {
      const things = over(three)
      const pages = yield* all(things.checkpoints({ size: 2 }, { resumeFrom: yield* first({ size: 2 }) }))
      assert.deepStrictEqual(pages.map((one) => one.items), [["c"], ["d", "e"]])
      assert.deepStrictEqual(things.asked, ["1", "2"])
      assert.include(pages.at(-1)?.checkpoint, { items: 5, pages: 3, finished: true })
    }))

  it.effect("from the end delivers nothing and asks for nothing", () =>
    Effect.gen(function*() {
      const end = (yield* all(over(three).checkpoints({}))).at(-1)?.checkpoint ?? (yield* first())
      const things = over(three)
      assert.deepStrictEqual(yield* all(things.checkpoints({}, { resumeFrom: throughJson(end) })), [])
      assert.deepStrictEqual(things.asked, [])
    }))

  it.effect("never follows a page that repeats a cursor, whichever page was the last before a stop", () =>
    Effect.gen(function*() {
      // Pages 0 to 4, of which the last names the cursor of page 2, 3, or itself.
      for (const back of ["1", "2", "3", "4"]) {
        const things = Paged.make({
          origin,
          read: (input: Input) => Effect.succeed(input),
          page: ({ cursor = "0" }) =>
            Effect.succeed({
              items: [cursor],
              cursor: Option.some(Cursor.make(cursor === "4" ? back : String(Number(cursor) + 1)))
            })
        })
        for (let stop = 1; stop <= 4; stop++) {
          let checkpoint: Checkpoint.Checkpoint | undefined
          const store = (stream: ReturnType<typeof things.checkpoints>) =>
            Stream.runForEach(stream, (page) =>
              Effect.sync(() => {
                checkpoint = throughJson(page.checkpoint)
              }))
          yield* store(Stream.take(things.checkpoints({}), stop))
          const error = yield* Effect.flip(store(things.checkpoints({}, { resumeFrom: checkpoint })))
          assert.include(error, { _tag: "PagingStalled", reason: "repeated-cursor" })
          assert.include(checkpoint, { cursor: Cursor.make("4"), pages: 4 })
        }
      }
    }))

  it.effect("knows the last 1000 cursors, and no more", () =>
    Effect.gen(function*() {
      let checkpoint = yield* Checkpoint.begin(origin, { cursor: "first" })
      for (let page = 0; page < 1000; page++) {
        checkpoint = Checkpoint.advance(checkpoint, 1, Option.some(Cursor.make(`c${page}`)))
      }
      const digests = Checkpoint.recentDigests(throughJson(checkpoint))
      assert.strictEqual(digests.length, 1000)
      assert.deepStrictEqual([digests[0], digests.at(-1)], [Checkpoint.digest("c0"), Checkpoint.digest("c999")])
    }))

  const others: ReadonlyArray<readonly [string, Input, Checkpoint.Origin]> = [
    ["filters", { size: 2, kind: "nft" }, origin],
    ["filters", { size: 3, kind: "ft" }, origin],
    ["filters", { kind: "ft" }, origin],
    ["filters", { size: 2, kind: "ft", from: 1 }, origin],
    ["chain", { size: 2, kind: "ft" }, { ...origin, chain: 8217 }],
    ["host", { size: 2, kind: "ft" }, { ...origin, host: "other.example" }],
    ["operation", { size: 2, kind: "ft" }, { ...origin, operation: "history.listOthers" }],
    ["cursor", { size: 2, kind: "ft", cursor: "1" }, origin]
  ]
  for (const [field, input, inScope] of others) {
    it.effect(`is refused because of ${field} with ${JSON.stringify(input)} in ${Object.values(inScope).join(" ")}`, () =>
      Effect.gen(function*() {
        const things = over(three, inScope)
        const resumeFrom = yield* first({ size: 2, kind: "ft" })
        const error = yield* all(things.checkpoints(input, { resumeFrom })).pipe(Client.failsAs("InvalidInput"))
        assert.deepStrictEqual(error.path, ["resumeFrom", field])
        assert.deepStrictEqual(things.asked, [])
      }))
  }

  it.effect("accepts filters in any order, and counts undefined ones as absent", () =>
    Effect.gen(function*() {
      const resumeFrom = yield* first({ size: 2, kind: "ft", range: { from: 1n, to: 2n } })
      const again = { range: { to: 2n, from: 1n }, preset: undefined, kind: "ft", size: 2 }
      assert.strictEqual((yield* all(over(three).checkpoints(again, { resumeFrom }))).length, 2)
    }))

  const different: ReadonlyArray<readonly [unknown, unknown]> = [
    [1n, 1],
    ["1", 1],
    [new Date(1000), new Date(2000)],
    [new Set(["a"]), new Set(["b"])],
    [new Map([["a", 1]]), new Map([["a", 2]])],
    [["a", "b"], ["b", "a"]],
    [["a,b"], ["a", "b"]],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
    [Option.some(1), Option.some(2)],
    [Option.some(1), Option.none()],
    [null, undefined]
  ]
  for (const [one, other] of different) {
    it.effect(`tells filters apart: ${inspect(one)} and ${inspect(other)}`, () =>
      Effect.gen(function*() {
        const resumeFrom = yield* first({ filter: one })
        yield* all(over(three).checkpoints({ filter: other }, { resumeFrom })).pipe(Client.failsAs("InvalidInput"))
        assert.strictEqual((yield* all(over(three).checkpoints({ filter: one }, { resumeFrom }))).length, 2)
      }))
  }

  it.effect.prop(
    "after a stop at any page, before or after its checkpoint was stored, loses nothing and repeats that page at most",
    [
      FastCheck.array(FastCheck.array(FastCheck.string(), { maxLength: 4 }), { minLength: 1, maxLength: 10 }),
      FastCheck.array(FastCheck.record({ pages: FastCheck.integer({ min: 1, max: 4 }), lost: FastCheck.boolean() }))
    ],
    ([pages, stops]) =>
      Effect.gen(function*() {
        const store: { items: Array<ReadonlyArray<string>>; checkpoint: Checkpoint.Checkpoint | undefined } = {
          items: [],
          checkpoint: undefined
        }
        let repeated = 0
        for (const stop of [...stops, { pages: 100, lost: false }]) {
          const resumeFrom = store.checkpoint
          const run = yield* all(Stream.take(
            over(pages).checkpoints({}, { maxEmptyPages: 10, ...(resumeFrom === undefined ? {} : { resumeFrom }) }),
            stop.pages
          ))
          for (const [i, { checkpoint, items }] of run.entries()) {
            store.items.push(items)
            if (stop.lost && i === run.length - 1) {
              store.items.pop()
              repeated++
            } else {
              store.checkpoint = throughJson(checkpoint)
            }
          }
        }
        assert.deepStrictEqual(store.items, pages)
        assert.isAtMost(repeated, stops.length)
        assert.isTrue(store.checkpoint?.finished)
      }),
    { fastCheck: { numRuns: 50 } }
  )
})
