import * as Address from "@effect-klaytn/core/Address"
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Krn from "@effect-klaytn/core/Krn"
import * as PrivateKey from "@effect-klaytn/transaction/PrivateKey"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import * as HttpClient from "@effect/platform/HttpClient"
import * as KeyValueStore from "@effect/platform/KeyValueStore"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { inspect } from "node:util"
import * as Client from "../../core/test/support/client.js"
import * as Wire from "../../core/test/support/wire.js"
import * as Key from "../src/Key.js"
import * as Migration from "../src/Migration.js"
import * as MigrationJournal from "../src/MigrationJournal.js"
import type { MigrationProgress } from "../src/MigrationProgress.js"
import * as OldKey from "../src/OldKey.js"
import * as Pool from "../src/Pool.js"
import { equal, has } from "./support/assertions.js"
import * as Old from "./support/old.js"
import * as Records from "./support/records.js"
import * as Service from "./support/service.js"

interface Script {
  /** Accounts that the wallet has. */
  readonly known?: ReadonlyArray<object & { readonly address: string }>
  readonly key?: Wire.Step
  readonly register?: Wire.Step
  readonly accountKey?: unknown
  readonly nonce?: string
}

const registered = Wire.json(200, { status: "ok" })

/** A service that creates keys, registers, and knows some accounts; and a node. */
const wireOf = (script: Script) => {
  let keys = 0
  return Wire.make((sent) => {
    const path = sent.url.replace("http://127.0.0.1:8080", "")
    if (path === "/node/v1/klaytn") {
      const { method } = JSON.parse(sent.body ?? "{}")
      const result = method === "klay_gasPrice"
        ? "0x5d21dba00"
        : method === "klay_getAccountKey"
        ? script.accountKey ?? { keyType: 1, key: {} }
        : script.nonce ?? "0x0"
      return Wire.json(200, { jsonrpc: "2.0", id: 1, result })(sent)
    }
    if (sent.method === "GET") {
      const account = script.known?.find(({ address }) => path.endsWith(address.toLowerCase()))
      return (account === undefined ? Service.noData : Wire.json(200, account))(sent)
    }
    if (path === "/wallet/v2/key") {
      const { size } = JSON.parse(sent.body ?? "{}")
      const items = Array.from({ length: size }, () => Records.key(keys++))
      return (script.key ?? Wire.json(200, { items }))(sent)
    }
    return (script.register ?? registered)(sent)
  })
}

const writes = (wire: Wire.Wire) =>
  Service.requests(wire).filter((one) => !one.startsWith("GET") && !one.includes("/node/"))

const make = (
  wire: Wire.Wire,
  { journal, policy, ...more }: Service.More & { readonly journal?: MigrationJournal.Service } = {}
) => {
  const made = Migration.make({ policy }).pipe(
    Effect.provide(ClientConfig.layer({ ...Client.options, ...Service.withNode, ...more })),
    Effect.provideService(HttpClient.HttpClient, wire.client)
  )
  return journal === undefined ? made : Effect.provideService(made, MigrationJournal.MigrationJournal, journal)
}

const journal = Effect.map(
  Effect.provide(KeyValueStore.KeyValueStore, KeyValueStore.layerMemory),
  MigrationJournal.make
)

const single = OldKey.single(Redacted.make(Old.oldKey))

const one: Migration.AccountInput = { address: Old.oldAddress, oldKey: single }

/** Accounts of fresh keys. */
const many = (count: number): ReadonlyArray<Migration.AccountInput> =>
  Array.from({ length: count }, (_, index) => {
    const key = `0x${(index + 1).toString(16).padStart(64, "0")}` as const
    const address = PrivateKey.toAddress(key)
    return { address: address.ok ? address.value : "", oldKey: OldKey.single(Redacted.make(key)) }
  })

const run = (migration: Migration.Service, accounts: ReadonlyArray<Migration.AccountInput>) =>
  Stream.runCollect(migration.migrateAccounts(accounts)).pipe(Effect.map((all) => [...all]))

