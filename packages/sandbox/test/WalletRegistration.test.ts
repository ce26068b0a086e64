import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Sandbox from "../src/Sandbox.js"
import { checksum } from "./support/checksum.js"
import { ask, refusal } from "./support/wire.js"

const clock = { start: 1_600_000_000, step: 1 }
const path = "/v2/registration/account"

const run = <A, E>(test: Effect.Effect<A, E, Sandbox.Sandbox>, options: Sandbox.Options = {}) =>
  Effect.provide(test, Sandbox.layer({ seed: "registration", clock, ...options }))

interface Created {
  readonly keyId: string
  readonly publicKey: Hex
}

const keys = (size: number): Effect.Effect<ReadonlyArray<Created>, never, Sandbox.Sandbox> =>
  Effect.map(ask("POST", "/v2/key", { size }), ({ body }) => body.items)

const unwrap = <A>(result: { readonly ok: true; readonly value: A } | { readonly ok: false }): A => {
  if (!result.ok) throw new Error("the test's own transaction is wrong")
  return result.value
}

/** A signed update that gives an account the created key; the fee payer is left empty. */
const update = (
  account: DevAccount,
  publicKey: Hex,
  more: { readonly by?: DevAccount; readonly nonce?: bigint } = {}
) =>
  unwrap(Transaction.signAsSender(
    unwrap(Transaction.make({
      type: "FeeDelegatedAccountUpdate",
      from: account.address,
      nonce: more.nonce ?? 0n,
      gas: 1_000_000n,
      gasPrice: 25_000_000_000n,
      key: unwrap(AccountKey.fromPublicKey(publicKey))
    })),
    { chainId: 1001, privateKey: Redacted.value((more.by ?? account).privateKey) }
  ))

const rlp = (transaction: Transaction.Transaction): Hex => unwrap(Transaction.encode(transaction))

const register = (items: unknown) => ask("POST", path, items)

const failures = (expected: Record<string, string>, status = "all failed") => ({
  status: 200,
  body: { status, failures: expected }
})

const ok = { status: 200, body: { status: "ok" } }

const named = (...names: ReadonlyArray<string>) =>
  Effect.map(Sandbox.Sandbox, ({ chains }) => names.map((name) => chains.account(name)))

