import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Database from "@effect-klaytn/engine/Database"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as Payouts from "@effect-klaytn/payouts/Payouts"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { callers } from "../../packages/gateway/src/internal/command.js"
import * as world from "../../packages/gateway/test/support/world.js"

const bob = `0x${"b0".repeat(20)}` as const

it.scopedLive(
  "a payout under one key pays once through a gateway, though its database was lost",
  () =>
    Effect.gen(function*() {
      const node = yield* world.sandbox
      const chain = node.chains.chain(world.chain)
      const database = yield* world.file("index.db")
      const { accessKeyId, secretAccessKey } = yield* callers.add(database, "shop", { rights: ["read", "wallet"] })
      const gateway = yield* world.start({
        node: { url: `${node.url}/rpc/${world.chain}` },
        database,
        chain: world.chain,
        wallet: { feePayerStyle: "paths" }
      })
      const pair = Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")
      const created = yield* world.send(`${gateway.url}/v2/account`, {
        method: "POST",
        headers: { authorization: `Basic ${pair}`, "x-chain-id": "1001", "content-type": "application/json" },
        body: "{}"
      })
      const from: `0x${string}` = JSON.parse(created.text).address
      yield* chain.fund(from, 10n ** 20n)
      const config = Layer.effect(
        ClientConfig.ClientConfig,
        ClientConfig.make({
          chain: world.chain,
          credentials: Credentials.fromPair({ accessKeyId, secretAccessKey: Redacted.make(secretAccessKey) }),
          endpoints: { wallet: gateway.url, node: gateway.url, history: gateway.url },
          feePayerStyle: "paths"
        })
      )
      /** Pays with a database of its own. */
      const pay = (key: string) =>
        Effect.flatMap(
          Payouts.Payouts,
          (payouts) => payouts.pay({ key, from, to: bob, value: 5n, payer: FeeDelegation.sender })
        ).pipe(Effect.provide(
          Payouts.layer({ confirmInterval: "20 millis", pollInterval: "20 millis" }).pipe(
            Layer.provideMerge(Engine.layerRunner({ pollInterval: "20 millis", shutdownTimeout: "100 millis" })),
            Layer.provideMerge(Database.layerSqlite({ file: ":memory:" })),
            Layer.provideMerge(Layer.merge(Layer.orDie(config), FetchHttpClient.layer))
          )
        ))
      const received = Effect.map(
        chain.account(bob),
        Option.match({ onNone: () => 0n, onSome: ({ balance }) => balance })
      )
      const first = yield* pay("invoice-1")
      assert.strictEqual(first.state._tag, "Executed")
      assert.strictEqual(yield* received, 5n)
      const again = yield* pay("invoice-1")
      assert.strictEqual(again.state._tag, "Executed")
      assert.deepStrictEqual(
        "transactionHash" in again.state && again.state.transactionHash,
        "transactionHash" in first.state && first.state.transactionHash
      )
      assert.strictEqual(yield* received, 5n)
      // The nonce that the repeated payment had reserved is free for the next one.
      assert.strictEqual((yield* pay("invoice-2")).state._tag, "Executed")
      assert.strictEqual(yield* received, 10n)
    }),
  60_000
)