const tags = (all: ReadonlyArray<MigrationProgress>) => all.map(({ _tag }) => _tag)

describe("a migration", () => {
  it.effect("creates a key, signs the account update of the vectors, and registers", () =>
    Effect.gen(function*() {
      const wire = wireOf({})
      const all = yield* run(yield* make(wire), [one])
      assert.deepStrictEqual(tags(all), ["KeyAssigned", "Signed", "Registered"])
      has(all[1] ?? {}, {
        address: Old.oldAddress,
        nonce: 0,
        rlp: Old.rlp[1001],
        senderTxHash: Old.senderTxHash
      })
      assert.deepStrictEqual(writes(wire), [
        "POST /wallet/v2/key {\"size\":1}",
        `POST /wallet/v2/registration/account [{"keyId":"${Records.key().keyId}","address":"${Old.oldChecksum}","rlp":"${
          Old.rlp[1001]
        }"}]`
      ])
    }))

  it.effect("signs for the chain of the client, with the nonce and gas price that are given, without a node", () =>
    Effect.gen(function*() {
      const mainnet = (index: number) => {
        const key = Records.key(index)
        return { ...key, krn: key.krn.replace("1001", "8217"), keyId: key.keyId.replace("1001", "8217") }
      }
      const wire = wireOf({ key: Wire.json(200, { items: [mainnet(0)] }) })
      const migration = yield* make(wire, {
        chain: 8217,
        endpoints: { wallet: Service.base },
        policy: { opaque: "allow" }
      })
      const all = yield* Stream.runCollect(
        migration.migrateAccounts([{ ...one, nonce: 0 }], { gasPrice: 25_000_000_000n })
      )
      const signed = [...all].find(({ _tag }) => _tag === "Signed")
      has(signed ?? {}, { rlp: Old.rlp[8217] })
    }))

  it.effect("leaves alone what the wallet has already", () =>
    Effect.gen(function*() {
      const wire = wireOf({ known: [Old.migrated] })
      const all = yield* run(yield* make(wire), [one])
      assert.deepStrictEqual(tags(all), ["AlreadyMigrated"])
      assert.deepStrictEqual(writes(wire), [])
    }))

  it.effect("creates nothing for an account that the old keys don't open", () =>
    Effect.gen(function*() {
      const wire = wireOf({})
      const all = yield* run(yield* make(wire), [{ ...one, oldKey: OldKey.single(Redacted.make(Old.otherKey)) }])
      assert.deepStrictEqual(tags(all), ["Failed"])
      has(all[0] ?? {}, { step: "check", address: Old.oldAddress })
      assert.deepStrictEqual(writes(wire), [])
    }))

  it.effect("signs with all keys of a multisig account, and with the account-update role", () =>
    Effect.gen(function*() {
      const point = (key: `0x${string}`) => {
        const compressed = PrivateKey.toPublicKey(key)
        const full = compressed.ok ? PublicKey.uncompress(compressed.value) : compressed
        const digits = full.ok ? full.value.slice(4) : ""
        return { x: `0x${digits.slice(0, 64).replace(/^0+/, "")}`, y: `0x${digits.slice(64).replace(/^0+/, "")}` }
      }
      const weighted = {
        keyType: 4,
        key: { threshold: 2, keys: [Old.oldKey, Old.otherKey].map((key) => ({ weight: 1, key: point(key as "0x") })) }
      }
      const both = [Redacted.make(Old.oldKey), Redacted.make(Old.otherKey)]
      const rlps: Array<string> = []
      for (
        const [accountKey, oldKey] of [
          [weighted, OldKey.multiSig(both)],
          [{ keyType: 5, key: [{ keyType: 3, key: {} }, weighted] }, OldKey.roleBased({ accountUpdate: both })]
        ] as const
      ) {
        const all = yield* run(yield* make(wireOf({ accountKey })), [{ ...one, oldKey }])
        assert.deepStrictEqual(tags(all), ["KeyAssigned", "Signed", "Registered"])
        const [, signed] = all
        rlps.push(signed?._tag === "Signed" ? signed.rlp ?? "" : "")
      }
      assert.strictEqual(rlps[0], rlps[1])
      assert.isAbove(rlps[0]?.length ?? 0, Old.rlp[1001].length)
      const short = yield* run(yield* make(wireOf({ accountKey: weighted })), [one])
      assert.deepStrictEqual(tags(short), ["Failed"])
    }))

  it.effect("goes in groups of 100, each with its keys, updates and registration", () =>
    Effect.gen(function*() {
      const wire = wireOf({})
      const all = yield* run(yield* make(wire), many(130))
      assert.strictEqual(all.filter(({ _tag }) => _tag === "Registered").length, 130)
      assert.deepStrictEqual(writes(wire).map((request) => request.slice(0, 40)), [
        "POST /wallet/v2/key {\"size\":100}",
        "POST /wallet/v2/registration/account [{\"",
        "POST /wallet/v2/key {\"size\":30}",
        "POST /wallet/v2/registration/account [{\""
      ])
      const keyIds = all.flatMap((step) => step._tag === "KeyAssigned" ? [step.keyId.hash] : [])
      assert.strictEqual(new Set(keyIds).size, 130)
    }), 60_000)

  it.effect("tells of each account of a partly failed registration", () =>
    Effect.gen(function*() {
      const [first, second] = many(2)
      const failures = { [second?.address ?? ""]: "-32000::invalid transaction v, r, s values of the sender" }
      const wire = wireOf({ register: Wire.json(200, { status: "partially failed", failures }) })
      const all = yield* run(yield* make(wire), many(2))
      assert.deepStrictEqual(
        all.slice(-2).map(({ _tag, address }) => [_tag, address]),
        [["Registered", first?.address], ["Failed", second?.address]] as ReadonlyArray<unknown>
      )
    }))
})

