import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { agreeNear, takes } from "../../../core/test/support/agreement.js"
import { page } from "../../scripts/methodsTable.js"
import * as Method from "../../src/Method.js"
import * as Methods from "../../src/Methods.js"
import { accounts } from "../golden/accounts.js"
import { blocks } from "../golden/blocks.js"
import { chain } from "../golden/chain.js"
import { eth } from "../golden/eth.js"
import { gas } from "../golden/gas.js"
import { logs } from "../golden/logs.js"
import type { Row } from "../golden/row.js"
import { transactions } from "../golden/transactions.js"
import * as Node from "../support/node.js"

const groups = { accounts, blocks, transactions, gas, chain, logs, eth }
const rows: ReadonlyArray<Row> = Object.values(groups).flat()

/** Without the blanks that only line the columns up. */
const squeezed = (text: string): string =>
  text.replace(/ {2,}/g, " ").replace(/\| -+ (?=\|)/g, "| --- ").replace(/-{3,}/g, "---")

describe.each(Object.entries(groups))("the methods of %s", (_, group) => {
  it.effect.each(group.map((row) => [row[0], row] as const))(
    "%s",
    ([method, [, call, params, result, expected]]) =>
      Effect.gen(function*() {
        const wire = Testing.wire(Node.body(`{"jsonrpc":"2.0","id":1,"result":${result}}`))
        const node = yield* Node.make(wire)
        const answer = yield* call(node)
        assert.strictEqual(Node.onlyBody(wire), `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`)
        assert.deepStrictEqual(answer, expected)
      })
  )

  it.each(group)("and %s read their answers as their schemas do, good or nearly good", (name, _, __, result) => {
    // A list of methods keeps their results without their types; some share a name.
    const schemas = Methods.all.filter((method) => Method.wireName(method) === name)
      .map((method) => method.result as Schema.Schema<unknown, unknown>)
    const value = Either.getOrThrow(JsonRpc.parse(result))
    assert.isTrue(schemas.some((schema) => takes(schema, value)))
    for (const schema of schemas) agreeNear(schema, value, 60)
  })
})

describe("the table of methods", () => {
  it("has a golden request and a literal answer for every method", () => {
    const count = (names: ReadonlyArray<string>) => {
      const counts = new Map<string, number>()
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
      return counts
    }
    const covered = count(rows.map(([method]) => method))
    const missing = [...count(Methods.all.map((method) => Method.wireName(method)))]
      .filter(([name, times]) => (covered.get(name) ?? 0) < times)
    assert.deepStrictEqual(missing, [])
  })

  it("is the one that is written down", () => {
    assert.strictEqual(squeezed(readFileSync(new URL("../../METHODS.md", import.meta.url), "utf8")), squeezed(page()))
  })

  it.effect("goes out as kaia if the client is set so, and only the chain's own methods do", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Node.node(() => ({ result: "0x1" })))
      const node = yield* Node.make(wire, { namespace: "kaia" })
      yield* node.klay.blockNumber()
      yield* node.eth.blockNumber()
      yield* node.net.peerCount()
      assert.deepStrictEqual(Node.methods(wire), [["kaia_blockNumber"], ["eth_blockNumber"], ["net_peerCount"]])
    }))

  it("knows what may be repeated by either name", () => {
    assert.strictEqual(Methods.safetyOf("klay_getBalance"), "safe")
    assert.strictEqual(Methods.safetyOf("kaia_getBalance"), "safe")
    assert.strictEqual(Methods.safetyOf("kaia_sendRawTransaction"), "keyed")
    assert.strictEqual(Methods.safetyOf("eth_getFilterChanges"), "once")
    assert.strictEqual(Methods.safetyOf("klay_teleport"), undefined)
  })
})
