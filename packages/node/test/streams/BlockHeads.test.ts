import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Socket from "@effect/platform/Socket"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as BlockHeads from "../../src/BlockHeads.js"
import * as BlockStream from "../../src/BlockStream.js"
import * as LogRange from "../../src/LogRange.js"
import * as records from "../golden/records.js"
import { hash } from "../golden/row.js"
import * as TestNode from "../support/testNode.js"

const secret = "s3cr/t@1"

const quantity = (n: number) => `0x${n.toString(16)}`
const hashAt = (height: number) => `0x${(height + 1).toString(16).padStart(64, "0")}`

/** The other end of the connections that a program opens. */
class Door {
  readonly urls: Array<string> = []
  readonly sent: Array<{ readonly method: string; readonly params: ReadonlyArray<unknown> }> = []
  readonly sockets: Array<Connection> = []
  /** The namespaces that the node accepts subscriptions in. */
  namespaces: ReadonlyArray<string> = ["klay", "kaia", "eth"]
  isOpen = true

  readonly layer = Layer.succeed(Socket.WebSocketConstructor, (url) => {
    this.urls.push(url)
    const connection = new Connection(this)
    this.sockets.push(connection)
    queueMicrotask(() => this.isOpen ? connection.open() : connection.end())
    // As much of a WebSocket as the transport uses.
    return connection as unknown as WebSocket
  })

  announce(height: number): void {
    this.sockets.at(-1)?.say({
      jsonrpc: "2.0",
      method: "klay_subscription",
      params: { subscription: "0x1", result: { number: quantity(height) } }
    })
  }
}

class Connection extends EventTarget {
  readyState = 0
  binaryType = "blob"
  constructor(private readonly door: Door) {
    super()
  }

  open(): void {
    this.readyState = 1
    this.dispatchEvent(new Event("open"))
  }

  end(): void {
    this.readyState = 3
    this.dispatchEvent(Object.assign(new Event("close"), { code: 1006, reason: "" }))
  }

  say(message: object): void {
    this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(message) }))
  }

  send(text: string): void {
    const { id, method, params } = JSON.parse(text) as { id: number; method: string; params: ReadonlyArray<unknown> }
    this.door.sent.push({ method, params })
    const isKnown = this.door.namespaces.some((name) => method === `${name}_subscribe`)
    queueMicrotask(() =>
      this.say({
        jsonrpc: "2.0",
        id,
        ...(isKnown ? { result: "0x1" } : { error: { code: -32601, message: `no ${method}` } })
      })
    )
  }

  close(): void {
    this.readyState = 3
  }
}

const chain = (state: { head: number }) =>
  TestNode.make({
    klay_blockNumber: () => quantity(state.head),
    klay_getBlockByNumber: ([height]) =>
      Number(height) > state.head
        ? new TestNode.Said(-32000, `the block does not exist (block number: ${Number(height)})`)
        : {
          ...records.header,
          size: "0x1",
          number: height,
          hash: hashAt(Number(height)),
          parentHash: hashAt(Number(height) - 1),
          transactions: [hash]
        },
    klay_getLogs: () => []
  })

const url = Redacted.make(`wss://KASKID01:${encodeURIComponent(secret)}@node.example/ws`)

/** Follows the blocks of a chain; `seen` has the heights that were delivered. */
const following = (state: { head: number }, door: Door) =>
  Effect.gen(function*() {
    const node = chain(state)
    const seen = yield* Ref.make<ReadonlyArray<number>>([])
    const fiber = yield* BlockStream.blocks({ from: BigInt(state.head) }).pipe(
      Stream.runForEach((block) => Ref.update(seen, (all) => [...all, Number(block.number)])),
      Effect.provide([node.layer, BlockHeads.layer({ url }).pipe(Layer.provide(door.layer))]),
      Effect.fork
    )
    /** Lets everything happen that needs no time. */
    const settle = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
    yield* settle
    return { node, seen: Ref.get(seen), fiber, settle }
  })

