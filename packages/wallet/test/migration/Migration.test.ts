import * as Address from "@effect-klaytn/core/Address"
import * as Krn from "@effect-klaytn/core/Krn"
import * as Testing from "@effect-klaytn/core/Testing"
import * as PrivateKey from "@effect-klaytn/transaction/PrivateKey"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { inspect } from "node:util"
import * as Client from "../../../core/test/support/client.js"
import * as Account from "../../src/Account.js"
import type * as Migration from "../../src/Migration.js"
import * as MigrationJournal from "../../src/MigrationJournal.js"
import type { MigrationProgress } from "../../src/MigrationProgress.js"
import * as OldKey from "../../src/OldKey.js"
import * as Pool from "../../src/Pool.js"
import { equal, has } from "../support/assertions.js"
import { journal, make, many, one, questions, run, type Script, tags, wireOf, writes } from "../support/migration.js"
import * as Old from "../support/old.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

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
      const wire = wireOf({ key: Testing.json(200, { items: [mainnet(0)] }) })
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
    }))

  it.effect("tells of each account of a partly failed registration", () =>
    Effect.gen(function*() {
      const [first, second] = many(2)
      const failures = { [second?.address ?? ""]: "-32000::invalid transaction v, r, s values of the sender" }
      const wire = wireOf({ register: Testing.json(200, { status: "partially failed", failures }) })
      const all = yield* run(yield* make(wire), many(2))
      assert.deepStrictEqual(
        all.slice(-2).map(({ _tag, address }) => [_tag, address]),
        [["Registered", first?.address], ["Failed", second?.address]] as ReadonlyArray<unknown>
      )
    }))
})