describe("Registration", () => {
  it.effect("moves accounts in: the service pays for the update, and then holds the key", () =>
    run(Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const [alice, bob] = yield* named("alice", "bob")
      const [one, two] = yield* keys(2)
      if (alice === undefined || bob === undefined || one === undefined || two === undefined) return assert.fail()
      const items = [
        { keyId: one.keyId, address: checksum(alice.address), rlp: rlp(update(alice, one.publicKey)) },
        { keyId: two.keyId, address: bob.address, rlp: rlp(update(bob, two.publicKey)) }
      ]
      assert.deepStrictEqual(yield* register(items), ok)
      const chain = chains.chain(1001)
      const state = Option.getOrThrow(yield* chain.account(alice.address))
      assert.deepStrictEqual(state.key, unwrap(AccountKey.fromPublicKey(one.publicKey)))
      assert.deepStrictEqual(state.balance, 10n ** 24n)
      const { body } = yield* ask("GET", "/v2/account")
      assert.deepStrictEqual(
        body.items.map((item: { readonly address: string }) => item.address),
        [checksum(bob.address), checksum(alice.address)]
      )
      const account = (yield* ask("GET", `/v2/account/${alice.address}`)).body
      assert.deepStrictEqual(account.publicKey, one.publicKey)
      assert.deepStrictEqual(account.keyId.split(":").at(-1), one.keyId.split(":").at(-1))
      assert.match(account.keyId, /:account-pool:default:0x/)
      const found = yield* ask("GET", `/v2/pubkey/${one.publicKey}/account`)
      assert.deepStrictEqual(found.body.items, [{ address: checksum(alice.address), chainId: 1001 }])
      // Both names of the key open it.
      for (const keyId of [account.keyId, one.keyId]) {
        assert.deepStrictEqual((yield* ask("GET", `/v2/key/${encodeURIComponent(keyId)}`)).status, 200)
      }
      // Asked once more, as after a lost answer.
      assert.deepStrictEqual(yield* register(items), ok)
    })))

  it.effect("names only those that failed, each with its reason", () =>
    run(Effect.gen(function*() {
      const [alice, bob, carol] = yield* named("alice", "bob", "carol")
      const [one, two] = yield* keys(2)
      if (alice === undefined || bob === undefined || carol === undefined || one === undefined || two === undefined) {
        return assert.fail()
      }
      const forged = update(bob, two.publicKey, { by: carol })
      const invalid = "failed to send a raw transaction to klaytn node; -32000::invalid sender: invalid account key"
      const good = { keyId: one.keyId, address: alice.address, rlp: rlp(update(alice, one.publicKey)) }
      const bad = { keyId: two.keyId, address: bob.address, rlp: rlp(forged) }
      assert.deepStrictEqual(
        yield* register([good, bad]),
        failures({ [checksum(bob.address)]: invalid }, "partially failed")
      )
      assert.deepStrictEqual(yield* register([bad]), failures({ [checksum(bob.address)]: invalid }))
      // Repaired, it goes in.
      assert.deepStrictEqual(yield* register([{ ...bad, rlp: rlp(update(bob, two.publicKey)) }]), ok)
    })))

  it.effect("refuses, for one account each, what is no update to the named key", () =>
    run(Effect.gen(function*() {
      const [alice, bob] = yield* named("alice", "bob")
      const [one, two] = yield* keys(2)
      if (alice === undefined || bob === undefined || one === undefined || two === undefined) return assert.fail()
      const refused = (rlp: string, address: string = alice.address) =>
        Effect.map(register([{ keyId: one.keyId, address, rlp }]), ({ body }) => Object.values(body.failures)[0])
      const own = update(alice, one.publicKey)
      const withRatio = unwrap(Transaction.make({ ...own, type: "FeeDelegatedAccountUpdateWithRatio", feeRatio: 30 }))
      const basic = unwrap(Transaction.make({ ...own, type: "AccountUpdate" }))
      assert.deepStrictEqual(
        yield* refused(rlp(withRatio)),
        "partialFeeDelegation transaction do not supported. use feeDelegation transaction"
      )
      const type = "it just allow FeeDelegatedAccountUpdate transaction type"
      assert.deepStrictEqual(yield* refused(rlp(basic)), type)
      assert.match(String(yield* refused("0x1234")), /^failed to decode rlp; /)
      assert.match(String(yield* refused("0x")), /^failed to decode rlp; /)
      assert.deepStrictEqual(
        yield* refused(rlp(own), bob.address),
        "rlp value and request value are not same; address"
      )
    })))

  it.effect("needs no update for an account that has the key already, and says so of one that has not", () =>
    run(Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const [alice, bob] = yield* named("alice", "bob")
      const [one] = yield* keys(1)
      if (alice === undefined || bob === undefined || one === undefined) return assert.fail()
      const key = unwrap(AccountKey.fromPublicKey(one.publicKey))
      yield* chains.chain(1001).execute({ kind: "updateKey", from: alice, key })
      assert.deepStrictEqual(
        yield* register([{ keyId: one.keyId, address: alice.address }, { keyId: one.keyId, address: bob.address }]),
        failures({ [checksum(bob.address)]: "account key corrupted. can not use this account" }, "partially failed")
      )
    })))

  it.effect("gives no address to a caller who does not prove its key, whoever has it", () =>
    run(Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const [alice, bob] = yield* named("alice", "bob")
      const [one] = yield* keys(1)
      if (alice === undefined || bob === undefined || one === undefined) return assert.fail()
      const { keyId } = one
      // Nobody has used it, and nobody's key is that of the caller.
      const nobody = yield* register([{ keyId, address: `0x${"12".repeat(20)}` }])
      assert.deepStrictEqual([nobody.status, nobody.body.code], [400, 1065102])
      // The chain has this key for alice, whose key the caller does not have, and the update is one that alice never signed.
      const key = unwrap(AccountKey.fromPublicKey(unwrap(PublicKey.uncompress(bob.publicKey))))
      yield* chains.chain(1001).execute({ kind: "updateKey", from: alice, key })
      const invented = rlp(update(alice, unwrap(PublicKey.uncompress(bob.publicKey)), { by: bob }))
      assert.deepStrictEqual(
        yield* register([{ keyId, address: alice.address, rlp: invented }]),
        failures({ [checksum(alice.address)]: "account key corrupted. can not use this account" })
      )
      // The pool is empty.
      assert.strictEqual((yield* ask("GET", "/v2/account?status=all")).status, 400)
    })))

  it.effect("takes what leaves an account without a use, and shows it as corrupted", () =>
    run(Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const [alice, bob] = yield* named("alice", "bob")
      const [one, two] = yield* keys(2)
      if (alice === undefined || bob === undefined || one === undefined || two === undefined) return assert.fail()
      const own = unwrap(AccountKey.fromPublicKey(two.publicKey))
      const roles = unwrap(Transaction.signAsSender(
        unwrap(Transaction.make({
          ...update(bob, two.publicKey),
          signatures: [],
          key: { type: "AccountKeyRoleBased", keys: [{ type: "AccountKeyFail" }, own, own] }
        })),
        { chainId: 1001, privateKey: Redacted.value(bob.privateKey) }
      ))
      const foreign = update(alice, unwrap(PublicKey.uncompress(bob.publicKey)))
      const items = [
        { keyId: one.keyId, address: alice.address, rlp: rlp(foreign) },
        { keyId: two.keyId, address: bob.address, rlp: rlp(roles) }
      ]
      assert.deepStrictEqual(yield* register(items), ok)
      const states = yield* Effect.forEach(items, ({ address }) => ask("GET", `/v2/account/${address}`))
      assert.deepStrictEqual(states.map(({ body }) => body.code), [1065102, 1065102])
      assert.strictEqual((yield* ask("GET", "/v2/account?status=corrupted")).body.items.length, 2)
      // Asked once more, as after a lost answer: the updates ran, and the keys are still there.
      assert.deepStrictEqual(yield* register(items), ok)
      assert.strictEqual((yield* chains.chain(1001).head).number, 2)
      assert.strictEqual((yield* ask("GET", "/v2/account?status=corrupted")).body.items.length, 2)
    })))

  it.effect("goes on where it stopped: an update that ran before is not sent again", () =>
    run(Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const [alice] = yield* named("alice")
      const [one] = yield* keys(1)
      if (alice === undefined || one === undefined) return assert.fail()
      const key = unwrap(AccountKey.fromPublicKey(one.publicKey))
      yield* chains.chain(1001).execute({ kind: "updateKey", from: alice, key })
      const items = [{ keyId: one.keyId, address: alice.address, rlp: rlp(update(alice, one.publicKey)) }]
      assert.deepStrictEqual(yield* register(items), ok)
      assert.deepStrictEqual((yield* chains.chain(1001).head).number, 1)
      assert.deepStrictEqual((yield* ask("GET", `/v2/account/${alice.address}`)).status, 200)
    })))

  it.effect("happens once, however many ask for it at a time", () =>
    run(Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const [alice] = yield* named("alice")
      const [one] = yield* keys(1)
      if (alice === undefined || one === undefined) return assert.fail()
      const items = [{ keyId: one.keyId, address: alice.address, rlp: rlp(update(alice, one.publicKey)) }]
      const answers = yield* Effect.all(Array.from({ length: 8 }, () => register(items)), { concurrency: 8 })
      assert.deepStrictEqual(answers, Array.from({ length: 8 }, () => ok))
      assert.deepStrictEqual((yield* chains.chain(1001).head).number, 1)
      assert.deepStrictEqual((yield* ask("GET", "/v2/account")).body.items.length, 1)
    })))

  it.effect("refuses an account that the wallet has with another key", () =>
    run(Effect.gen(function*() {
      const [alice] = yield* named("alice")
      const [one, two] = yield* keys(2)
      if (alice === undefined || one === undefined || two === undefined) return assert.fail()
      const first = [{ keyId: one.keyId, address: alice.address, rlp: rlp(update(alice, one.publicKey)) }]
      const second = [{ keyId: two.keyId, address: alice.address, rlp: rlp(update(alice, two.publicKey)) }]
      assert.deepStrictEqual(yield* register(first), ok)
      assert.deepStrictEqual(
        yield* register(second),
        failures({ [checksum(alice.address)]: "account has been already registered" })
      )
    })))

  it.effect("leaves an account corrupted when the chain takes the update back, and moves it in again", () =>
    run(Effect.gen(function*() {
      const { chains } = yield* Sandbox.Sandbox
      const chain = chains.chain(1001)
      const [alice] = yield* named("alice")
      const [one] = yield* keys(1)
      if (alice === undefined || one === undefined) return assert.fail()
      const items = [{ keyId: one.keyId, address: alice.address, rlp: rlp(update(alice, one.publicKey)) }]
      const snapshot = yield* chain.snapshot
      assert.deepStrictEqual(yield* register(items), ok)
      yield* chain.revert(snapshot)
      assert.deepStrictEqual(
        refusal(yield* ask("GET", `/v2/account/${alice.address}`)),
        [400, 1065102, "account key corrupted. can not use this account", true]
      )
      assert.deepStrictEqual((yield* ask("GET", "/v2/account")).body.code, 1061010)
      assert.deepStrictEqual((yield* ask("GET", "/v2/account?status=corrupted")).body.items.length, 1)
    })))

  it.effect("refuses the whole call over a field that is missing or a key that is not there", () =>
    run(Effect.gen(function*() {
      const [alice] = yield* named("alice")
      const [one] = yield* keys(1)
      if (alice === undefined || one === undefined) return assert.fail()
      const address = checksum(alice.address)
      const good = { keyId: one.keyId, address, rlp: rlp(update(alice, one.publicKey)) }
      const unknown = one.keyId.replace(/0x.*$/, `0x${"12".repeat(32)}`)
      const rows: ReadonlyArray<readonly [items: unknown, code: number, message: string, hasId: boolean]> = [
        [[{ address }], 1061608, "cannot be empty or zero value; keyId", false],
        [[{ keyId: one.keyId }], 1061608, "cannot be empty or zero value; address", false],
        [[{ keyId: "", address }], 1061608, "cannot be empty or zero value; keyId", false],
        [[good, { keyId: one.keyId, address: "" }], 1061608, "cannot be empty or zero value; address", false],
        [[{ keyId: one.keyId, address: "0x12" }], 1061609, "it just allow Klaytn address form; address", false],
        [[{ ...good, rlp: "abc" }], 1061607, "it has to start with '0x' and allows [0-9a-fA-F]; rlp", false],
        [[good, { keyId: unknown, address }], 1061010, `data don't exist; ${unknown}`, true],
        [[good, { keyId: "key", address }], 1061010, "data don't exist; key", true],
        [[], 1061608, "cannot be empty or zero value; body", false],
        [{}, 1061608, "cannot be empty or zero value; body", false],
        ["[", 1061608, "cannot be empty or zero value; body, which is no JSON of at most 64 levels", false],
        ["", 1061608, "cannot be empty or zero value; body", false]
      ]
      for (const [items, ...expected] of rows) {
        assert.deepStrictEqual(refusal(yield* register(items)), [400, ...expected])
      }
      assert.deepStrictEqual((yield* ask("GET", "/v2/account?status=all")).body.code, 1061010)
    })))
})
