import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Idempotency from "@effect-klaytn/custody/Idempotency"
import * as SqlSendStore from "@effect-klaytn/custody/SqlSendStore"
import { RequestIds } from "@effect-klaytn/service/RequestIds"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { assert, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { KeyedMutex } from "../src/internal/KeyedMutex.js"
import * as localWallet from "./support/localWallet.js"

const requestOf = (body: string | ReadableStream) =>
  new Request("http://wallet/v2/tx/value", {
    method: "POST",
    headers: { "idempotency-key": "invoice", "content-type": "application/json" },
    body,
    ...(typeof body === "string" ? {} : { duplex: "half" })
  })

/** Locks of keys, and what ends when so many requests have asked for theirs, and go as far as they get. */
const watchedLocks = (asking: number) =>
  Effect.gen(function*() {
    const all = yield* Deferred.make<void>()
    const locks = new KeyedMutex()
    let asked = 0
    const take: KeyedMutex["take"] = (name) => (effect) =>
      Effect.zipRight(
        Effect.suspend(() => ++asked === asking ? Deferred.succeed(all, undefined) : Effect.void),
        locks.take(name)(effect)
      )
    return { locks: { take }, waiting: Effect.zipRight(Deferred.await(all), Effect.repeatN(Effect.yieldNow(), 100)) }
  })

/** Asks with a key: the app gives these answers, one after the other. */
const start = (...answers: ReadonlyArray<Effect.Effect<number>>) =>
  Effect.gen(function*() {
    const { sql } = yield* localWallet.make
    const requests = SqlSendStore.requests(sql, 1001)
    const asked = { count: 0 }
    const app = Effect.suspend(() => answers[asked.count++] ?? Effect.succeed(200)).pipe(
      Effect.map((status) => HttpServerResponse.text(`{"done":${asked.count}}`, { status }))
    )
    const { locks, waiting } = yield* watchedLocks(2)
    const handle = HttpApp.toWebHandler(Idempotency.make(requests, new RequestIds(), app, () => "shop", locks))
    const ask = (body: string) =>
      Effect.promise(async () => {
        const answer = await handle(requestOf(body))
        const { code, done }: { code?: number; done?: number } = JSON.parse(await answer.text())
        return [answer.status, code ?? done]
      })
    return { app, ask, asked, requests, waiting }
  })

const reused = [400, 1069400]

it.scoped("a key is free after a refusal, and kept after a failure that may have done something", () =>
  Effect.gen(function*() {
    const { ask } = yield* start(Effect.succeed(400), Effect.succeed(500))
    assert.deepStrictEqual(yield* ask("{\"value\":1}"), [400, 1])
    assert.deepStrictEqual(yield* ask("{\"value\":2}"), [500, 2])
    assert.deepStrictEqual(yield* ask("{\"value\":1}"), reused)
    assert.deepStrictEqual(yield* ask("{\"value\":2}"), [200, 3])
  }))

it.scoped("two requests with a key at the same time are one after the other", () =>
  Effect.gen(function*() {
    const done = yield* Deferred.make<number>()
    const { ask, asked, waiting } = yield* start(Deferred.await(done))
    // It ends if this test fails, too.
    yield* Effect.addFinalizer(() => Deferred.succeed(done, 200))
    const both = yield* Effect.fork(Effect.all([ask("{}"), ask("{}")], { concurrency: "unbounded" }))
    yield* waiting
    assert.strictEqual(asked.count, 1)
    yield* Deferred.succeed(done, 200)
    assert.deepStrictEqual(yield* Fiber.join(both), [[200, 1], [200, 1]])
  }))

it.scoped("what a request with a key does goes on though its client is gone", () =>
  Effect.gen(function*() {
    const { sql } = yield* localWallet.make
    const [begun, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    let count = 0
    const app = Effect.zipRight(
      Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(goOn)),
      Effect.sync(() => HttpServerResponse.text(`{"done":${++count}}`))
    )
    const keyed = Idempotency.make(SqlSendStore.requests(sql, 1001), new RequestIds(), app, () => "shop")
    const asking = Effect.provideService(
      keyed,
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromWeb(requestOf("{}"))
    )
    const client = yield* Effect.fork(Effect.scoped(asking))
    yield* Deferred.await(begun)
    const gone = yield* Effect.fork(Fiber.interrupt(client))
    yield* Deferred.succeed(goOn, undefined)
    yield* Fiber.join(gone)
    const stored = yield* sql`SELECT answer FROM wallet_requests_1001`
    assert.deepStrictEqual(stored, [{ answer: "{\"done\":1}" }])
  }))

it.scoped("a key that is not known is refused, and nothing is done, while the owner lets no new ones in", () =>
  Effect.gen(function*() {
    const { ask, asked, requests } = yield* start()
    yield* requests.refuseNew("the wallet is a copy")
    assert.deepStrictEqual([yield* ask("{}"), asked.count], [[400, 1069409], 0])
  }))

it.scoped("a key is not taken by a request whose body did not arrive", () =>
  Effect.gen(function*() {
    const { sql } = yield* localWallet.make
    let done = 0
    const app = Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const text = yield* Effect.either(request.text)
      if (text._tag === "Left") return HttpServerResponse.text("no body", { status: 400 })
      done++
      return HttpServerResponse.text(`{"done":${done}}`)
    })
    const handle = HttpApp.toWebHandler(
      Idempotency.make(SqlSendStore.requests(sql, 1001), new RequestIds(), app, () => "shop")
    )
    const ask = (body: string | ReadableStream) =>
      Effect.promise(async () => {
        const answer = await handle(requestOf(body))
        return [answer.status, await answer.text()]
      })
    const cut = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode("{\"va"))
        controller.error(new Error("the connection broke"))
      }
    })
    assert.deepStrictEqual(yield* ask(cut), [400, "no body"])
    assert.deepStrictEqual(yield* ask("{\"value\":1}"), [200, "{\"done\":1}"])
    assert.deepStrictEqual(yield* ask("{\"value\":1}"), [200, "{\"done\":1}"])
    const [status] = yield* ask("{\"value\":2}")
    assert.deepStrictEqual([status, done], [400, 1])
  }))

