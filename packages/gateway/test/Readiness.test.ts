import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import { setImmediate } from "node:timers/promises"
import { FakeNode } from "../../indexer/test/support/fakeNode.js"
import * as Gateway from "../src/Gateway.js"
import { FollowProgress, time, whyDoubted } from "../src/internal/FollowProgress.js"
import type { OpenIndex } from "../src/internal/IndexHome.js"
import { Pace } from "../src/internal/Pace.js"
import { statusOf } from "../src/internal/statusOf.js"
import * as world from "./support/world.js"

/** A gateway of a node with a height, and what it says once something holds. */
const start = (height: number) =>
  Effect.gen(function*() {
    const node = new FakeNode(height)
    const gateway = yield* Effect.provideService(
      Gateway.make({ node: { url: "http://127.0.0.1:8545" }, database: ":memory:", access: "anyone", chain: 1001 }),
      HttpClient.HttpClient,
      node.client
    )
    const turn = Effect.zipRight(
      TestClock.adjust("500 millis"),
      Effect.promise(async () => {
        for (let turns = 0; turns < 20; turns++) await setImmediate()
      })
    )
    const when = Effect.fnUntraced(function*(holds: (status: Effect.Effect.Success<typeof gateway.status>) => boolean) {
      for (let turns = 0; turns < 2000; turns++) {
        const status = yield* gateway.status
        if (holds(status)) return status
        yield* turn
      }
      return assert.fail(`it never came: ${JSON.stringify(yield* gateway.status)}`)
    })
    yield* when(({ isReady }) => isReady)
    /** What a request for data is answered. */
    const page = Effect.map(
      world.send(`${gateway.url}/v2/transfer/account/0x${"a1".repeat(20)}`, { headers: { "x-chain-id": "1001" } }),
      ({ headers, status, text }) => ({
        status,
        retryAfter: headers.get("retry-after"),
        message: JSON.parse(text).message
      })
    )
    const refused = (why: string) => ({
      status: 503,
      retryAfter: "10",
      message: `the index may have blocks that are not of the chain: ${why}, see /status`
    })
    assert.strictEqual((yield* page).status, 200)
    return { node, gateway, turn, when, page, refused }
  })

