import * as Address from "@effect-klaytn/core/Address"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import type { ConfigError } from "effect/ConfigError"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Client from "../../../core/test/support/client.js"
import * as Accounts from "../../src/Accounts.js"
import * as FeeDelegation from "../../src/FeeDelegation.js"
import * as Fees from "../../src/Fees.js"
import * as Keys from "../../src/Keys.js"
import * as Migration from "../../src/Migration.js"
import * as Multisig from "../../src/Multisig.js"
import * as NonceSource from "../../src/NonceSource.js"
import * as OldKey from "../../src/OldKey.js"
import * as Resources from "../../src/Resources.js"
import * as SpendPolicy from "../../src/SpendPolicy.js"
import * as TransactionLookup from "../../src/TransactionLookup.js"
import * as Transactions from "../../src/Transactions.js"
import * as Wallet from "../../src/Wallet.js"
import * as Chain from "../support/chain.js"
import * as Old from "../support/old.js"
import * as Records from "../support/records.js"

const { alice, bob } = Records

const complete = {
  KLAYTN_CHAIN_ID: "1001",
  KLAYTN_ACCESS_KEY_ID: "KASK0EXAMPLE",
  KLAYTN_SECRET_ACCESS_KEY: "not-a-secret",
  KLAYTN_WALLET_URL: "http://127.0.0.1:8080/wallet",
  KLAYTN_NODE_URL: "http://127.0.0.1:8080/node",
  KLAYTN_RESOURCE_URL: "http://127.0.0.1:8080/resource",
  KLAYTN_POOL: Records.poolText
}

type Variables = Readonly<Record<string, string>>

const without = (...names: ReadonlyArray<string>): Variables =>
  Object.fromEntries(Object.entries(complete).filter(([name]) => !names.includes(name)))

const page = Testing.json(200, { items: [], cursor: "" })

const send = { from: alice, to: bob, value: 1n, payer: FeeDelegation.service, nonce: 7 }

/** Uses a service through its door, in an environment, on a wire. */
type Use = (variables: Variables, wire: Testing.Wire) => Effect.Effect<unknown, unknown>

const through = <I, E>(
  layer: Layer.Layer<I, ConfigError | InvalidInput, HttpClient.HttpClient>,
  use: Effect.Effect<unknown, E, I>
): Use =>
(variables, wire) =>
  use.pipe(
    Effect.provide(Layer.provide(layer, Layer.succeed(HttpClient.HttpClient, wire.client))),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables))))
  )

const address = Effect.orDie(Address.make(alice))

const doors: ReadonlyArray<readonly [name: string, url: string, use: Use, request: RegExp]> = [
  [
    "Wallet",
    "KLAYTN_WALLET_URL",
    through(Wallet.layerConfig(), Effect.flatMap(Wallet.Wallet, (wallet) => wallet.getAccounts({}))),
    /^GET \/wallet\/v2\/account$/
  ],
  [
    "Accounts",
    "KLAYTN_WALLET_URL",
    through(Accounts.layerConfig(), Effect.flatMap(Accounts.Accounts, (_) => Effect.either(_.countAccounts))),
    /^GET \/wallet\/v2\/stat\/count$/
  ],
  [
    "Keys",
    "KLAYTN_WALLET_URL",
    through(Keys.layerConfig(), Effect.flatMap(Keys.Keys, (_) => _.getKeys({ pool: Records.pool }))),
    /^GET \/wallet\/v2\/key\?/
  ],
  [
    "Multisig",
    "KLAYTN_WALLET_URL",
    through(
      Multisig.layerConfig(),
      Effect.flatMap(Multisig.Multisig, (_) => _.getPendingTransactions({ address: alice }))
    ),
    /^GET \/wallet\/v2\/multisig\/account\/0x[0-9a-f]{40}\/tx$/
  ],
  [
    "Fees",
    "KLAYTN_WALLET_URL",
    through(Fees.layerConfig(), Effect.flatMap(Fees.Fees, (_) => _.getChargedFees({}))),
    /^GET \/wallet\/v2\/history\/fd\/tx$/
  ],
  [
    "Transactions",
    "KLAYTN_WALLET_URL",
    through(
      Transactions.layerConfig({ policy: SpendPolicy.unlimited }),
      Effect.flatMap(Transactions.Transactions, (transactions) =>
        Effect.either(transactions.send({
          request: { _tag: "Value", from: alice, to: bob, value: 1n },
          payer: FeeDelegation.service,
          nonce: 7
        })))
    ),
    /^POST \/wallet\/v2\/tx\/value$/
  ],
  [
    "TransactionLookup",
    "KLAYTN_WALLET_URL",
    through(
      TransactionLookup.layerConfig(),
      Effect.flatMap(
        TransactionLookup.TransactionLookup,
        (lookup) => Effect.either(Effect.flatMap(address, (one) => lookup.nextNonce(one)))
      )
    ),
    /^POST \/node\/v1\/klaytn$/
  ],
  [
    "Migration",
    "KLAYTN_WALLET_URL",
    through(
      Migration.layerConfig(),
      Effect.flatMap(Migration.Migration, (migration) =>
        Effect.either(Stream.runDrain(
          migration.migrateAccounts([{ address: Old.oldAddress, oldKey: OldKey.single(Redacted.make(Old.oldKey)) }])
        )))
    ),
    /^POST \/node\/v1\/klaytn$/
  ],
  [
    "Resources",
    "KLAYTN_RESOURCE_URL",
    through(
      Resources.layerConfig(),
      Effect.flatMap(Resources.Resources, (_) => _.getResources({ accountId: "local" }))
    ),
    /^GET \/resource\/v1\/resource\/account\/local$/
  ]
]

