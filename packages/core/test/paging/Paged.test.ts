import { Cursor } from "@effect-klaytn/core/Cursor"
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Operation from "@effect-klaytn/core/Operation"
import * as Paged from "@effect-klaytn/core/Paged"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Client from "../support/client.js"

const listThings = Operation.of("history").get("listThings", "/v2/things", {
  urlParams: {
    size: Schema.optional(Paged.Size),
    cursor: Schema.optional(Schema.String),
    kind: Schema.optional(Schema.String)
  },
  success: Paged.schema(Schema.String)
})

interface Input {
  readonly size?: number | undefined
  readonly cursor?: string | undefined
  readonly kind?: string | undefined
}

/** The paged operation over a wire. */
const over = (wire: Testing.Wire, more?: Parameters<typeof Client.make>[1]) =>
  Effect.map(Client.make(wire, more), (client) =>
    Paged.make({
      origin: client.origin(listThings),
      read: (input: Input) => Effect.succeed(input),
      page: (input) => client.call(listThings, { urlParams: input })
    }))

const page = (items: ReadonlyArray<string> | undefined, cursor: string | undefined) =>
  Testing.json(200, { items, cursor })

const three = () => Testing.wire(page(["a", "b"], "c1"), page(["c", "d"], "c2"), page(["e"], ""))

const cursorsOf = (wire: Testing.Wire) => wire.sent.map(({ url }) => new URL(url).searchParams.get("cursor"))

const items = <A, E>(stream: Stream.Stream<A, E>) => Effect.map(Stream.runCollect(stream), Chunk.toReadonlyArray)

/** What a stream delivers before it fails, and the failure. */
const untilFailure = <A, E>(stream: Stream.Stream<A, E>) =>
  Effect.gen(function*() {
    const seen: Array<A> = []
    const result = yield* Effect.either(Stream.runForEach(stream, (one) => Effect.sync(() => seen.push(one))))
    return { seen, failure: Either.isLeft(result) ? result.left : undefined }
  })

