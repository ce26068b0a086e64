import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { page } from "../scripts/methodsTable.js"
import { nodeMethods } from "../src/internal/nodeMethods.js"
import * as Sandbox from "../src/Sandbox.js"
import * as Rpc from "./support/rpc.js"
import { control } from "./support/wire.js"

/** Without the blanks that only line the columns up. */
const squeezed = (text: string): string =>
  text.replace(/ {2,}/g, " ").replace(/\| -+ (?=\|)/g, "| --- ").replace(/-{3,}/g, "---")

describe("The list of methods", () => {
  it("is the one that is written down", () => {
    assert.strictEqual(squeezed(readFileSync(new URL("../METHODS.md", import.meta.url), "utf8")), squeezed(page()))
  })

  it("has every method once, and nothing on both sides", () => {
    assert.strictEqual(new Set(nodeMethods.served).size, nodeMethods.served.length)
    assert.deepStrictEqual(nodeMethods.notServed.filter((name) => nodeMethods.served.includes(name)), [])
  })

  it("leaves out what the service has switched off", () => {
    for (const name of ["newFilter", "newBlockFilter", "getFilterChanges", "getFilterLogs", "uninstallFilter"]) {
      assert.include(nodeMethods.notServed, `klay_${name}`)
      assert.include(nodeMethods.notServed, `eth_${name}`)
    }
  })
})

const sandbox = Sandbox.layer({ seed: "methods", clock: { start: 1_600_000_000, step: 1 } })

const fault = (operation: string, times = 1) =>
  control("POST", "/faults", { operation, times, action: { kind: "answer", status: 429 } })

const batch = (...methods: ReadonlyArray<string>) =>
  Rpc.post(JSON.stringify(methods.map((method, id) => ({ id, method }))))

layer(sandbox, { excludeTestServices: true })("A request to the node", (it) => {
  it.effect("is in the request log with its methods, each once", () =>
    Effect.gen(function*() {
      yield* control("DELETE", "/requests")
      yield* batch("klay_blockNumber", "eth_chainId", "klay_blockNumber", "klay_teleport")
      yield* Rpc.post("{", {}, "/v1/klaytn/")
      const { body } = yield* control("GET", "/requests")
      assert.deepStrictEqual(
        body.map(({ at: _at, durationMillis: _duration, ...rest }: Record<string, unknown>) => rest),
        [
          {
            id: body[0].id,
            method: "POST",
            url: "/v1/klaytn",
            operation: "node.exchange",
            route: "/v1/klaytn",
            rpcMethods: ["klay_blockNumber", "eth_chainId", "klay_teleport"],
            chainId: 1001,
            status: 200
          },
          {
            id: body[1].id,
            method: "POST",
            url: "/v1/klaytn/",
            operation: "node.exchange",
            route: "/v1/klaytn",
            rpcMethods: [],
            chainId: 1001,
            status: 200
          }
        ]
      )
      const { control: own } = yield* Sandbox.Sandbox
      assert.strictEqual((yield* own.requests({ operation: "eth_chainId" })).length, 1)
      assert.strictEqual((yield* own.requests({ operation: "node.exchange" })).length, 2)
      assert.strictEqual((yield* own.requests({ operation: "eth_syncing" })).length, 0)
    }))

  it.effect("is hit by a fault for one of its methods, and by one for all of them", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* fault("klay_gasPrice")).status, 200)
      assert.strictEqual((yield* batch("klay_blockNumber", "kaia_gasPrice")).status, 200)
      assert.strictEqual((yield* batch("klay_blockNumber", "klay_gasPrice")).status, 429)
      assert.strictEqual((yield* batch("klay_blockNumber", "klay_gasPrice")).status, 200)
      assert.strictEqual((yield* fault("node.exchange")).status, 200)
      assert.strictEqual((yield* batch("net_version")).status, 429)
      assert.strictEqual((yield* batch("net_version")).status, 200)
    }))

  it.effect("has no fault for a method that is not served", () =>
    Effect.gen(function*() {
      const { body, status } = yield* fault("klay_newFilter")
      assert.strictEqual(status, 400)
      assert.strictEqual(
        body.message,
        "the node has no method \"klay_newFilter\"; klaytn sandbox methods lists them"
      )
    }))
})