describe("what a migration is given", () => {
  it.effect("is refused before anything is sent if it can't be, or holds an account twice", () =>
    Effect.gen(function*() {
      const inputs: ReadonlyArray<
        readonly [ReadonlyArray<Migration.AccountInput>, Migration.UpdateOptions, path: ReadonlyArray<unknown>]
      > = [
        [[one, { ...one, address: "0x12" }], {}, [1, "address"]],
        [[one, { ...one, address: Old.oldChecksum }], {}, [1, "address"]],
        [[{ ...one, nonce: -1 }], {}, [0, "nonce"]],
        [[one], { gasLimit: 0 }, ["gasLimit"]],
        [[one], { gasPrice: -1n }, ["gasPrice"]]
      ]
      for (const [accounts, options, path] of inputs) {
        const wire = wireOf({})
        const error = yield* Effect.flip(Stream.runDrain((yield* make(wire)).migrateAccounts(accounts, options)))
        has(error, { _tag: "InvalidInput", path, retrySafe: true })
        assert.strictEqual(wire.sent.length, 0)
      }
    }))

  it.effect("may be no account: then nothing is asked", () =>
    Effect.gen(function*() {
      const wire = wireOf({})
      const migration = yield* make(wire)
      assert.deepStrictEqual(yield* run(migration, []), [])
      equal(yield* migration.dryRun([]), { previews: [], alreadyMigrated: [], failures: [] })
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("lacks a gas price that nobody can be asked for", () =>
    Effect.gen(function*() {
      const wire = wireOf({})
      const migration = yield* make(wire, { endpoints: { wallet: Service.base } })
      const failed = yield* Effect.flip(run(migration, [{ ...one, nonce: 0 }]))
      assert.strictEqual(failed._tag, "LookupFailed")
      assert.include(failed.message, "set endpoints.node, or pass gasPrice")
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("is not asked of the node again: the nonce, the gas price and the gas limit", () =>
    Effect.gen(function*() {
      const wire = wireOf({ nonce: "0x9" })
      const migration = yield* make(wire)
      const given = { gasPrice: 3n, gasLimit: 200_000 }
      const { previews: [preview] } = yield* migration.dryRun([{ ...one, nonce: 4 }], given)
      has(preview ?? {}, { nonce: 4, gasPrice: 3n, gasLimit: 200_000, maxFee: 600_000n })
      const all = yield* Stream.runCollect(migration.migrateAccounts([{ ...one, nonce: 4 }], given))
      has([...all][1] ?? {}, { _tag: "Signed", nonce: 4 })
      assert.deepStrictEqual([...new Set(questions(wire))], ["GET account", "klay_getAccountKey"])
    }))
})

describe("an account of a migration", () => {
  it.effect("is asked about at the node by its address, and no pool of the configuration is named for it", () =>
    Effect.gen(function*() {
      const wire = wireOf({})
      const all = yield* run(yield* make(wire, { pool: Records.pool }), [one])
      has(all[2] ?? {}, { _tag: "Registered", confirmed: false })
      const asked = wire.sent.filter(({ url }) => url.includes("/node/")).map(({ body }) => JSON.parse(body ?? "{}"))
      assert.deepStrictEqual(asked.map(({ method, params }) => [method, params]), [
        ["klay_gasPrice", []],
        ["klay_getAccountKey", [Old.oldAddress, "latest"]],
        ["klay_getTransactionCount", [Old.oldAddress, "latest"]]
      ])
      assert.isTrue(wire.sent.every(({ headers }) => headers["x-krn"] === undefined))
    }))

  it.effect("is checked beside seven others", () =>
    Effect.gen(function*() {
      let underWay = 0
      let most = 0
      const account: Testing.Step = (sent) => {
        most = Math.max(most, ++underWay)
        return Effect.zipRight(Effect.sleep("1 second"), Effect.suspend(() => (underWay--, Service.noData(sent))))
      }
      const migration = yield* make(wireOf({ account }))
      const { previews } = yield* migration.dryRun(many(9)).pipe(Client.within("1 minute"))
      assert.strictEqual(previews.length, 9)
      assert.strictEqual(most, 8)
    }))

  it.effect("that the node can't tell the key of is migrated, unchecked", () =>
    Effect.gen(function*() {
      const migration = yield* make(wireOf({ accountKey: "odd" }))
      const { previews: [preview] } = yield* migration.dryRun([one])
      assert.strictEqual(preview?.accepted, undefined)
      assert.include(preview?.text, "on chain  not checked")
      assert.deepStrictEqual(tags(yield* run(migration, [one])), ["KeyAssigned", "Signed", "Registered"])
    }))

  it.effect("that the wallet has and can't use fails alone", () =>
    Effect.gen(function*() {
      const [first, second] = many(2)
      const refused = Service.refusal(1061510, "account has been already deleted or disabled")
      const wire = wireOf({
        account: (sent) => (sent.url.endsWith(first?.address ?? "-") ? refused : Service.noData)(sent)
      })
      const all = yield* run(yield* make(wire), many(2))
      assert.deepStrictEqual(
        all.map(({ _tag, address }) => [_tag, address]),
        [
          ["Failed", first?.address],
          ["KeyAssigned", second?.address],
          ["Signed", second?.address],
          ["Registered", second?.address]
        ] as ReadonlyArray<unknown>
      )
      has(all[0] ?? {}, { step: "check", result: undefined })
      assert.include(all[0]?._tag === "Failed" ? all[0].problem : "", "already deleted or disabled")
    }))

  it.effect("of which it is not known whether the wallet has it ends the migration", () =>
    Effect.gen(function*() {
      for (
        const [account, tag] of [
          [Testing.json(401, { code: 1010009, message: "no" }), "Unauthorized"],
          [Testing.json(404, { code: 1061999, message: "no such path" }), "NotFound"]
        ] as const
      ) {
        const wire = wireOf({ account })
        const failed = yield* Effect.flip(Stream.runDrain((yield* make(wire)).migrateAccounts([one])))
        assert.strictEqual(failed._tag, tag)
        assert.deepStrictEqual(writes(wire), [])
      }
    }))

  it.effect("gets a key of its own also when fewer come than were asked for", () =>
    Effect.gen(function*() {
      let created = 0
      const wire = wireOf({
        key: (sent) => {
          const size = Math.min(2, JSON.parse(sent.body ?? "{}").size)
          return Testing.json(200, { items: Array.from({ length: size }, () => Records.key(created++)) })(sent)
        }
      })
      const all = yield* run(yield* make(wire), many(5))
      const assigned = all.flatMap((step) => step._tag === "KeyAssigned" ? [[step.address, step.keyId.hash]] : [])
      equal(assigned.map(([address]) => address), many(5).map(({ address }) => address))
      assert.strictEqual(new Set(assigned.map(([, key]) => key)).size, 5)
      assert.strictEqual(all.filter(({ _tag }) => _tag === "Registered").length, 5)
    }))

  it.effect("whose new key can't be used fails at its update, and is not registered", () =>
    Effect.gen(function*() {
      const store = yield* journal
      const broken = { ...Records.key(0), publicKey: `0x04${"00".repeat(64)}` }
      const wire = wireOf({ key: Testing.json(200, { items: [broken] }) })
      const migration = yield* make(wire, { journal: store })
      const all = yield* run(migration, [one])
      assert.deepStrictEqual(tags(all), ["KeyAssigned", "Failed"])
      has(all[1] ?? {}, { step: "sign", address: Old.oldAddress, result: undefined })
      assert.deepStrictEqual(writes(wire), ["POST /wallet/v2/key {\"size\":1}"])
      const { failures, previews } = yield* migration.dryRun([one])
      assert.deepStrictEqual(previews, [])
      equal(failures, [{ address: Old.oldAddress, problem: all[1]?._tag === "Failed" ? all[1].problem : "" }])
    }))

  it.effect("that is refused is told in the service's words, and looked for unless every copy must be refused", () =>
    Effect.gen(function*() {
      const words = "-32000::invalid transaction v, r, s values of the sender"
      const answers: ReadonlyArray<readonly [step: Testing.Step, tag: string, looks: number]> = [
        [Testing.json(200, { status: "all failed", failures: { [Old.oldChecksum]: words } }), "NotRegistered", 2],
        [Service.refusal(1061999, words), "Refused", 2],
        [Service.refusal(1061903, words), "Refused", 1]
      ]
      for (const [register, tag, looks] of answers) {
        const wire = wireOf({ register })
        const [, , failed] = yield* run(yield* make(wire), [one])
        has(failed ?? {}, { _tag: "Failed", step: "register", address: Old.oldAddress })
        if (failed?._tag !== "Failed") return
        assert.strictEqual(failed.result?._tag, tag)
        assert.include(failed.problem, words)
        assert.strictEqual(questions(wire).filter((one) => one === "GET account").length, looks)
      }
    }))

  it.effect("that is refused, and registered by another copy of the request, is registered", () =>
    Effect.gen(function*() {
      const registered = { ...Records.account, address: Old.oldChecksum, keyId: Records.key(0).keyId }
      for (
        const refused of [Service.refusal(1061999, "not today"), Service.refusal(1065001, "no; -32000::txpool is full")]
      ) {
        let asked = 0
        const account: Testing.Step = (sent) => (asked++ === 0 ? Service.noData : Testing.json(200, registered))(sent)
        const all = yield* run(yield* make(wireOf({ account, register: refused })), [one])
        has(all[2] ?? {}, { _tag: "Registered", address: Old.oldAddress, confirmed: true })
      }
    }))

  it.effect("whose registration is unclear and can't be looked up stays unclear", () =>
    Effect.gen(function*() {
      let asked = 0
      const wire = wireOf({
        account: (sent) => (asked++ === 0 ? Service.noData : Testing.text(502, ""))(sent),
        register: Testing.json(200, { status: "queued" })
      })
      const all = yield* run(yield* make(wire, Service.noRetries), [one])
      has(all[2] ?? {}, { _tag: "Unclear", address: Old.oldAddress })
      assert.strictEqual(asked, 2)
    }))
})

describe("a migration that was stopped", () => {
  it.effect("goes on with each account from where it was", () =>
    Effect.gen(function*() {
      const store = yield* journal
      const accounts = many(3)
      const [done, begun, fresh] = accounts
      const key = (index: number) => Records.key(index).keyId
      yield* run(yield* make(wireOf({ register: Testing.json(200, { status: "queued" }) }), { journal: store }), [
        begun ?? one
      ])
      const wire = wireOf({
        known: [{ ...Old.migrated, address: done?.address ?? "" }],
        key: Testing.json(200, { items: [Records.key(8)] })
      })
      const migration = yield* make(wire, { journal: store })
      const { alreadyMigrated, failures, previews } = yield* migration.dryRun(accounts)
      equal([alreadyMigrated.map(({ address }) => address), failures], [[done?.address], []])
      assert.deepStrictEqual(
        previews.map(({ keyId, text }) => [keyId?.hash, /key {7}(.*)/.exec(text)?.[1]]),
        [[key(0).slice(-66), "created by an earlier run"], [undefined, "to be created"]]
      )
      const all = yield* run(migration, accounts)
      assert.deepStrictEqual(
        all.map(({ _tag, address }) => [_tag, address]),
        [
          ["AlreadyMigrated", done?.address],
          ["KeyAssigned", begun?.address],
          ["KeyAssigned", fresh?.address],
          ["Signed", begun?.address],
          ["Signed", fresh?.address],
          ["Registered", begun?.address],
          ["Registered", fresh?.address]
        ] as ReadonlyArray<unknown>
      )
      const [, registration = ""] = writes(wire)
      const sent: ReadonlyArray<{ readonly keyId: string }> = JSON.parse(registration.slice(registration.indexOf("[")))
      assert.deepStrictEqual(sent.map(({ keyId }) => keyId), [key(0), key(8)])
      for (const { address } of [begun ?? one, fresh ?? one]) {
        const entry = yield* store.get({ chain: 1001, host: "127.0.0.1:8080", address: yield* Address.make(address) })
        equal(Option.map(entry, ({ stage }) => stage), Option.some("registered"))
      }
    }))

  it.effect("after its update shows that nothing is left for the chain to do", () =>
    Effect.gen(function*() {
      const store = yield* journal
      yield* Effect.exit(run(yield* make(wireOf({ register: Testing.text(502, "") }), { journal: store }), [one]))
      const digits = Records.publicKey.slice(4)
      const accountKey = { keyType: 2, key: { x: `0x${digits.slice(0, 64)}`, y: `0x${digits.slice(64)}` } }
      const { previews: [preview] } = yield* (yield* make(wireOf({ accountKey }), { journal: store })).dryRun([one])
      has(preview ?? {}, { accepted: false, maxFee: 0n })
      assert.include(preview?.text, "on chain  the new key is there already")
    }))

  it.effect("goes on with the keys it created", () =>
    Effect.gen(function*() {
      const store = yield* journal
      const down = wireOf({ register: Testing.text(502, "") })
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
      yield* Effect.exit(run(yield* make(wireOf({ register: Testing.text(502, "") }), { journal: store }), [one]))
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
        Testing.json(200, { status: "all failed", failures: { [Old.oldChecksum]: "-32000::nonce too low" } }),
        Testing.json(200, { status: "queued" })
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
      const without = yield* run(yield* make(wireOf({ register: Testing.json(200, { status: "queued" }) })), [one])
      has(without[2] ?? {}, { _tag: "Unclear" })
      const others: Array<typeof Old.migrated> = []
      const ofAnotherKey = wireOf({
        known: others,
        register: (sent) => {
          others.push({ ...mine, keyId: Records.key(9).keyId })
          return Testing.json(200, { status: "queued" })(sent)
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
      const { keyId, publicKey } = yield* Schema.decodeUnknown(Account.Key)(Records.key(77))
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
        maxFee: 25_000_000_000_000_000n,
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
      assert.deepStrictEqual([alreadyMigrated.length, previews.length], [1, 0])
      equal(failures, [{
        address: other?.address,
        problem: "the old keys do not control this account: the chain would refuse the update"
      }])
    }))
})

describe("old private keys", () => {
  const secret = Old.oldKey.slice(2)

  it.effect("stand in no event, error, log or request", () =>
    Effect.gen(function*() {
      const texts: Array<string> = []
      const scripts: ReadonlyArray<Script> = [
        {},
        { register: Testing.text(502, "") },
        { key: Testing.text(500, "") },
        { accountKey: { keyType: 3, key: {} } },
        { register: Testing.json(200, { status: "all failed", failures: { [Old.oldChecksum]: "no" } }) }
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
      const wiped = Redacted.make(Old.oldKey)
      Redacted.unsafeWipe(wiped)
      const inputs: ReadonlyArray<unknown> = [
        OldKey.single(Redacted.make(bad)),
        OldKey.single(Redacted.make("hunter2")),
        OldKey.single(Redacted.make(`0x${"0".repeat(64)}`)),
        OldKey.single(wiped),
        { signers: [Redacted.make(Buffer.from(secret, "hex"))] },
        OldKey.multiSig([]),
        OldKey.roleBased({ accountUpdate: [] }),
        { signers: [bad] },
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