describe("a page", () => {
  it.effect("is written as it is read: an empty cursor is the end", () =>
    Effect.gen(function*() {
      const schema = Paged.schema(Schema.String)
      for (const wire of [{ items: ["a"], cursor: "c1" }, { items: [], cursor: "" }]) {
        const read = yield* Schema.decode(schema)(wire)
        assert.strictEqual(Option.isSome(read.cursor), wire.cursor !== "")
        assert.deepStrictEqual(yield* Schema.encode(schema)(read), wire)
      }
      assert.deepStrictEqual((yield* Schema.decodeUnknown(schema)({ cursor: "" })).items, [])
    }))

  it.effect("is one call, with its cursor if it is not the last", () =>
    Effect.gen(function*() {
      const wire = three()
      const page = yield* over(wire)
      assert.deepStrictEqual(yield* page({ size: 2, kind: "ft" }), {
        items: ["a", "b"],
        cursor: Option.some(Cursor.make("c1"))
      })
      assert.deepStrictEqual(wire.sent.map((one) => one.url), [
        "http://127.0.0.1:8080/prefix/v2/things?size=2&kind=ft"
      ])
    }))

  for (const size of [0, 1, 100, 1000, 5000]) {
    it.effect(`of size ${size} is asked for as it is: the service decides`, () =>
      Effect.gen(function*() {
        const wire = three()
        yield* (yield* over(wire))({ size })
        assert.strictEqual(new URL(wire.sent[0]?.url ?? "").searchParams.get("size"), String(size))
      }))
  }

  for (const size of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60]) {
    it.effect(`of size ${size} is refused before anything is sent`, () =>
      Effect.gen(function*() {
        const wire = three()
        const error = yield* (yield* over(wire))({ size }).pipe(Client.failsAs("InvalidInput"))
        assert.deepStrictEqual(error.path, ["size"])
        assert.include(error.problem, "whole number from 1 to 1000")
        assert.strictEqual(wire.sent.length, 0)
      }))
  }

  it.effect("without the field cursor is malformed, since it is not known whether more follows", () =>
    Effect.gen(function*() {
      for (const cursor of [undefined, null, 7]) {
        const error = yield* (yield* over(Testing.wire(Testing.json(200, { items: ["a"], cursor }))))({}).pipe(
          Client.failsAs("MalformedResponse")
        )
        assert.deepStrictEqual(error.path, ["cursor"])
      }
    }))

  it.effect.each([["c1", "c1"], ["", undefined], ["not-a-secret", undefined], ["c\n1", undefined]] as const)(
    "with an item that can't be read and the cursor %j fails, and says where the list goes on: %j",
    ([cursor, nextCursor]) =>
      Effect.gen(function*() {
        const things = yield* over(Testing.wire(Testing.json(200, { items: ["a", 7], cursor })))
        const error = yield* things({}).pipe(Client.failsAs("MalformedResponse"))
        assert.deepStrictEqual(error.path, ["items", 1])
        assert.strictEqual<string | undefined>(error.nextCursor, nextCursor)
        assert.strictEqual(Object.hasOwn(error, "nextCursor"), nextCursor !== undefined)
      })
  )

  it.effect("with an unreadable item is delivered with the option keep, and the item as it was received", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(200, { items: ["a", 7], cursor: "c1" }), page(["b"], ""))
      const read = yield* over(wire)
      const { items: [good, odd] } = yield* read({ cursor: "c0" }, { unreadable: "keep" })
      assert.strictEqual(good, "a")
      assert.isTrue(Paged.isUnreadable(odd))
      assert.deepInclude(odd, { raw: 7, index: 1, cursor: "c0" })
      assert.deepStrictEqual(yield* read({ cursor: "c1" }, { unreadable: "keep" }), {
        items: ["b"],
        cursor: Option.none()
      })
    }))

  it.effect("without the field items is empty", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* (yield* over(Testing.wire(page(undefined, ""))))({}), {
        items: [],
        cursor: Option.none()
      })
    }))
})