describe("a migration that was stopped", () => {
  it.effect("goes on with the keys it created", () =>
    Effect.gen(function*() {
      const store = yield* journal
      const down = wireOf({ register: Wire.text(502, "") })
      const first = yield* make(down, { journal: store })
      const events: Array<MigrationProgress> = []
      const failed = yield* Effect.flip(
        Stream.runForEach(first.migrateAccounts([one]), (step) => Effect.sync(() => events.push(step)))
      )
      assert.strictEqual(failed._tag, "OutcomeUnknown")
      assert.deepStrictEqual(tags(events), ["KeyAssigned", "Signed", "Unclear"])

      const wire = wireOf({})
      const all = yield* run(yield* make(wire, { journal: store }), [one])
      assert.deepStrictEqual(tags(all), ["KeyAssigned", "Signed", "Registered"])
      has(all[0] ?? {}, { resumed: true })
      assert.deepStrictEqual(writes(wire).length, 1)
      assert.include(writes(wire)[0], Records.key().keyId)
    }))

  it.effect("by who listens, in the middle of a call's keys, creates none twice", () =>
    Effect.gen(function*() {
      const store = yield* journal
      const first = wireOf({})
      const migration = yield* make(first, { journal: store })
      yield* Stream.runDrain(Stream.take(migration.migrateAccounts(many(5)), 2))
      assert.deepStrictEqual(writes(first), ["POST /wallet/v2/key {\"size\":5}"])
      const second = wireOf({})
      const all = yield* run(yield* make(second, { journal: store }), many(5))
      assert.isTrue(all.every((step) => step._tag !== "KeyAssigned" || step.resumed))
      assert.deepStrictEqual(writes(second).length, 1)
    }))

  it.effect("registers without an update what has its new key on the chain", () =>
    Effect.gen(function*() {
      const store = yield* journal
      yield* Effect.exit(run(yield* make(wireOf({ register: Wire.text(502, "") }), { journal: store }), [one]))
      const digits = Records.publicKey.slice(4)
      const accountKey = { keyType: 2, key: { x: `0x${digits.slice(0, 64)}`, y: `0x${digits.slice(64)}` } }
      const wire = wireOf({ accountKey })
      const all = yield* run(yield* make(wire, { journal: store }), [one])
      assert.deepStrictEqual(tags(all), ["KeyAssigned", "Signed", "Registered"])
      has(all[1] ?? {}, { rlp: undefined })
      assert.deepStrictEqual(writes(wire), [
        `POST /wallet/v2/registration/account [{"keyId":"${Records.key().keyId}","address":"${Old.oldChecksum}"}]`
      ])
    }))

  it.effect("looks at the wallet when the answer leaves it open", () =>
    Effect.gen(function*() {
      const known: Array<typeof Old.migrated> = []
      const mine = { ...Old.migrated, keyId: Records.key().keyId, krn: Records.key().krn }
      const unclear = [
        Wire.json(200, { status: "all failed", failures: { [Old.oldChecksum]: "-32000::nonce too low" } }),
        Wire.json(200, { status: "queued" })
      ]
      for (const register of unclear) {
        known.length = 0
        const wire = wireOf({
          known,
          register: (sent) => {
            known.push(mine)
            return register(sent)
          }
        })
        const all = yield* run(yield* make(wire), [one])
        has(all[2] ?? {}, { _tag: "Registered", confirmed: true })
      }
      const without = yield* run(yield* make(wireOf({ register: Wire.json(200, { status: "queued" }) })), [one])
      has(without[2] ?? {}, { _tag: "Unclear" })
      const others: Array<typeof Old.migrated> = []
      const ofAnotherKey = wireOf({
        known: others,
        register: (sent) => {
          others.push({ ...mine, keyId: Records.key(9).keyId })
          return Wire.json(200, { status: "queued" })(sent)
        }
      })
      has((yield* run(yield* make(ofAnotherKey), [one]))[2] ?? {}, { _tag: "Unclear" })
    }))

  it.effect("into a named pool names it in each request to the wallet, the look-ups included", () =>
    Effect.gen(function*() {
      const wire = wireOf({})
      const keyPool = Either.getOrThrow(Krn.make("krn:1001:wallet:local:account-pool:shop"))
      yield* Pool.withPool(run(yield* make(wire), [one]), keyPool)
      const named = wire.sent.filter(({ url }) => url.includes("/wallet/")).map(({ headers }) => headers["x-krn"])
      assert.deepStrictEqual(named, [Krn.format(keyPool), Krn.format(keyPool), Krn.format(keyPool)])
    }))

  it.effect("does not take the key of another host or chain for its own", () =>
    Effect.gen(function*() {
      const store = yield* journal
      const { keyId, publicKey } = yield* Schema.decodeUnknown(Key.Key)(Records.key(77))
      const address = yield* Address.make(Old.oldAddress)
      const entry = {
        version: 1,
        chain: 1001,
        host: "127.0.0.1:8080",
        address,
        keyId,
        publicKey,
        stage: "key"
      } as const
      yield* store.put(new MigrationJournal.Entry({ ...entry, host: "elsewhere.example" }))
      yield* store.put(new MigrationJournal.Entry({ ...entry, chain: 8217 }))
      const wire = wireOf({})
      const all = yield* run(yield* make(wire, { journal: store }), [one])
      has(all[0] ?? {}, { _tag: "KeyAssigned", resumed: false })
      assert.deepStrictEqual(writes(wire).length, 2)
    }))
})

