import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Chains from "../src/Chains.js"
import * as ControlClient from "../src/ControlClient.js"
import * as Sandbox from "../src/Sandbox.js"
import { ask, control } from "./support/wire.js"

const accountId = "f1a2b3c4-0000-4000-8000-000000000000"
const begin = 1_600_000_000

const run = <A, E>(test: Effect.Effect<A, E, Sandbox.Sandbox>, options: Sandbox.Options = {}) =>
  Effect.provide(test, Sandbox.layer({ seed: "control", accountId, clock: { start: begin, step: 1 }, ...options }))

const pool = (name: string, chainId = 1001) => ({
  name,
  accounts: `krn:${chainId}:wallet:${accountId}:account-pool:${name}`,
  feePayers: `krn:${chainId}:wallet:${accountId}:feepayer-pool:${name}`,
  keys: `krn:${chainId}:wallet:${accountId}:key-pool:${name}`
})

describe("The controls of the wallet", () => {
  it.effect("make pools of one chain, as often as they are asked", () =>
    run(Effect.gen(function*() {
      const { control: controls } = yield* Sandbox.Sandbox
      assert.deepStrictEqual(yield* controls.chain(1001).pools, [pool("default")])
      for (let i = 0; i < 2; i++) {
        const made = yield* control("POST", "/chains/1001/pools", { name: "shop" })
        assert.deepStrictEqual(made, { status: 200, body: pool("shop") })
      }
      assert.deepStrictEqual(yield* control("GET", "/chains/1001/pools"), {
        status: 200,
        body: [pool("shop"), pool("default")]
      })
      assert.deepStrictEqual(yield* controls.chain(8217).pools, [pool("default", 8217)])
      const { body } = yield* ask("POST", "/v2/feepayer", undefined, { "x-krn": pool("shop").feePayers })
      assert.deepStrictEqual(body.krn, pool("shop").feePayers)
      for (const name of ["", "a:b", "a b", "a,b", "x".repeat(65)]) {
        const { body, status } = yield* control("POST", "/chains/1001/pools", { name })
        assert.deepStrictEqual([status, body._tag], [400, "InvalidControl"])
      }
    })))

  it.effect("refuse to start with a pool that can have no resource name", () =>
    Effect.gen(function*() {
      const failed = yield* Effect.flip(Effect.scoped(Sandbox.make({ pools: ["a:b"] })))
      assert.deepStrictEqual(failed.reason, "Pool")
    }))

  it.scoped("find the global fee payer rich in a database that was made before it, too", () =>
    Effect.gen(function*() {
      const at = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "wallet-control-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const database = join(at, "sandbox.db")
      yield* Effect.scoped(Chains.make({ database }))
      yield* run(
        Effect.gen(function*() {
          const { control: controls } = yield* Sandbox.Sandbox
          assert.deepStrictEqual((yield* controls.chain(1001).globalFeePayer).balance, 0n)
          assert.deepStrictEqual((yield* ask("POST", "/v2/feepayer")).status, 200)
          const { balance, fees } = yield* controls.chain(1001).globalFeePayer
          assert.deepStrictEqual(balance + (fees[0]?.paid ?? 0n), 10n ** 27n)
        }),
        { database }
      )
    }))

  it.effect("show what the global fee payer has paid, and that a revert takes it back", () =>
    run(Effect.gen(function*() {
      const { control: controls, chains, url } = yield* Sandbox.Sandbox
      const { globalFeePayer } = controls.chain(1001)
      const fresh = yield* globalFeePayer
      assert.deepStrictEqual(fresh.fees, [])
      assert.deepStrictEqual(fresh.balance, 10n ** 27n)
      const snapshot = yield* chains.chain(1001).snapshot
      const { body: payer } = yield* ask("POST", "/v2/feepayer")
      const paid = yield* globalFeePayer
      const [fee] = paid.fees
      assert.deepStrictEqual(paid.fees.length, 1)
      const sender = PublicKey.toAddress(payer.publicKey)
      assert.deepStrictEqual([fee?.from, fee?.typeInt, fee?.blockNumber, fee?.timestamp], [
        sender.ok ? sender.value : "0x",
        33,
        1,
        begin + 1
      ])
      assert.isAbove(Number(fee?.paid), 0)
      assert.deepStrictEqual(paid.balance, fresh.balance - (fee?.paid ?? 0n))
      const client = yield* Effect.provide(ControlClient.make(url), FetchHttpClient.layer)
      assert.deepStrictEqual(yield* client.chain.globalFeePayer({ path: { chainId: 1001 } }), paid)
      yield* chains.chain(1001).revert(snapshot)
      assert.deepStrictEqual(yield* globalFeePayer, fresh)
    })))
})