describe("a door that is configured from the environment", () => {
  it.effect.each(doors)(
    "opens %s, with the addresses, credential and chain that stand there",
    ([, , use, request]) =>
      Effect.gen(function*() {
        const wire = Testing.wire(page)
        yield* use(complete, wire)
        const [first] = wire.sent
        assert.match(`${first?.method} ${first?.url.replace("http://127.0.0.1:8080", "")}`, request)
        assert.strictEqual(first?.headers["x-chain-id"], "1001")
        assert.strictEqual(first?.headers["authorization"], `Basic ${btoa("KASK0EXAMPLE:not-a-secret")}`)
      })
  )

  it.effect.each(doors)(
    "does not open %s without the address of its service, and names the variable",
    ([, url, use]) =>
      Effect.gen(function*() {
        const wire = Testing.wire()
        const failed = String(yield* Effect.flip(use(without(url), wire)))
        assert.include(failed, url)
        assert.strictEqual(wire.sent.length, 0)
      })
  )

  it.effect.each(doors)(
    "does not open %s with a variable that is missing or bad, and shows nothing of it",
    ([, url, use]) =>
      Effect.gen(function*() {
        const wire = Testing.wire()
        const cases: ReadonlyArray<readonly [name: string, variables: Variables]> = [
          ["KLAYTN_CHAIN_ID", without("KLAYTN_CHAIN_ID")],
          ["KLAYTN_SECRET_ACCESS_KEY", without("KLAYTN_SECRET_ACCESS_KEY")],
          [url, { ...complete, [url]: "http://hunter2.example" }],
          ["KLAYTN_POOL", { ...complete, KLAYTN_POOL: "krn:hunter2" }],
          ["KLAYTN_POOL", { ...complete, KLAYTN_CHAIN_ID: "8217" }]
        ]
        for (const [name, variables] of cases) {
          const failed = String(yield* Effect.flip(use(variables, wire)))
          assert.include(failed, name)
          assert.notInclude(failed, "hunter2")
        }
        assert.strictEqual(wire.sent.length, 0)
      })
  )

  it.effect("takes defaults of behaviour from code", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.silence)
      const slow = through(
        Wallet.layerConfig({ attemptTimeout: "1 second", deadline: "2 seconds" }),
        Effect.flatMap(Wallet.Wallet, (wallet) => wallet.createAccount)
      )
      const failed = yield* Effect.flip(slow(complete, wire)).pipe(Client.within("1 second"))
      assert.include(String(failed), "OutcomeUnknown")
    }))
})