describe("a dry run", () => {
  it.effect("builds and shows everything and changes nothing", () =>
    Effect.gen(function*() {
      const wire = wireOf({ nonce: "0x5" })
      const { alreadyMigrated, failures, previews } = yield* (yield* make(wire)).dryRun([one])
      assert.deepStrictEqual(writes(wire), [])
      equal([alreadyMigrated, failures], [[], []])
      has(previews[0] ?? {}, {
        address: Old.oldAddress,
        nonce: 5,
        gasPrice: 25_000_000_000n,
        mostFee: 25_000_000_000_000_000n,
        signers: [Old.oldAddress],
        accepted: true
      })
      assert.strictEqual(
        previews[0]?.text,
        [
          "Move 0xa94f5374Fce5edBC8E2a8697C15331677e6EbF0B into the wallet on testnet (1001)",
          "  service   127.0.0.1:8080",
          "  nonce     5",
          "  signed by 0xa94f5374Fce5edBC8E2a8697C15331677e6EbF0B",
          "  on chain  these keys are accepted",
          "  key       to be created",
          "  fee       at most 0.025 KLAY (25000000000000000 peb), paid by the service"
        ].join("\n")
      )
    }))

  it.effect("tells what is done already and what would fail", () =>
    Effect.gen(function*() {
      const [other] = many(1)
      const wrong = { ...one, address: other?.address ?? "" }
      const migration = yield* make(wireOf({ known: [Old.migrated] }))
      const { alreadyMigrated, failures, previews } = yield* migration.dryRun([one, wrong])
      assert.deepStrictEqual([alreadyMigrated.length, failures.length, previews.length], [1, 1, 0])
    }))
})

