import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Sandbox from "../src/Sandbox.js"
import { account, chain, feePayer, fund, hex, klay, run, somebody, unitPrice } from "./support/walletStory.js"
import { ask, refusal } from "./support/wire.js"

const early = (code: number, message: string) => [400, code, message, false]
const late = (code: number, message: string) => [400, code, message, true]
const node = (message: string) => late(1065001, `failed to send a raw transaction to klaytn node; -32000::${message}`)

const empty = (field: string) => early(1061608, `cannot be empty or zero value; ${field}`)
const notAnAddress = (field: string) => early(1061609, `it just allow Klaytn address form; ${field}`)
const notHex = (field: string) => early(1061607, `it has to start with '0x' and allows [0-9a-fA-F]; ${field}`)
const outOfRange = (field: string) => early(1061615, `its value is out of range; ${field}`)
const ratio = early(1061616, "fee ratio must be between 1 and 99; feeRatio")
const unusable = late(1065100, "failed to get an account; data don't exist")

const stranger = "0x2222222222222222222222222222222222222222"

const refused = (method: string, path: string, body: unknown) => Effect.map(ask(method, path, body), refusal)

const raw = (transaction: ReturnType<typeof Transaction.make>) => {
  const encoded = transaction.ok ? Transaction.encode(transaction.value) : transaction
  if (!encoded.ok) throw encoded.error
  return encoded.value
}

