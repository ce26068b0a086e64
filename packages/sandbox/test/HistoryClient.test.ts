import * as Credentials from "@effect-klaytn/core/Credentials"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import type { Transfer } from "@effect-klaytn/history/Transfer"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, layer } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Sandbox from "../src/Sandbox.js"

const sandbox = Sandbox.layer({ seed: "client", clock: { start: 1_600_000_000, step: 1 } })
const retry = RetryPolicy.make({ attempts: 3, baseDelay: Duration.millis(1) })

const clientOn = (chain: 8217 | 1001) =>
  TransferHistory.layer().pipe(
    Layer.provide(Sandbox.clientConfig(chain, { retry, attemptTimeout: Duration.seconds(20) })),
    Layer.provide(FetchHttpClient.layer)
  )

const amounts = (transfers: Iterable<Transfer>) =>
  [...transfers].map((transfer) => transfer._tag === "CoinTransfer" ? transfer.value : -1n)

const account = (name: string) => Effect.map(Sandbox.Sandbox, ({ chains }) => chains.account(name).address)

const pay = (...values: ReadonlyArray<number>) =>
  Effect.flatMap(
    Sandbox.Sandbox,
    ({ control }) =>
      Effect.forEach(values, (amount) =>
        control.chain(1001).transfer({ from: "alice", to: "bob", amount: BigInt(amount) }))
  )