describe("the readiness of a gateway", () => {
  it.scoped("ends while its node is on another chain", () =>
    Effect.gen(function*() {
      const { gateway, node, page, refused, when } = yield* start(20)
      node.fault = ({ method }) => method === "eth_chainId" ? { result: "0x2019" } : undefined
      node.height = 25
      const status = yield* when(({ isReady }) => !isReady)
      assert.strictEqual(status.notReady, "the node is on another chain: 8217")
      assert.strictEqual(status.index.head?.number, 20)
      const answer = yield* world.send(`${gateway.url}/ready`)
      assert.deepStrictEqual(
        [answer.status, JSON.parse(answer.text)],
        [503, { isReady: false, notReady: "the node is on another chain: 8217" }]
      )
      assert.deepStrictEqual(yield* page, refused("the node is on another chain: 8217"))
      node.fault = () => undefined
      yield* when(({ index, isReady }) => isReady && index.head?.number === 25)
      assert.strictEqual((yield* page).status, 200)
    }))

  it.scoped("ends while its node stands far below the index, which keeps its blocks and serves none", () =>
    Effect.gen(function*() {
      const { node, page, refused, when } = yield* start(300)
      node.height = 295
      const near = yield* when(({ lag }) => lag !== undefined && lag.blocks < 0)
      assert.deepStrictEqual([near.isReady, near.lag?.blocks], [true, -5])
      assert.strictEqual((yield* page).status, 200)
      node.height = 100
      // The blocks don't fit those of the index at once; how far it stands below is judged by some seconds.
      const far = yield* when(({ notReady }) => notReady?.includes("below the index") === true)
      assert.strictEqual(far.notReady, "the node stands 200 blocks below the index")
      assert.deepStrictEqual([far.lag?.blocks, far.index.head?.number], [-200, 300])
      assert.deepStrictEqual(yield* page, refused("the node stands 200 blocks below the index"))
      node.height = 301
      yield* when(({ index, isReady }) => isReady && index.head?.number === 301)
      assert.strictEqual((yield* page).status, 200)
    }))

  it.scoped("goes on while copies of its node lag far behind, and ends when all of them do", () =>
    Effect.gen(function*() {
      const { gateway, node, page, turn } = yield* start(300)
      const turns = Effect.fnUntraced(function*(count: number, isLow: (at: number) => boolean) {
        for (let at = 0; at < count; at++) {
          if (at % 4 === 0) node.height++
          node.fault = ({ method }) =>
            method.endsWith("_blockNumber") && isLow(at)
              ? { result: `0x${(node.height - 40).toString(16)}` }
              : undefined
          yield* turn
          assert.isUndefined((yield* gateway.status).notReady)
        }
      })
      // One that lags answers each look at the node, but not what is asked after it.
      yield* turns(20, () => node.requests.at(-1)?.some(({ method }) => method === "eth_chainId") === true)
      // For two seconds of four, one that lags answers all.
      yield* turns(24, (at) => at % 8 < 4)
      assert.strictEqual((yield* page).status, 200)
      // All of them have gone back.
      node.fault = ({ method }) => method.endsWith("_blockNumber") ? { result: "0x100" } : undefined
      for (let at = 0; at < 14; at++) yield* turn
      assert.match((yield* gateway.status).notReady ?? "", /^the node stands \d+ blocks below the index$/)
    }))

  it.scoped("ends with the first round that finds other blocks than can be reverted", () =>
    Effect.gen(function*() {
      const { node, page, refused, when } = yield* start(300)
      node.fork = (height) => height > 100 ? "b" : "a"
      node.height = 301
      const { notReady = "" } = yield* when(({ isReady }) => !isReady)
      assert.match(
        notReady,
        /^the node's blocks don't fit those of the index: block 172 of the source: it differs from the index, and only the newest 128 /
      )
      assert.deepStrictEqual(yield* page, refused(notReady))
      node.fork = () => "a"
      yield* when(({ isReady }) => isReady)
      assert.strictEqual((yield* page).status, 200)
    }))

  it.scoped("ends when following has failed for half a minute, whatever the reason", () =>
    Effect.gen(function*() {
      const { node, when } = yield* start(20)
      node.height = 21
      node.fault = ({ method }) =>
        method === "eth_getBlockReceipts" ? { error: { code: -32000, message: "a secret of the node" } } : undefined
      const status = yield* when(({ isReady }) => !isReady)
      assert.match(status.notReady ?? "", /^following the node has failed for 3\d seconds: the status says why$/)
      assert.match(status.node.failure ?? "", /a secret of the node/)
      node.fault = () => undefined
      yield* when(({ isReady }) => isReady)
    }))

  it.scoped("ends when the node is silent for half a minute, though the clock was set back meanwhile", () =>
    Effect.gen(function*() {
      const clock = yield* Effect.clock
      let back = 0
      const set: Clock.Clock = Object.assign(Object.create(clock), {
        currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now - back),
        unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() - back
      })
      yield* Effect.withClock(
        Effect.gen(function*() {
          const { node, when } = yield* start(20)
          node.fault = () => ({ error: { code: -32000, message: "not now" } })
          back = 3_600_000
          const { node: { secondsSinceAnswer }, notReady } = yield* when(({ isReady }) => !isReady)
          assert.match(notReady ?? "", /^the node has not answered for 3\d seconds/)
          assert.isAbove(secondsSinceAnswer ?? 0, 30)
        }),
        set
      )
    }))

  it.scoped("is never there with a node that lacks blocks, which is told", () =>
    Effect.gen(function*() {
      const { node, when } = yield* start(20)
      node.height = 25
      node.fault = ({ method, params }) =>
        method === "eth_getBlockByNumber" && Number(params[0]) === 22 ? { result: null } : undefined
      const status = yield* when(({ isReady }) => !isReady)
      assert.strictEqual(
        status.node.failure,
        "eth_getBlockByNumber of the node: it has no block 22, and its newest is 25: an index needs a node that has all " +
          "blocks from there on"
      )
      assert.strictEqual(status.index.head?.number, 21)
    }))

  it.scoped("ends when a defect ends the following, and the log tells", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    return Effect.gen(function*() {
      const { node, when } = yield* start(20)
      node.fault = ({ method }) => {
        if (method !== "eth_getBlockReceipts") return undefined
        throw new Error("a defect")
      }
      node.height = 40
      const status = yield* when(() =>
        lines.some((line) => line.includes("following the node has ended: start this process anew"))
      )
      assert.deepStrictEqual([status.isReady, status.notReady], [false, "the index is 20 blocks behind the node"])
    }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
  })

  it.effect("is not there before contracts were asked about all that happened", () =>
    Effect.gen(function*() {
      const progress = new FollowProgress()
      progress.isLeader = true
      progress.answeredAt = yield* time
      progress.noteHead(5, progress.answeredAt)
      const status = (isSettled: boolean) =>
        statusOf({
          chain: 1001,
          // A cast: no more of it is read.
          index: {
            store: { reader: { scope: { firstBlock: 0 } } },
            watched: { newest: Effect.succeedSome({ number: 5, timestamp: 0 }), isSettled: Effect.succeed(isSettled) },
            isComplete: Effect.succeed(true),
            backfill: Effect.succeed(undefined),
            isTraced: false
          } as unknown as OpenIndex,
          role: "all",
          hasWallet: false,
          wallet: Effect.succeed(undefined),
          progress,
          pace: new Pace(),
          host: "127.0.0.1:8545",
          maxLag: 10
        })
      assert.isTrue((yield* status(true)).isReady)
      assert.strictEqual((yield* status(false)).notReady, "contracts have not been asked about all that happened yet")
    }))

  it("is doubted for another block at the node only where this process does not compare its rounds", () => {
    const progress = new FollowProgress()
    assert.isUndefined(whyDoubted(progress, 10))
    progress.otherBlock = 5
    assert.strictEqual(whyDoubted(progress, 10), "the node has another block 5 than the index")
    progress.isLeader = true
    assert.isUndefined(whyDoubted(progress, 10))
  })
})