it.scoped("a request waits for others with its key no longer than its time, and does nothing then", () =>
  Effect.gen(function*() {
    const { sql } = yield* localWallet.make
    const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    let done = 0
    const app = Effect.gen(function*() {
      done++
      yield* Deferred.succeed(begun, undefined)
      yield* Deferred.await(end)
      return HttpServerResponse.text("{}")
    })
    const { locks, waiting } = yield* watchedLocks(4)
    const keyed = Idempotency.make(SqlSendStore.requests(sql, 1001), new RequestIds(), app, () => "shop", locks)
    const ask = Deadline.withDeadline(keyed, "10 seconds").pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(requestOf("{}"))),
      Effect.map(({ status }) => status)
    )
    const first = yield* Effect.fork(ask)
    yield* Deferred.await(begun)
    const others = yield* Effect.fork(Effect.all([ask, ask, ask], { concurrency: "unbounded" }))
    yield* waiting
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(yield* Fiber.join(others), [503, 503, 503])
    yield* Deferred.succeed(end, undefined)
    assert.strictEqual(yield* Fiber.join(first), 200)
    assert.deepStrictEqual([yield* ask, done], [200, 1])
  }))

it.scoped("the stored answer of a send says what became of it since", () =>
  Effect.gen(function*() {
    const { sql } = yield* localWallet.make
    const hash = `0x${"11".repeat(32)}` as const
    const app = Effect.succeed(HttpServerResponse.text(JSON.stringify({ status: "Submitted", transactionHash: hash })))
    const account = `0x${"a1".repeat(20)}` as const
    const outcomeOf = () =>
      Effect.succeed(
        {
          account,
          hash,
          payment: { hash, raw: "0x", senderHash: hash },
          reason: undefined,
          since: 1,
          stage: "replaced",
          waitsFor: undefined
        } as const
      )
    const handle = HttpApp.toWebHandler(
      Idempotency.make(SqlSendStore.requests(sql, 1001), new RequestIds(), app, () => "shop", undefined, outcomeOf)
    )
    const ask = Effect.promise(async () => {
      const { status }: { readonly status?: string } = JSON.parse(await (await handle(requestOf("{}"))).text())
      return status
    })
    assert.deepStrictEqual([yield* ask, yield* ask], ["Submitted", "CommitError"])
  }))