describe("two configurations in one program", () => {
  const configured = (chain: "1001" | "8217") =>
    ConfigProvider.fromMap(
      new Map(
        Object.entries({
          ...without("KLAYTN_POOL"),
          KLAYTN_CHAIN_ID: chain,
          KLAYTN_WALLET_URL: `http://127.0.0.1:8080/${chain}`
        })
      )
    )

  /** Builds a layer in an environment of its own, all of them in one memory of layers. */
  const built = <I, E>(
    layer: Layer.Layer<I, E, HttpClient.HttpClient>,
    wire: Testing.Wire,
    memory: Layer.MemoMap,
    scope: Scope.Scope,
    chain: "1001" | "8217"
  ) =>
    Layer.buildWithMemoMap(layer, memory, scope).pipe(
      Effect.provideService(HttpClient.HttpClient, wire.client),
      Effect.withConfigProvider(configured(chain))
    )

  it.effect("are two wallets, each with its chain, its host and its policy", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(200, { ...Records.result, nonce: 7, value: "0x1" }))
      const memory = yield* Layer.makeMemoMap
      const scope = yield* Effect.scope
      const strict = yield* built(
        Wallet.layerConfig({ policy: { maxPerTransaction: 0n } }),
        wire,
        memory,
        scope,
        "1001"
      )
      const open = yield* built(Wallet.layerConfig({ policy: SpendPolicy.unlimited }), wire, memory, scope, "8217")
      const refused = yield* Effect.flip(Context.get(strict, Wallet.Wallet).sendValue(send))
      assert.strictEqual(refused._tag === "NotSent" ? refused.reason._tag : refused._tag, "SpendRefused")
      yield* Context.get(open, Wallet.Wallet).sendValue(send)
      yield* Context.get(strict, Wallet.Wallet).getAccounts({}).pipe(Effect.either)
      assert.deepStrictEqual(
        wire.sent.map(({ headers, url }) => [headers["x-chain-id"], new URL(url).pathname.split("/")[1]]),
        [["8217", "8217"], ["1001", "1001"]]
      )
    }).pipe(Effect.scoped))

  it.effect.each(doors)("are two clients through the door of %s", ([, , use]) =>
    Effect.gen(function*() {
      const wires = [Testing.wire(page), Testing.wire(page)] as const
      yield* use(complete, wires[0])
      yield* use({ ...without("KLAYTN_POOL"), KLAYTN_CHAIN_ID: "8217" }, wires[1])
      assert.deepStrictEqual(wires.map(({ sent }) => sent[0]?.headers["x-chain-id"]), ["1001", "8217"])
    }))
})

describe("a layer", () => {
  const live = <I, E>(layer: Layer.Layer<I, E, HttpClient.HttpClient>, wire: Testing.Wire) =>
    Layer.provide(layer, Layer.succeed(HttpClient.HttpClient, wire.client))

  const environment = Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(complete))))

  it.effect("of the wallet takes its policy as rules, and refuses what they refuse", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const layer = live(Wallet.layerConfig({ policy: { chains: [8217] } }), wire)
      const refused = yield* Effect.flatMap(Wallet.Wallet, (wallet) => Effect.flip(wallet.sendValue(send))).pipe(
        Effect.provide(layer),
        environment
      )
      assert.strictEqual(refused._tag === "NotSent" ? refused.reason._tag : refused._tag, "SpendRefused")
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("of nonces starts an account behind everything that waits at the node", () =>
    Effect.gen(function*() {
      const wire = Chain.make({ blocks: [[Chain.payment(0)], [Chain.payment(1)]], waiting: [Chain.payment(2)] })
      const layer = Layer.provide(NonceSource.layer(), live(TransactionLookup.layerConfig(), wire))
      const taken = yield* Effect.gen(function*() {
        const nonces = yield* NonceSource.NonceSource
        const one = yield* address
        return [yield* nonces.reserve(one), yield* nonces.reserve(one)]
      }).pipe(Effect.provide(layer), environment)
      assert.deepStrictEqual(taken, [3, 4])
      // In blocks and with what waits, three times: what waits is nothing that the source knows of.
      assert.strictEqual(wire.sent.length, 6)
    }))
})