describe("a stream", () => {
  it.effect("delivers every item once and in order, and asks for each page with the same filters", () =>
    Effect.gen(function*() {
      const wire = three()
      const things = yield* over(wire)
      assert.deepStrictEqual(yield* items(things.items({ size: 2, kind: "ft" })), ["a", "b", "c", "d", "e"])
      assert.deepStrictEqual(wire.sent.map((one) => new URL(one.url).search), [
        "?size=2&kind=ft",
        "?size=2&cursor=c1&kind=ft",
        "?size=2&cursor=c2&kind=ft"
      ])
    }))

  it.effect("of pages keeps their borders", () =>
    Effect.gen(function*() {
      const pages = yield* items((yield* over(three())).pages({}))
      assert.deepStrictEqual(pages.map((one) => one.items), [["a", "b"], ["c", "d"], ["e"]])
    }))

  it.effect("can be run again, and begins anew", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(page(["a"], "c1"), page(["b"], ""), page(["a"], "c1"), page(["b"], ""))
      const stream = (yield* over(wire)).items({})
      assert.deepStrictEqual(yield* items(stream), yield* items(stream))
    }))

  it.effect("begins at the page of the cursor that it is given", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(page(["c"], "c2"), page(["d"], ""))
      assert.deepStrictEqual(yield* items((yield* over(wire)).items({ cursor: "c1" })), ["c", "d"])
      assert.deepStrictEqual(cursorsOf(wire), ["c1", "c2"])
    }))

  it.effect("does not end at a short page, delivers a long one whole, and goes on over empty ones", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(page(["a"], "c1"), page([], "c2"), page(["b", "c", "d"], "c3"), page([], ""))
      assert.deepStrictEqual(yield* items((yield* over(wire)).items({ size: 2 })), ["a", "b", "c", "d"])
    }))

  it.effect("fetches nothing before it is run, and no page before it is needed", () =>
    Effect.gen(function*() {
      const wire = three()
      const stream = (yield* over(wire)).items({})
      assert.strictEqual(wire.sent.length, 0)
      yield* Stream.runDrain(Stream.take(stream, 1))
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("stops fetching when enough was taken, at the border of a page too", () =>
    Effect.gen(function*() {
      const wire = three()
      assert.deepStrictEqual(yield* items(Stream.take((yield* over(wire)).items({}), 2)), ["a", "b"])
      assert.strictEqual(wire.sent.length, 1)
    }))

  const paces: ReadonlyArray<readonly [number | undefined, Array<number>]> = [
    [undefined, [1, 2, 3, 4]],
    [1, [2, 3, 4, 5]],
    [3, [4, 5, 6, 6]]
  ]
  for (const [prefetch, ahead] of paces) {
    it.effect(`with prefetch ${prefetch ?? "left out"} is that many pages ahead of a slow consumer, no more`, () =>
      Effect.gen(function*() {
        const wire = Testing.wire(
          ...["c1", "c2", "c3", "c4", "c5"].map((cursor) => page([cursor], cursor)),
          page(["c6"], "")
        )
        const stream = (yield* over(wire)).pages({}, prefetch === undefined ? {} : { prefetch })
        const fetched: Array<number> = []
        const slow = Stream.runForEach(
          stream,
          () => Effect.delay(Effect.sync(() => fetched.push(wire.sent.length)), "1 minute")
        )
        const fiber = yield* Effect.fork(slow)
        yield* TestClock.adjust("4 minutes")
        assert.deepStrictEqual(fetched, ahead)
        yield* TestClock.adjust("2 minutes")
        yield* Fiber.join(fiber)
        assert.strictEqual(wire.sent.length, 6)
      }))
  }

  it.effect("with prefetch delivers what came before a failure", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(page(["a"], "c1"), page(["b"], "c2"), Testing.json(400, { code: 1040010 }))
      const { failure, seen } = yield* untilFailure((yield* over(wire)).items({}, { prefetch: 2 }))
      assert.deepStrictEqual(seen, ["a", "b"])
      assert.strictEqual(failure?._tag, "Rejected")
    }))

  it.effect("that is interrupted stops fetching and aborts the fetch under way", () =>
    Effect.gen(function*() {
      for (const prefetch of [0, 2]) {
        const wire = Testing.wire(page(["a"], "c1"), Testing.silence)
        const fiber = yield* Effect.fork(Stream.runDrain((yield* over(wire)).items({}, { prefetch })))
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(fiber)
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(wire.sent.length, 2)
        assert.strictEqual(wire.interrupted(), 1)
      }
    }))

  it.effect("repeats a failed page inside, so that no item comes twice", () =>
    Effect.gen(function*() {
      const down = Testing.text(503, "")
      const wire = Testing.wire(page(["a"], "c1"), down, page(["b"], "c2"), down, down, page(["c"], ""))
      const stream = (yield* over(wire)).items({})
      assert.deepStrictEqual(yield* items(stream).pipe(Client.within("1 minute")), ["a", "b", "c"])
      assert.deepStrictEqual(cursorsOf(wire), [null, "c1", "c1", "c2", "c2", "c2"])
    }))

  it.effect("takes the retry policy that is put around it", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(page(["a"], "c1"), Testing.text(503, ""))
      const stream = (yield* over(wire)).items({}).pipe(RetryPolicy.withStreamRetryPolicy(RetryPolicy.none))
      const { failure, seen } = yield* untilFailure(stream)
      assert.deepStrictEqual(seen, ["a"])
      assert.strictEqual(failure?._tag, "Unavailable")
      assert.strictEqual(wire.sent.length, 2)
    }))

  it.effect("has the configured deadline for each page, and one for all pages if it is put around it", () =>
    Effect.gen(function*() {
      const slow = () => Testing.wire(...["c1", "c2", "c3", ""].map((c) => Testing.after("9 seconds", page([c], c))))
      const free = (yield* over(slow(), { deadline: "10 seconds" })).items({})
      assert.strictEqual((yield* items(free).pipe(Client.within("36 seconds"))).length, 4)
      const wire = slow()
      const bounded = (yield* over(wire)).items({}).pipe(Deadline.withStreamDeadline("20 seconds"))
      const { failure, seen } = yield* untilFailure(bounded).pipe(Client.within("20 seconds"))
      assert.deepStrictEqual(seen, ["c1", "c2"])
      assert.strictEqual(failure?._tag, "TimedOut")
      assert.strictEqual(wire.sent.length, 3)
    }))

  it.effect("counts its deadline from its first pull, each time it is run", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.after("9 seconds", page(["a"], "")))
      const stream = (yield* over(wire)).items({}).pipe(Deadline.withStreamDeadline("10 seconds"))
      yield* TestClock.adjust("1 hour")
      for (let run = 0; run < 2; run++) {
        assert.deepStrictEqual(yield* items(stream).pipe(Client.within("9 seconds")), ["a"])
      }
    }))

  const loops: ReadonlyArray<readonly [string, ReadonlyArray<string>, string | undefined]> = [
    ["at once", ["c1", "c1"], undefined],
    ["after two", ["c1", "c2", "c1"], undefined],
    ["after three", ["c1", "c2", "c3", "c1"], undefined],
    ["that it began with", ["c0"], "c0"],
    ["in the middle", ["c1", "c2", "c3", "c2"], undefined]
  ]
  for (const [what, cursors, first] of loops) {
    it.effect(`that is handed a cursor again ${what} fails before it delivers that page`, () =>
      Effect.gen(function*() {
        const wire = Testing.wire(...cursors.map((cursor, i) => page([String(i)], cursor)))
        const stream = (yield* over(wire)).items(first === undefined ? {} : { cursor: first })
        const { failure, seen } = yield* untilFailure(stream)
        assert.deepStrictEqual(seen, cursors.slice(1).map((_, i) => String(i)))
        assert.strictEqual(failure?._tag, "PagingStalled")
        if (failure?._tag !== "PagingStalled") return
        assert.include(failure, {
          reason: "repeated-cursor",
          pages: cursors.length,
          operation: "history.listThings",
          retrySafe: true
        })
        assert.strictEqual(wire.sent.length, cursors.length)
      }))
  }

  it.effect.each([[0, 1000], [0, 3000], [1500, 1500]] as const)(
    "delivers no page twice: after %d pages a loop of %d",
    ([before, loop]) =>
      Effect.gen(function*() {
        const things = Paged.make({
          origin: { operation: "test.listThings", chain: 1001, host: "127.0.0.1" },
          read: (input: Input) => Effect.succeed(input),
          page: ({ cursor = "0" }) =>
            Effect.sync(() => {
              const next = Number(cursor) === before + loop ? before + 1 : Number(cursor) + 1
              return { items: [cursor], cursor: Option.some(Cursor.make(String(next))) }
            })
        })
        const { failure, seen } = yield* untilFailure(Stream.take(things.items({}), 6000))
        assert.include(failure, { _tag: "PagingStalled", reason: "repeated-cursor", pages: before + loop + 1 })
        assert.strictEqual(new Set(seen).size, seen.length)
        assert.strictEqual(seen.length, before + loop)
      })
  )

  it.effect.each([{ prefech: 3 }, { prefetch: -1 }, { prefetch: 1.5 }, { maxEmptyPages: "3" }, { unreadable: "drop" }])(
    "with the option %j is refused before anything is sent, and says which option it is",
    (options) =>
      Effect.gen(function*() {
        const wire = three()
        const things = yield* over(wire)
        // As a program without types could give it.
        const given = options as {}
        const calls = [
          Stream.runDrain(things.pages({}, given)),
          Stream.runDrain(things.items({}, given)),
          Stream.runDrain(things.checkpoints({}, given))
        ]
        for (const call of calls) {
          const error = yield* call.pipe(Client.failsAs("InvalidInput"))
          assert.deepStrictEqual(error.path, ["options", ...Object.keys(options)])
        }
        assert.strictEqual(wire.sent.length, 0)
      })
  )

  it.effect("called for one page refuses the options of a stream", () =>
    Effect.gen(function*() {
      const given = { prefetch: 1 } as {}
      const error = yield* (yield* over(three()))({}, given).pipe(Client.failsAs("InvalidInput"))
      assert.deepStrictEqual([error.operation, error.path], ["history.listThings", ["options", "prefetch"]])
    }))

  const empties = (count: number) => Array.from({ length: count }, (_, i) => page([], `c${i}`))

  it.effect("accepts ten empty pages with a cursor in a row, and fails at the eleventh", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(page(["a"], "first"), ...empties(11), page(["b"], ""))
      const { failure, seen } = yield* untilFailure((yield* over(wire)).items({}))
      assert.deepStrictEqual(seen, ["a"])
      assert.include(failure, { _tag: "PagingStalled", reason: "empty-pages", pages: 12 })
      const ten = Testing.wire(page(["a"], "first"), ...empties(10), page(["b"], ""))
      assert.deepStrictEqual(yield* items((yield* over(ten)).items({})), ["a", "b"])
    }))

  it.effect("accepts as many empty pages as the option says", () =>
    Effect.gen(function*() {
      const wire = () => Testing.wire(...empties(3), page(["a"], ""))
      assert.deepStrictEqual(yield* items((yield* over(wire())).items({}, { maxEmptyPages: 3 })), ["a"])
      const { failure } = yield* untilFailure((yield* over(wire())).items({}, { maxEmptyPages: 2 }))
      assert.include(failure, { _tag: "PagingStalled", pages: 3 })
      const { failure: strict } = yield* untilFailure((yield* over(wire())).items({}, { maxEmptyPages: 0 }))
      assert.include(strict, { _tag: "PagingStalled", pages: 1 })
    }))

  it.effect("counts empty pages anew after one that is not empty", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        page([], "a"),
        page([], "b"),
        page(["x"], "c"),
        page([], "d"),
        page([], "e"),
        page(["y"], "")
      )
      assert.deepStrictEqual(yield* items((yield* over(wire)).items({}, { maxEmptyPages: 2 })), ["x", "y"])
    }))

  it.effect("ends as malformed at a page without a cursor, after the pages before it", () =>
    Effect.gen(function*() {
      const { failure, seen } = yield* untilFailure(
        (yield* over(Testing.wire(page(["a"], "c1"), page(["b"], undefined)))).items({})
      )
      assert.deepStrictEqual(seen, ["a"])
      assert.include(failure, { _tag: "MalformedResponse" })
    }))

  it.effect.prop(
    "delivers exactly what the service has, however it cuts its pages and however far is fetched ahead",
    [
      FastCheck.array(FastCheck.array(FastCheck.string(), { maxLength: 5 }), { minLength: 1, maxLength: 12 }),
      FastCheck.integer({ min: 0, max: 4 })
    ],
    ([cut, prefetch]) =>
      Effect.gen(function*() {
        const wire = Testing.wire(...cut.map((some, i) => page(some, i === cut.length - 1 ? "" : `c${i}`)))
        const stream = (yield* over(wire)).items({}, { prefetch, maxEmptyPages: 12 })
        assert.deepStrictEqual(yield* items(stream), cut.flat())
        assert.strictEqual(wire.sent.length, cut.length)
      }),
    { fastCheck: { numRuns: 50 } }
  )
})
