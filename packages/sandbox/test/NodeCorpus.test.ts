import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import * as Sandbox from "../src/Sandbox.js"
import * as DevRpc from "./support/devRpc.js"

const Row = Schema.parseJson(Schema.Struct({
  label: Schema.String,
  method: Schema.String,
  params: Schema.Array(Schema.Unknown),
  result: Schema.optional(Schema.Unknown),
  error: Schema.optional(Schema.Struct({ code: Schema.Number, message: Schema.String })),
  receipt: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  sender: Schema.optional(Schema.Struct({ from: Schema.String, nonce: Schema.Number }))
}))
type Row = typeof Row.Type

const lines = readFileSync(new URL("corpus/node-2.2.1.jsonl", import.meta.url), "utf8").trim().split("\n")
const { funded } = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ funded: Schema.Array(Schema.String) })))(
  lines[0]
)
const rows = lines.slice(1).map((line) => Schema.decodeUnknownSync(Row)(line))

/** A question about parameters goes by what was asked, and anything else by its label; the second of a label has its number. */
const nameOf = (row: Row): string => {
  if (row.label === "params") return `${row.method} ${JSON.stringify(row.params)}`
  const at = rows.filter(({ label }) => label === row.label).indexOf(row)
  return at === 0 ? row.label : `${row.label} #${at + 1}`
}

/** What the sandbox answers in another way, and why. */
const different: ReadonlyMap<string, string> = new Map([
  [
    `kaia_call [{"to":"0xfbaa1db430284931fe7376eef93eb3b653080ca0","data":"0x01"},"latest",null]`,
    "calls of all namespaces take overrides"
  ],
  [
    `eth_estimateComputationCost [{"from":"0x9bedf3fca3eb220f358cb4a8cfaf1a7035c8c163","to":"0xfbaa1db430284931fe7376eef93eb3b653080ca0"},"latest"]`,
    "older nodes had it"
  ],
  [`kaia_gasPriceAt ["latest"]`, "the service has it"]
])

/** The receipt of a transaction, as far as the corpus has it; it is in the next block. */
const receiptOf = (hash: unknown) =>
  Effect.gen(function*() {
    yield* DevRpc.call("evm_mine")
    const receipt = yield* DevRpc.object("kaia_getTransactionReceipt", hash)
    const { contractAddress, gasUsed, logs, status, txError } = receipt
    return {
      status,
      gasUsed,
      ...(txError !== undefined && { txError }),
      logs: Array.isArray(logs) ? logs.length : logs,
      contractAddress
    }
  })

const prepare = ({ sender }: Row) =>
  Effect.gen(function*() {
    if (sender === undefined) return
    const nonce = BigInt(yield* DevRpc.text("kaia_getTransactionCount", sender.from, "pending"))
    if (nonce < sender.nonce) yield* DevRpc.call("anvil_setNonce", sender.from, `0x${sender.nonce.toString(16)}`)
  })

/** Asks what the node was asked, and gives both answers if they differ. */
const compare = (row: Row) =>
  Effect.gen(function*() {
    yield* prepare(row)
    const { text } = yield* DevRpc.post(
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: row.method, params: row.params })
    )
    const { error, result } = JSON.parse(text)
    const receipt = row.receipt === undefined || error !== undefined ? undefined : yield* receiptOf(result)
    const ours = error === undefined ? { result, receipt } : { error: { code: error.code, message: error.message } }
    const theirs = row.error === undefined ? { result: row.result, receipt: row.receipt } : { error: row.error }
    try {
      assert.deepStrictEqual<unknown>(ours, theirs)
      return []
    } catch {
      return [{ name: nameOf(row), row: `${row.method} ${JSON.stringify(row.params).slice(0, 120)}`, theirs, ours }]
    }
  })

layer(Sandbox.layer({ seed: "corpus", clock: { start: 1_600_000_000, step: 1 }, mining: "manual" }), {
  excludeTestServices: true
})("A node's answers", (it) => {
  it.effect("are the sandbox's, but for a table with its reasons", () =>
    Effect.gen(function*() {
      for (const address of funded) yield* DevRpc.call("anvil_setBalance", address, "0x152d02c7e14af6800000")
      yield* DevRpc.call("evm_mine")
      const found = (yield* Effect.forEach(rows, compare)).flat()
      const unexpected = found.filter(({ name }) => !different.has(name))
      assert.deepStrictEqual(unexpected, [])
      assert.sameMembers(found.map(({ name }) => name), [...different.keys()])
    }), 300_000)
})