layer(Layer.provideMerge(clientOn(1001), sandbox), { excludeTestServices: true })("The client on a sandbox", (it) => {
  it.effect("loses no transfer and repeats none when blocks come in between its pages", () =>
    Effect.gen(function*() {
      const history = yield* TransferHistory.TransferHistory
      const address = yield* account("bob")
      yield* pay(1, 2, 3, 4, 5, 6, 7)
      const seen: Array<bigint> = []
      yield* history.getTransfersByEoa.pages({ address, size: 2 }).pipe(
        Stream.runForEach(({ items }) => {
          seen.push(...amounts(items))
          return pay(100, 200)
        })
      )
      assert.deepStrictEqual(seen, [7n, 6n, 5n, 4n, 3n, 2n, 1n])
      const all = yield* Stream.runCollect(history.getTransfersByEoa.items({ address, size: 3 }))
      assert.strictEqual([...all].length, 15)
    }))

  it.effect("goes on from a cursor after more blocks and with another size", () =>
    Effect.gen(function*() {
      const history = yield* TransferHistory.TransferHistory
      const address = yield* account("bob")
      yield* pay(11, 12, 13)
      const first = yield* history.getTransfersByEoa({ address, size: 1, excludeZeroCoin: true })
      yield* pay(14)
      const cursor = Option.getOrThrow(first.cursor)
      const second = yield* history.getTransfersByEoa({ address, size: 2, excludeZeroCoin: true, cursor })
      assert.deepStrictEqual([...amounts(first.items), ...amounts(second.items)], [13n, 12n, 11n])
    }))

  it.effect("reads every kind of transfer without an unknown one", () =>
    Effect.gen(function*() {
      const { control } = yield* Sandbox.Sandbox
      const chain = control.chain(1001)
      const history = yield* TransferHistory.TransferHistory
      const ft = (yield* chain.deploy({ kind: "ft", from: "erin", name: "A", symbol: "A" })).address
      const nft = (yield* chain.deploy({ kind: "nft", from: "erin", name: "B", symbol: "B" })).address
      const mt = (yield* chain.deploy({ kind: "mt", from: "erin", uri: "u" })).address
      yield* chain.mint(ft, { kind: "ft", from: "erin", to: "erin", amount: 2n ** 256n - 1n })
      yield* chain.mint(nft, { kind: "nft", from: "erin", to: "erin", tokenId: 2n ** 255n })
      yield* chain.mint(mt, { kind: "mt", from: "erin", to: "erin", tokenId: 0n, amount: 1n })
      const address = yield* account("erin")
      const all = yield* Stream.runCollect(history.getTransfersByEoa.items({ address }))
      assert.deepStrictEqual(
        [...all].map(({ _tag }) => _tag),
        ["MtTransfer", "CoinTransfer", "NftTransfer", "CoinTransfer", "FtTransfer", "CoinTransfer"].concat(
          ["CoinTransfer", "CoinTransfer", "CoinTransfer"]
        )
      )
      const { id } = yield* chain.createPreset({ name: "all", contracts: [ft, nft, mt] })
      const preset = yield* history.getTransfers({ presets: [id], kinds: ["ft", "nft", "mt"], excludeZeroCoin: true })
      assert.deepStrictEqual(preset.items.map(({ _tag }) => _tag), ["MtTransfer", "NftTransfer", "FtTransfer"])
      const [ftTransfer] = preset.items.slice(-1)
      assert(ftTransfer?._tag === "FtTransfer")
      assert.strictEqual(ftTransfer.value, 2n ** 256n - 1n)
      assert.strictEqual(
        ftTransfer.formattedValue,
        "115792089237316195423570985008687907853269984665640564039457.584007913129639935"
      )
    }))

  it.effect("gets a typed failure for an unknown preset, with the request ID", () =>
    Effect.gen(function*() {
      const history = yield* TransferHistory.TransferHistory
      const failure = yield* Effect.flip(history.getTransfers({ presets: [999] }))
      assert(failure._tag === "NotFound")
      assert.strictEqual(failure.code, 1040400)
      assert.isDefined(failure.requestId)
    }))

  it.effect("tries again after a 503, waits as long as it was told, and gives up as its policy says", () =>
    Effect.gen(function*() {
      const { control } = yield* Sandbox.Sandbox
      const history = yield* TransferHistory.TransferHistory
      const call = history.getTransfersByTxHash({ transactionHash: `0x${"ab".repeat(32)}` })
      const statuses = Effect.map(control.requests(), (requests) => requests.map(({ status }) => status))
      yield* control.clearRequests
      yield* control.addFault({ action: { kind: "answer", status: 503, retryAfter: "0" }, times: 2 })
      assert.deepStrictEqual(yield* call, [])
      assert.deepStrictEqual(yield* statuses, [503, 503, 200])
      yield* control.clearRequests
      yield* control.addFault({ action: { kind: "answer", status: 500, code: 1041000 }, times: 9 })
      const failure = yield* Effect.flip(call)
      assert(failure._tag === "Unavailable")
      assert.deepStrictEqual(yield* statuses, [500, 500, 500])
      yield* control.clearFaults
      assert.deepStrictEqual(yield* call, [])
    }))

  it.effect("tries again when the connection drops, before or after the service acted", () =>
    Effect.gen(function*() {
      const { control } = yield* Sandbox.Sandbox
      const history = yield* TransferHistory.TransferHistory
      yield* control.clearRequests
      yield* control.addFault({ action: { kind: "drop", when: "before" } })
      yield* control.addFault({ action: { kind: "drop", when: "after" } })
      assert.deepStrictEqual(yield* history.getTransfersByTxHash({ transactionHash: `0x${"cd".repeat(32)}` }), [])
      const requests = yield* control.requests({ operation: "getTransfersByTxHash" })
      assert.deepStrictEqual(requests.map(({ status }) => status), [undefined, undefined, 200])
      assert.deepStrictEqual(yield* control.faults, [])
    }))

  it.effect("works with a second credential after the first was taken away", () =>
    Effect.gen(function*() {
      const { accessKeyId, control } = yield* Sandbox.Sandbox
      const history = yield* TransferHistory.TransferHistory
      const next = yield* control.createCredential
      assert.isTrue(Either.isRight(Credentials.fromPair(next)))
      const refused = yield* Effect.flip(control.createCredential)
      assert.strictEqual(refused._tag, "TooManyCredentials")
      yield* control.deleteCredential(accessKeyId)
      assert.deepStrictEqual(yield* control.credentials, [next.accessKeyId])
      const failure = yield* Effect.flip(history.getTransfersByTxHash({ transactionHash: `0x${"ef".repeat(32)}` }))
      assert(failure._tag === "Unauthorized")
      assert.strictEqual(failure.code, 1010009)
    }))
})

layer(Layer.provideMerge(clientOn(8217), sandbox), { excludeTestServices: true })("Two chains", (it) => {
  it.effect("share accounts and credential, but no block", () =>
    Effect.gen(function*() {
      const { control } = yield* Sandbox.Sandbox
      const history = yield* TransferHistory.TransferHistory
      yield* control.chain(8217).transfer({ from: "bob", to: "alice", amount: 5n })
      yield* pay(1)
      const bob = yield* account("bob")
      const page = yield* history.getTransfersByEoa({ address: bob })
      assert.deepStrictEqual(amounts(page.items), [5n])
    }))
})