describe("old private keys", () => {
  const secret = Old.oldKey.slice(2)

  it.effect("stand in no event, error, log or request", () =>
    Effect.gen(function*() {
      const texts: Array<string> = []
      const scripts: ReadonlyArray<Script> = [
        {},
        { register: Wire.text(502, "") },
        { key: Wire.text(500, "") },
        { accountKey: { keyType: 3, key: {} } },
        { register: Wire.json(200, { status: "all failed", failures: { [Old.oldChecksum]: "no" } }) }
      ]
      for (const script of scripts) {
        const wire = wireOf(script)
        const migration = yield* make(wire)
        const exit = yield* Effect.exit(
          Stream.runForEach(migration.migrateAccounts([one]), (step) =>
            Effect.sync(() => texts.push(inspect(step, { depth: 20 }))))
        )
        if (exit._tag === "Failure") {
          texts.push(inspect(exit.cause, { depth: 20 }), Cause.pretty(exit.cause))
        }
        texts.push(inspect(yield* migration.dryRun([one]), { depth: 20 }), JSON.stringify(wire.sent))
        texts.push(inspect(migration, { depth: 20, showHidden: true }))
      }
      texts.push(inspect(one, { depth: 20, showHidden: true }), JSON.stringify(one))
      for (const text of texts) {
        assert.notInclude(text.toLowerCase(), secret)
      }
      assert.isAbove(texts.length, 20)
    }))

  it.effect("that are no keys are refused in words that don't repeat them, before anything is sent", () =>
    Effect.gen(function*() {
      const bad = `${Old.oldKey}ff`
      const inputs: ReadonlyArray<unknown> = [
        OldKey.single(Redacted.make(bad)),
        OldKey.single(Redacted.make("hunter2")),
        OldKey.single(Redacted.make(`0x${"0".repeat(64)}`)),
        OldKey.multiSig([]),
        OldKey.roleBased({ accountUpdate: [] }),
        { _tag: "SingleKey", signers: [bad] },
        bad,
        undefined
      ]
      for (const oldKey of inputs) {
        const wire = wireOf({})
        const migration = yield* make(wire)
        const error = yield* Effect.flip(run(migration, [{ ...one, oldKey: oldKey as OldKey.OldKey }]))
        has(error, { _tag: "InvalidInput", path: [0, "oldKey"] })
        assert.notInclude(inspect(error, { depth: 10 }), secret)
        assert.notInclude(inspect(error, { depth: 10 }), "hunter2")
        assert.deepStrictEqual(wire.sent.length, 0)
      }
    }))
})