describe("A transaction of the wallet", () => {
  it.effect("is refused for its receiver first, then for its other fields, and only then for its account", () =>
    run(Effect.gen(function*() {
      const value = (body: object) => refused("POST", "/v2/tx/value", { value: "0x1", from: stranger, ...body })
      assert.deepStrictEqual(yield* value({}), empty("to"))
      assert.deepStrictEqual(yield* value({ to: "" }), empty("to"))
      assert.deepStrictEqual(yield* value({ to: null, from: "no" }), empty("to"))
      assert.deepStrictEqual(yield* value({ to: "0x12", from: "no", value: 1 }), notAnAddress("to"))
      assert.deepStrictEqual(yield* value({ to: somebody, from: "no" }), notAnAddress("from"))
      assert.deepStrictEqual(yield* value({ to: somebody, from: undefined }), empty("from"))
      assert.deepStrictEqual(yield* value({ to: somebody, value: undefined }), empty("value"))
      assert.deepStrictEqual(yield* value({ to: somebody, value: "12" }), notHex("value"))
      assert.deepStrictEqual(yield* value({ to: somebody, nonce: -1 }), outOfRange("nonce"))
      assert.deepStrictEqual(yield* value({ to: somebody, gas: "much" }), outOfRange("gas"))
      assert.deepStrictEqual(yield* value({ to: somebody, submit: "yes" }), outOfRange("submit"))
      assert.deepStrictEqual(yield* value({ to: somebody, feePayer: "me" }), notAnAddress("feePayer"))
      assert.deepStrictEqual(yield* value({ to: somebody }), unusable)
      assert.deepStrictEqual(
        yield* refused("POST", "/v2/tx/value", "{"),
        empty("body, which is no JSON of at most 64 levels")
      )
      assert.deepStrictEqual(yield* refused("POST", "/v2/tx/value", "[]"), empty("body"))
    })))

  it.effect("is refused for data that is none, or none at all", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const input = (path: string, body: object) => refused("POST", path, { from, to: somebody, ...body })
      for (const path of ["/v2/tx/legacy", "/v2/tx/contract/deploy", "/v2/tx/fd/contract/execute", "/v2/tx/anchor"]) {
        assert.deepStrictEqual(yield* input(path, { input: "abcd" }), notHex("input"), path)
        if (path === "/v2/tx/legacy") continue
        assert.deepStrictEqual(yield* input(path, {}), empty("input"), path)
        assert.deepStrictEqual(yield* input(path, { input: "" }), empty("input"), path)
      }
      assert.deepStrictEqual(yield* input("/v2/tx/rlp", { rlp: "c0" }), notHex("rlp"))
      assert.deepStrictEqual(yield* input("/v2/tx/rlp", { rlp: "0xc0" }), outOfRange("rlp"))
      assert.deepStrictEqual(yield* refused("POST", "/v2/tx/rlp", {}), empty("rlp"))
    })))

  it.effect("is refused for a ratio that is no percentage", () =>
    run(Effect.gen(function*() {
      const body = { from: stranger, to: somebody, value: "0x1" }
      for (const feeRatio of [100, -1, 1.5, "30"]) {
        assert.deepStrictEqual(yield* refused("POST", "/v2/tx/fd/value", { ...body, feeRatio }), ratio)
      }
      assert.deepStrictEqual(yield* refused("POST", "/v2/tx/fd/value", { ...body, feeRatio: 99 }), unusable)
    })))

  it.effect("is refused for a sender that cannot sign, and for a fee payer that is none", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const payer = yield* feePayer
      const value = (body: object, path = "/v2/tx/fd-user/value") =>
        refused("POST", path, { from, to: somebody, value: "0x1", submit: true, ...body })
      assert.deepStrictEqual(yield* value({}), empty("feePayer"))
      for (const one of [stranger, from]) {
        assert.deepStrictEqual(yield* value({ feePayer: one }), late(1061905, "failed to get feepayer"))
      }
      assert.deepStrictEqual(yield* value({ from: payer, feePayer: payer }), unusable)
      yield* ask("DELETE", `/v2/feepayer/${payer}`)
      assert.deepStrictEqual(yield* value({ feePayer: payer }), late(1061905, "failed to get feepayer"))
      yield* ask("PUT", `/v2/account/${from}/disable`)
      assert.deepStrictEqual(yield* value({}, "/v2/tx/value"), unusable)
      yield* ask("PUT", `/v2/account/${from}/enable`)
      const key = {
        keyType: 2,
        key:
          `0x04${"79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"}`
      }
      yield* ask("PUT", "/v2/tx/account", { from, accountKey: key, submit: true })
      assert.deepStrictEqual(
        yield* value({}, "/v2/tx/value"),
        late(1065100, "failed to get an account; account key corrupted. can not use this account")
      )
      const failed = yield* account
      yield* ask("PUT", "/v2/tx/fd/account", { from: failed, accountKey: { keyType: 3 }, submit: true })
      assert.deepStrictEqual(yield* value({ from: failed }, "/v2/tx/value"), unusable)
    })))

  it.effect("is refused in the node's own words", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const poor = (yield* ask("POST", "/v2/feepayer", { withoutAccountUpdate: true })).body.address
      const value = (body: object, path = "/v2/tx/value") =>
        refused("POST", path, { from, to: somebody, value: "0x1", submit: true, ...body })
      const all = `0x${(100n * klay).toString(16)}`
      assert.deepStrictEqual(yield* value({ value: all }), node("insufficient funds of the sender for value "))
      assert.deepStrictEqual(
        yield* value({ feePayer: poor }, "/v2/tx/fd-user/value"),
        node("insufficient funds of the fee payer for gas * price")
      )
      assert.deepStrictEqual(yield* value({ gas: 1 }), node("intrinsic gas too low"))
      const input = { input: "0x00" }
      assert.deepStrictEqual(
        yield* value(input, "/v2/tx/contract/execute"),
        node("recipient must be an EOA with code or an SCA")
      )
      assert.deepStrictEqual(
        (yield* ask("POST", "/v2/tx/value", {
          from,
          to: somebody,
          value: all,
          submit: false
        })).status,
        200
      )
      const once = yield* ask("POST", "/v2/tx/value", { from, to: somebody, value: "0x1", submit: true })
      assert.strictEqual(once.body.nonce, 0)
      yield* ask("POST", "/v2/tx/value", { from, to: somebody, value: "0x1", submit: true })
      assert.deepStrictEqual(yield* value({ nonce: 1 }), node("nonce too low"))
      assert.deepStrictEqual(
        yield* refused("POST", "/v2/tx/rlp", { rlp: once.body.rlp, submit: true }),
        node("nonce too low")
      )
    })))

  it.effect("is refused for bytes that another path takes, or that say otherwise than the request", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const payer = yield* feePayer
      const fields = {
        nonce: 0n,
        gasPrice: unitPrice,
        gas: 100_000n,
        from: hex(from),
        to: hex(somebody),
        value: 1n
      }
      const basic = raw(Transaction.make({ type: "ValueTransfer", ...fields }))
      const paid = raw(Transaction.make({ type: "FeeDelegatedValueTransfer", ...fields }))
      const shared = raw(Transaction.make({ type: "FeeDelegatedValueTransferWithRatio", ...fields, feeRatio: 30 }))
      const foreign = raw(
        Transaction.make({ type: "FeeDelegatedValueTransfer", ...fields, feePayer: hex(stranger) })
      )
      const rlp = (path: string, body: object) => refused("POST", `/v2/tx${path}/rlp`, { submit: true, ...body })
      assert.deepStrictEqual(yield* rlp("", { rlp: paid }), late(1061921, "it just allow Basic transaction type"))
      assert.deepStrictEqual(
        yield* rlp("/fd", { rlp: basic }),
        late(1061918, "it just allow (Partial)FeeDelegation transaction type")
      )
      assert.deepStrictEqual(
        yield* rlp("/fd", { rlp: shared }),
        late(1061919, "PartialFeeDelegation transaction must set fee ratio to non-zero value")
      )
      assert.deepStrictEqual(
        yield* rlp("/fd-user", { rlp: paid, feeRatio: 30, feePayer: payer }),
        late(1061920, "FeeDelegation transaction cannot set fee ratio, use PartialFeeDelegation transaction type")
      )
      assert.deepStrictEqual(
        yield* rlp("/fd", { rlp: shared, feeRatio: 31 }),
        late(1061912, "rlp value and request value are not same; feeRatio")
      )
      assert.deepStrictEqual(
        yield* rlp("/fd-user", { rlp: foreign, feePayer: payer }),
        late(1061912, "rlp value and request value are not same; feePayer")
      )
      assert.deepStrictEqual(yield* rlp("", { rlp: basic.replace(from.slice(2), stranger.slice(2)) }), unusable)
      const other = yield* account
      const unsent = yield* ask("POST", "/v2/tx/rlp", { rlp: basic, submit: false })
      assert.deepStrictEqual(
        yield* rlp("", { rlp: unsent.body.rlp.replace(from.slice(2), other.slice(2)) }),
        node("invalid sender: invalid account key")
      )
    })))

  it.effect("is refused for a key that is none", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const key = (accountKey: unknown) =>
        Effect.map(refused("PUT", "/v2/tx/account", { from, accountKey }), (answer) => answer.slice(0, 2))
      const text = (accountKey: unknown) =>
        Effect.map(refused("PUT", "/v2/tx/account", { from, accountKey }), (answer) => answer[2])
      assert.deepStrictEqual(yield* key(undefined), [400, 1061608])
      assert.match(String(yield* text({ keyType: 2, key: "0x0404" })), /^failed to decode account keys; /)
      for (
        const one of [
          { keyType: 2, key: "0x0404" },
          { keyType: 2, key: "key" },
          { keyType: 2, key: `0x04${"11".repeat(64)}` },
          { keyType: 4, key: { threshold: 1, weightedKeys: [] } },
          { keyType: 5, key: [{ keyType: 3 }, { keyType: 3 }] },
          { keyType: 9 }
        ]
      ) assert.deepStrictEqual(yield* key(one), [400, 1061903], JSON.stringify(one))
      assert.deepStrictEqual(
        yield* refused("PUT", "/v2/tx/account", {
          from,
          accountKey: { keyType: 5, key: [{ keyType: 1 }, { keyType: 3 }, { keyType: 3 }] }
        }),
        late(1061917, "AccountKeyLegacy type is not supported in AccountKeyRoleBased type")
      )
    })))

  it.effect("is cancelled by its hash while it waits, by a transaction with its nonce and its gas", () =>
    run(
      Effect.gen(function*() {
        const on = yield* chain
        const from = (yield* ask("POST", "/v2/account")).body.address.toLowerCase()
        yield* on.fund(hex(from), klay)
        const send = { from, to: somebody, value: "0x1", gas: 77_000, submit: true }
        const { body: first } = yield* ask("POST", "/v2/tx/value", send)
        const { body: second } = yield* ask("POST", "/v2/tx/value", send)
        assert.deepStrictEqual(
          yield* refused("POST", "/v2/tx/value", { ...send, nonce: 1, value: "0x2" }),
          node("there is another tx which has the same nonce in the tx pool")
        )
        assert.deepStrictEqual(
          yield* refused("POST", "/v2/tx/rlp", { rlp: second.rlp, submit: true }),
          node(`known transaction: ${second.transactionHash.slice(2)}`)
        )
        const cancel = { from, transactionHash: second.transactionHash, submit: true }
        const { body: cancelled } = yield* ask("DELETE", "/v2/tx", cancel)
        assert.deepStrictEqual([cancelled.nonce, cancelled.gas, cancelled.typeInt], [1, 77_000, 56])
        assert.deepStrictEqual(yield* on.pending, [first.transactionHash, cancelled.transactionHash])
        const lost = late(1065000, "failed to retrieve a transaction from klaytn node")
        assert.deepStrictEqual(yield* refused("DELETE", "/v2/tx", cancel), lost)
        assert.deepStrictEqual(
          yield* refused("DELETE", "/v2/tx/fd", { ...cancel, from: stranger, transactionHash: first.transactionHash }),
          lost
        )
        assert.deepStrictEqual(yield* refused("DELETE", "/v2/tx", { from }), empty("nonce"))
        yield* on.mine()
        assert.deepStrictEqual(
          yield* refused("DELETE", "/v2/tx", { ...cancel, transactionHash: first.transactionHash }),
          node("nonce too low")
        )
      }),
      { mining: "manual" }
    ))

  it.effect("is refused for an account or fee payer of another pool than the ones it names", () =>
    run(
      Effect.gen(function*() {
        const { accountId } = yield* Sandbox.Sandbox
        const krn = (type: string, name: string, chainId = 1001) => `krn:${chainId}:wallet:${accountId}:${type}:${name}`
        const [pool, payers] = [krn("account-pool", "shop"), krn("feepayer-pool", "shop")]
        const { body: made } = yield* ask("POST", "/v2/account", undefined, { "x-krn": pool })
        const { body: payer } = yield* ask("POST", "/v2/feepayer", { withoutAccountUpdate: true }, { "x-krn": payers })
        yield* fund(made.address)
        yield* fund(payer.address)
        const value = (krns: string | undefined) =>
          ask(
            "POST",
            "/v2/tx/fd-user/value",
            { from: made.address, to: somebody, value: "0x1", submit: true, feePayer: payer.address },
            { "x-krn": krns }
          )
        assert.deepStrictEqual(refusal(yield* value(undefined)), unusable)
        assert.deepStrictEqual(refusal(yield* value(payers)), unusable)
        assert.deepStrictEqual(refusal(yield* value(pool)), late(1061905, "failed to get feepayer"))
        for (const foreign of [krn("account-pool", "none"), krn("account-pool", "shop", 8217), "shop"]) {
          assert.deepStrictEqual(refusal(yield* value(foreign)), late(1061010, `data don't exist; ${foreign}`))
        }
        const { body } = yield* value(`${pool},${payers}`)
        assert.deepStrictEqual([body.status, body.feePayer], ["Submitted", payer.address.toLowerCase()])
      }),
      { pools: ["shop"] }
    ))
})