describe("blocks that the node announces", () => {
  it.effect("are read at once, without polling", () =>
    Effect.gen(function*() {
      const [state, door] = [{ head: 5 }, new Door()]
      const { fiber, node, seen, settle } = yield* following(state, door)
      assert.deepStrictEqual(yield* seen, [5])
      assert.deepStrictEqual(door.sent, [{ method: "klay_subscribe", params: ["newHeads"] }])
      yield* TestClock.adjust("1 second")
      const asked = node.asked.length
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(node.asked.length, asked, "nothing is asked while nothing is announced")
      for (state.head = 6; state.head <= 8; state.head++) {
        door.announce(state.head)
        yield* settle
      }
      assert.deepStrictEqual(yield* seen, [5, 6, 7, 8])
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(door.sockets.at(-1)?.readyState, 3, "the connection is closed")
    }))

  it.effect("leave no gap and come once when the connection is lost, and polling takes over", () =>
    Effect.gen(function*() {
      const [state, door] = [{ head: 5 }, new Door()]
      const { fiber, seen, settle } = yield* following(state, door)
      door.isOpen = false
      door.sockets.at(-1)?.end()
      yield* settle
      state.head = 9
      yield* TestClock.adjust("1 second")
      yield* settle
      assert.deepStrictEqual(yield* seen, [5, 6, 7, 8, 9], "polling")
      door.isOpen = true
      yield* TestClock.adjust("31 seconds")
      yield* settle
      state.head = 12
      door.announce(12)
      door.announce(12)
      door.announce(10)
      yield* settle
      assert.deepStrictEqual(yield* seen, [5, 6, 7, 8, 9, 10, 11, 12])
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("are polled as soon as the connection is lost in a wait for the next one", () =>
    Effect.gen(function*() {
      const [state, door] = [{ head: 5 }, new Door()]
      const { fiber, seen, settle } = yield* following(state, door)
      // The wait that begins now relies on the subscription.
      yield* TestClock.adjust("1 second")
      yield* settle
      door.isOpen = false
      door.sockets.at(-1)?.end()
      yield* settle
      state.head = 6
      yield* TestClock.adjust("1 second")
      yield* settle
      assert.deepStrictEqual(yield* seen, [5, 6])
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("have the highest number that was announced, and are subscribed to while there is a connection", () =>
    Effect.gen(function*() {
      const door = new Door()
      const settle = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
      yield* Effect.scoped(Effect.gen(function*() {
        const context = yield* Layer.build(BlockHeads.layer({ url }).pipe(Layer.provide(door.layer)))
        const { current } = yield* Effect.provide(BlockHeads.BlockHeads, context)
        yield* settle
        for (const height of [10, 12, 11]) door.announce(height)
        yield* settle
        assert.deepStrictEqual(yield* current, { isSubscribed: true, newest: Option.some(12n) })
        door.isOpen = false
        door.sockets.at(-1)?.end()
        yield* settle
        assert.deepStrictEqual(yield* current, { isSubscribed: false, newest: Option.some(12n) })
      }))
    }))

  it.effect("are asked for again while the node that answers calls lags", () =>
    Effect.gen(function*() {
      const [state, door] = [{ head: 5 }, new Door()]
      const { fiber, node, seen, settle } = yield* following(state, door)
      door.announce(6)
      yield* settle
      assert.isBelow(node.asked.length, 20, "not in a busy loop")
      state.head = 6
      yield* TestClock.adjust("100 millis")
      yield* settle
      assert.deepStrictEqual(yield* seen, [5, 6])
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("are asked for as without announcements while one names a height that the chain does not reach", () =>
    Effect.gen(function*() {
      const [state, door] = [{ head: 5 }, new Door()]
      const { fiber, node, seen, settle } = yield* following(state, door)
      door.announce(2 ** 50)
      yield* settle
      const before = node.asked.length
      for (let seconds = 0; seconds < 10; seconds++) {
        yield* TestClock.adjust("1 second")
        yield* settle
      }
      assert.isAtMost(node.asked.length - before, 11)
      // The next announcement counts again.
      state.head = 6
      door.announce(6)
      yield* settle
      yield* TestClock.adjust("1 second")
      yield* settle
      state.head = 7
      door.announce(7)
      yield* settle
      assert.deepStrictEqual(yield* seen, [5, 6, 7])
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("are subscribed to in a namespace that the node accepts", () =>
    Effect.gen(function*() {
      const door = new Door()
      door.namespaces = ["eth"]
      const { fiber } = yield* following({ head: 5 }, door)
      assert.deepStrictEqual(door.sent.map(({ method }) => method), [
        "klay_subscribe",
        "kaia_subscribe",
        "eth_subscribe"
      ])
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("are polled when the node accepts no subscription", () =>
    Effect.gen(function*() {
      const [state, door] = [{ head: 5 }, new Door()]
      door.namespaces = []
      const { fiber, seen, settle } = yield* following(state, door)
      state.head = 6
      yield* TestClock.adjust("1 second")
      yield* settle
      assert.deepStrictEqual(yield* seen, [5, 6])
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("come from a new connection when the old one is silent", () =>
    Effect.gen(function*() {
      const door = new Door()
      const { fiber, settle } = yield* following({ head: 5 }, door)
      for (let i = 0; i < 2; i++) {
        yield* TestClock.adjust("31 seconds")
        yield* settle
      }
      assert.isAbove(door.urls.length, 1)
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("bring logs at once", () =>
    Effect.gen(function*() {
      const [state, door] = [{ head: 5 }, new Door()]
      const node = chain(state)
      const seen = yield* Ref.make<ReadonlyArray<string>>([])
      const fiber = yield* LogRange.follow({ fromBlock: 5n }).pipe(
        Stream.runForEach(({ fromBlock, toBlock }) => Ref.update(seen, (all) => [...all, `${fromBlock}-${toBlock}`])),
        Effect.provide([node.layer, BlockHeads.layer({ url }).pipe(Layer.provide(door.layer))]),
        Effect.fork
      )
      const settle = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
      yield* settle
      state.head = 7
      door.announce(7)
      yield* settle
      assert.deepStrictEqual(yield* Ref.get(seen), ["5-5", "6-7"])
      yield* Fiber.interrupt(fiber)
    }))
})

describe("the address of a WebSocket", () => {
  it.effect("is refused if it is none, and not shown", () =>
    Effect.gen(function*() {
      for (const wrong of ["https://KASKID01:s3cr@node.example", "not an address s3cr", ""]) {
        const error = yield* Effect.flip(Effect.scoped(Layer.build(
          BlockHeads.layer({ url: Redacted.make(wrong) }).pipe(Layer.provide(new Door().layer))
        )))
        assert.deepInclude(error, { _tag: "InvalidInput", path: ["url"] })
        assert.notInclude(JSON.stringify(error) + error.message, "s3cr")
      }
    }))

  it.effect("is never in a log, whatever happens to the connection", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const door = new Door()
      const broken = Layer.succeed(Socket.WebSocketConstructor, (address) => {
        throw new Error(`no ${address}`)
      })
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.map(Logger.stringLogger, (line) => void lines.push(line))
      )
      for (const constructor of [door.layer, broken]) {
        door.isOpen = false
        const fiber = yield* Effect.fork(
          Effect.scoped(Effect.zipRight(
            Layer.build(BlockHeads.layer({ url }).pipe(Layer.provide(constructor))),
            Effect.sleep("2 seconds")
          )).pipe(Effect.provide([logger, Logger.minimumLogLevel(LogLevel.All)]))
        )
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
        yield* TestClock.adjust("2 seconds")
        yield* Fiber.join(fiber)
      }
      assert.isAbove(lines.length, 1)
      for (const line of lines) assert.notMatch(line, /s3cr|KASKID01|wss:/)
    }))

  it.effect("of the hosted service has the chain and the credential of the configuration", () =>
    Effect.gen(function*() {
      const door = new Door()
      const config = ClientConfig.layer({
        chain: 1001,
        credentials: Credentials.fromPair({ accessKeyId: "KASKID01", secretAccessKey: Redacted.make(secret) }),
        endpoints: { node: "https://node.example/v1/klaytn" }
      })
      yield* Effect.scoped(Effect.gen(function*() {
        const context = yield* Layer.build(
          BlockHeads.layerService().pipe(Layer.provide([door.layer, config]))
        )
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
        const heads = yield* BlockHeads.BlockHeads.pipe(Effect.provide(context))
        assert.deepStrictEqual(yield* heads.current, { isSubscribed: true, newest: Option.none() })
      }))
      assert.deepStrictEqual(door.urls, [
        `wss://KASKID01:${encodeURIComponent(secret)}@node.example/v1/ws/open?chain-id=1001`
      ])
    }))
})
