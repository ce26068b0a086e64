/** Exports of a sandbox: signed transactions, an EVM, and the service's own paging. */
import * as Range from "@effect-klaytn/history/Range"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Generator from "@effect-klaytn/sandbox/Generator"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Exports from "../src/Exports.js"
import * as Plan from "../src/Plan.js"
import type { Row } from "../src/Row.js"
import * as Memory from "./support/memory.js"

const start = 1_700_000_000
const service = Sandbox.layer({ seed: "exports", clock: { start, step: 600 } })
const client = TransferHistory.layer().pipe(
  Layer.provide(Sandbox.clientConfig(1001)),
  Layer.provide(FetchHttpClient.layer)
)

layer(Layer.provideMerge(client, service), { excludeTestServices: true })("an export of the sandbox", (it) => {
  it.effect("ends by the time of its chain, which has a clock of its own", () =>
    Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const range = yield* Range.time({ from: start, to: start + 10 })
      const plan = yield* Plan.make({ accounts: [`0x${"ab".repeat(20)}`], range })
      const { timestamp } = yield* chains.chain(1001).head
      assert.isAtMost(Math.abs((yield* Exports.settled(plan)) - (timestamp - 60)), 1)
    }))

  it.effect("has what the searches of its accounts have, and what they share once", () =>
    Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const { accounts } = yield* Generator.generate(chains.chain(1001), {
        seed: "exports",
        transfers: 900,
        accounts: 8
      })
      const exported = accounts.slice(0, 4).map(({ address }) => address)
      const range = yield* Range.time({ from: start, to: start + 180 * 86_400 })
      const history = yield* TransferHistory.TransferHistory
      const amounts = new Map<string, number>()
      for (const address of exported) {
        yield* history.getTransfersByEoa.items({ address, range }).pipe(Stream.runForEach((transfer) => {
          if (transfer._tag === "UnknownTransfer") return Effect.dieMessage("the sandbox has no such record")
          const sides = new Set([transfer.from, transfer.to].filter((side) => exported.some((one) => one === side)))
          const part = 1 / sides.size
          amounts.set(transfer._tag, (amounts.get(transfer._tag) ?? 0) + part)
          return Effect.void
        }))
      }
      const memory = Memory.make()
      const plan = yield* Plan.make({ accounts: exported, range, windows: 12, size: 30 })
      const manifest = yield* Exports.run({ plan, sink: memory.sink })
      assert.strictEqual(manifest.complete, "yes")
      const rows = [...memory.rows.values()].filter(({ part }) => part === 0)
      const counted = (kind: string) => rows.filter((row) => row.kind === kind).length
      assert.deepStrictEqual(
        {
          CoinTransfer: counted("coin"),
          FtTransfer: counted("ft"),
          NftTransfer: counted("nft"),
          MtTransfer: counted("mt")
        },
        {
          CoinTransfer: Math.round(amounts.get("CoinTransfer") ?? 0),
          FtTransfer: Math.round(amounts.get("FtTransfer") ?? 0),
          NftTransfer: Math.round(amounts.get("NftTransfer") ?? 0),
          MtTransfer: Math.round(amounts.get("MtTransfer") ?? 0)
        }
      )
      assert.isAbove(manifest.left, 0)

      // A preset of the same accounts is one list, which has the same records, each once, and the calls behind tokens.
      const { id } = yield* chains.chain(1001).addPreset({ name: "exported", accounts: exported, contracts: [] })
      const ofPreset = Memory.make()
      const preset = yield* Plan.make({ presets: [id], range, windows: 3, size: 30 })
      assert.isBelow(Plan.summary(preset).atLeastRequests, Plan.summary(plan).atLeastRequests)
      const whole = yield* Exports.run({ plan: preset, sink: ofPreset.sink })
      assert.deepStrictEqual([whole.complete, whole.left], ["yes", 0])
      const content = (row: Row) => ({ ...row, account: null, window: 0 })
      for (const [id, row] of memory.rows) {
        const same = ofPreset.rows.get(id)
        assert.isNull(same?.account)
        assert.deepStrictEqual(same && content(same), content(row))
      }
      const ofTokens = new Set(rows.filter(({ kind }) => kind !== "coin").map((row) => row.transaction_hash))
      const more = [...ofPreset.rows.values()].filter(({ id }) => !memory.rows.has(id))
      for (const { amount, kind, transaction_hash } of more) {
        assert.deepStrictEqual([kind, amount, ofTokens.has(transaction_hash)], ["coin", "0", true])
      }
      assert.strictEqual(whole.rows, memory.rows.size + more.length)

      // The service's time is years from this machine's, and the range is nearly six months long.
      yield* chains.chain(1001).advanceTime(175 * 86_400)
      const [address = ""] = exported
      const open = yield* Range.time({ from: start })
      const read = (range: Range.Range) =>
        Stream.runCollect(history.getTransfersByEoa.items({ address, range, size: 20 }))
      const all = yield* read(range)
      assert.isAbove(all.length, 40)
      assert.deepStrictEqual(yield* read(open), all)
    }))
})
