import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  account,
  balance,
  chain,
  feePayer,
  hex,
  klay,
  newAccount,
  run,
  somebody,
  unitPrice
} from "./support/walletStory.js"
import { ask, refusal } from "./support/wire.js"

const hash = /^0x[0-9a-f]{64}$/
const late = (code: number, message: string) => [400, code, message, true]

/** An account with three keys of accounts: weights 1, 2 and 3 of which 3 are enough; its own is none of them. */
const shared = Effect.gen(function*() {
  const multi = yield* newAccount()
  const signers = yield* Effect.forEach([1, 2, 3], () => newAccount())
  const weightedKeys = signers.map(({ publicKey }, index) => ({ publicKey, weight: index + 1 }))
  const update = yield* ask("PUT", `/v2/account/${multi.address}/multisig`, { threshold: 3, weightedKeys })
  return {
    multi,
    update,
    weightedKeys,
    from: String(multi.address).toLowerCase(),
    addresses: signers.map(({ address }) => String(address)),
    multiSigKeys: signers.map(({ address }, index) => ({ address: String(address), weight: index + 1 }))
  }
})

const value = (from: string, more: object = {}, path = "/v2/tx/value") =>
  ask("POST", path, { from, to: somebody, value: "0x10", submit: true, ...more })

const sign = (address: string | undefined, id: string) => ask("POST", `/v2/multisig/account/${address}/tx/${id}/sign`)

const waiting = (address: string) =>
  Effect.map(
    ask("GET", `/v2/multisig/account/${address}/tx`),
    ({ body }) => body.items?.map((one: { readonly transactionId: string }) => one.transactionId) ?? body.code
  )

describe("A multisig account", () => {
  it.effect("gets its keys by a transaction of its own, and shows them", () =>
    run(Effect.gen(function*() {
      const { from, multi, update, weightedKeys } = yield* shared
      const { body } = update
      assert.match(body.transactionHash, hash)
      assert.deepStrictEqual(update, {
        status: 200,
        body: {
          address: multi.address,
          krn: multi.krn,
          multiSigKeys: weightedKeys,
          threshold: 3,
          transactionHash: body.transactionHash,
          updatedAt: body.updatedAt
        }
      })
      const on = yield* chain
      const record = yield* Effect.flatten(on.transaction(body.transactionHash))
      assert.deepStrictEqual([record.typeInt, record.from, record.status], [32, from, 1])
      assert.deepStrictEqual((yield* ask("GET", `/v2/account/${from}`)).body, {
        ...multi,
        updatedAt: body.updatedAt,
        multiSigKeys: weightedKeys,
        threshold: 3
      })
      assert.deepStrictEqual(
        refusal(yield* ask("PUT", `/v2/account/${from}/multisig`, { threshold: 3, weightedKeys })),
        late(
          1061515,
          "the requested account must be a legacy account; if the account is multisig account, use " +
            "`PUT /v2/tx/{fd|fd-user}/account` API for multisig transaction and /v2/multisig/**/** APIs"
        )
      )
    })))

  it.effect("is not made with a key of nobody, without coin, or of an account that is not there", () =>
    run(Effect.gen(function*() {
      const from = yield* account
      const { publicKey } = yield* newAccount()
      const put = (address: string, keys: ReadonlyArray<string>, threshold = 1) =>
        Effect.map(
          ask("PUT", `/v2/account/${address}/multisig`, {
            threshold,
            weightedKeys: keys.map((one) => ({ publicKey: one, weight: 1 }))
          }),
          refusal
        )
      const foreign =
        `0x04${"79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"}${"483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"}`
      assert.deepStrictEqual(yield* put(from, [publicKey, foreign]), late(1061010, "data don't exist"))
      assert.deepStrictEqual(
        yield* put(somebody, [publicKey]),
        late(1065100, "failed to get an account; data don't exist")
      )
      assert.strictEqual((yield* put(from, [publicKey], 2))[1], 1061903)
      const { body: poor } = yield* ask("POST", "/v2/account")
      assert.deepStrictEqual(
        yield* put(poor.address, [publicKey]),
        late(
          1065001,
          "failed to send a raw transaction to klaytn node; -32000::insufficient funds of the sender for value "
        )
      )
    })))

  it.effect("sends once enough of its keys have signed, and tells each time who has not", () =>
    run(Effect.gen(function*() {
      const { addresses, from, multi, multiSigKeys } = yield* shared
      const [one, two, three] = addresses
      const { body: pending, status } = yield* value(from)
      assert.match(pending.transactionId, hash)
      assert.deepStrictEqual([status, pending], [200, {
        from,
        to: somebody,
        value: "0x10",
        gas: 1_000_000,
        gasPrice: "0x66720b300",
        nonce: 1,
        typeInt: 8,
        status: "Pending",
        transactionId: pending.transactionId
      }])
      const id = pending.transactionId
      const listed = yield* ask("GET", `/v2/multisig/account/${from}/tx`)
      const [item] = listed.body.items
      assert.deepStrictEqual(listed.body, {
        items: [{
          address: multi.address,
          chainId: 1001,
          createdAt: item.createdAt,
          multiSigKeys,
          status: 2,
          threshold: 3,
          transactionId: id,
          txData: {
            from,
            gas: 1_000_000,
            gasPrice: "0x66720b300",
            nonce: 1,
            typeInt: 8,
            to: somebody,
            value: "0x10"
          },
          type: "TX",
          updatedAt: item.createdAt
        }],
        cursor: ""
      })
      for (const address of addresses) assert.deepStrictEqual(yield* waiting(address), [id])
      assert.deepStrictEqual(yield* waiting(yield* account), 1061010)
      assert.deepStrictEqual(yield* sign(one, id), {
        status: 200,
        body: {
          transactionId: id,
          threshold: 3,
          weight: 1,
          signedWeight: 1,
          status: "Signed",
          reminders: [two, three]
        }
      })
      const again = yield* sign(one, id)
      assert.deepStrictEqual([again.body.signedWeight, again.body.reminders], [1, [two, three]])
      assert.strictEqual(yield* balance(somebody), 0n)
      const { body: last } = yield* sign(two, id)
      assert.deepStrictEqual(last, {
        transactionId: id,
        threshold: 3,
        weight: 2,
        signedWeight: 3,
        status: "Submitted",
        transactionHash: last.transactionHash
      })
      const record = yield* Effect.flatten((yield* chain).transaction(last.transactionHash))
      const decoded = Transaction.decode(record.raw)
      assert.strictEqual(decoded.ok && decoded.value.signatures.length, 2)
      assert.strictEqual(yield* balance(somebody), 16n)
      assert.deepStrictEqual(yield* waiting(from), 1061010)
      const done = late(1061914, `already submitted transaction. Confirm transaction hash; ${last.transactionHash}`)
      assert.deepStrictEqual(refusal(yield* sign(three, id)), done)
      assert.deepStrictEqual(refusal(yield* ask("POST", `/v2/account/${three}/tx/${id}/sign`)), done)
    })))

  it.effect("takes signatures that were made elsewhere, several at a time, and of strangers none", () =>
    run(Effect.gen(function*() {
      const { addresses, from } = yield* shared
      const { body: { transactionId: id } } = yield* value(from, { memo: "two" })
      const signature = (address: string | undefined) =>
        Effect.map(ask("POST", `/v2/account/${address}/tx/${id}/sign`), ({ body }) => body)
      const [one, two] = [yield* signature(addresses[0]), yield* signature(addresses[1])]
      assert.deepStrictEqual(Object.keys(one).toSorted(), ["R", "S", "V"])
      assert.include(["0x7f5", "0x7f6"], one.V)
      const add = (signatures: ReadonlyArray<unknown>) => ask("POST", `/v2/multisig/tx/${id}/sign`, { signatures })
      const { body: other } = yield* value(yield* account, { submit: false })
      const strange = refusal(yield* add([one, other.signatures[0]]))
      assert.deepStrictEqual(strange.slice(0, 2), [400, 1061512])
      assert.match(String(strange[2]), /^account is invalid to sign the transaction; 0x[0-9a-fA-F]{40}$/)
      assert.deepStrictEqual(refusal(yield* add([{ ...one, V: "0x1" }])), [
        400,
        1061615,
        "its value is out of range; signatures",
        false
      ])
      assert.deepStrictEqual(refusal(yield* add([])).slice(0, 2), [400, 1061608])
      const both = yield* add([one, two, one])
      assert.deepStrictEqual([both.body.weight, both.body.signedWeight, both.body.status], [3, 3, "Submitted"])
      assert.strictEqual(yield* balance(somebody), 16n)
    })))

  it.effect("is signed for by its own signers alone, and only for what waits", () =>
    run(Effect.gen(function*() {
      const { addresses, from, multi } = yield* shared
      const { body: { transactionId: id } } = yield* value(from)
      const other = yield* newAccount()
      const noData = late(1061010, "data don't exist")
      const invalid = (address: string) => late(1061512, `account is invalid to sign the transaction; ${address}`)
      assert.deepStrictEqual(refusal(yield* sign(other.address, id)), invalid(other.address))
      assert.deepStrictEqual(refusal(yield* sign(from, id)), invalid(multi.address))
      assert.deepStrictEqual(refusal(yield* sign(somebody, id)), noData)
      assert.deepStrictEqual(refusal(yield* sign(addresses[0], `0x${"1".repeat(64)}`)), noData)
      assert.deepStrictEqual(refusal(yield* sign(addresses[0], "nothing")), [
        400,
        1061607,
        "it has to start with '0x' and allows [0-9a-fA-F]; transaction-id",
        false
      ])
      yield* ask("PUT", `/v2/account/${addresses[2]}/disable`)
      assert.deepStrictEqual(
        refusal(yield* sign(addresses[2], id)),
        late(1065100, "failed to get an account; data don't exist")
      )
    })))

  it.effect("has its fee paid by others when enough have signed, whoever they are", () =>
    run(Effect.gen(function*() {
      const { addresses, from } = yield* shared
      const payer = yield* feePayer
      const { body: held } = yield* value(from, { feePayer: payer, feeRatio: 40 }, "/v2/tx/fd-user/value")
      assert.deepStrictEqual([held.status, held.typeInt, held.feePayer, held.feeRatio, held.rlp], [
        "Pending",
        10,
        payer,
        40,
        undefined
      ])
      const before = [yield* balance(from), yield* balance(payer)] as const
      const { body: sent } = yield* sign(addresses[2], held.transactionId)
      assert.deepStrictEqual([sent.status, sent.weight], ["Submitted", 3])
      const { fee, gasUsed } = yield* Effect.flatten((yield* chain).transaction(sent.transactionHash))
      assert.strictEqual(fee, gasUsed * unitPrice)
      const part = fee * 40n / 100n
      assert.deepStrictEqual([yield* balance(from), yield* balance(payer)], [
        before[0] - 16n - (fee - part),
        before[1] - part
      ])
      const { body: global } = yield* value(from, {}, "/v2/tx/fd/value")
      assert.strictEqual((yield* sign(addresses[2], global.transactionId)).body.status, "Submitted")
    })))

  it.effect("gives what waits consecutive nonces, and lists it page by page, newest first", () =>
    run(Effect.gen(function*() {
      const { addresses, from } = yield* shared
      const made: Array<{ readonly nonce: number; readonly transactionId: string }> = []
      for (let i = 0; i < 3; i++) made.push((yield* value(from)).body)
      assert.deepStrictEqual(made.map(({ nonce }) => nonce), [1, 2, 3])
      const ids = made.map(({ transactionId }) => transactionId).toReversed()
      assert.deepStrictEqual(yield* waiting(from), ids)
      const { body: first } = yield* ask("GET", `/v2/multisig/account/${addresses[0]}/tx?size=2`)
      assert.strictEqual(first.items.length, 2)
      const rest = yield* ask(
        "GET",
        `/v2/multisig/account/${addresses[0]}/tx?size=2&cursor=${encodeURIComponent(first.cursor)}`
      )
      assert.deepStrictEqual([rest.body.items[0].transactionId, rest.body.cursor], [ids[2], ""])
      assert.deepStrictEqual(refusal(yield* ask("GET", `/v2/multisig/account/${from}/tx?size=-1`)), [
        400,
        1061615,
        "its value is out of range; size",
        false
      ])
      for (const id of ids) yield* sign(addresses[2], id)
      const on = yield* chain
      assert.strictEqual(yield* on.pendingNonce(hex(from)), 4n)
      assert.strictEqual(yield* balance(somebody), 48n)
    })))

  it.effect("keeps the signatures so far when the node refuses, and can be signed again", () =>
    run(Effect.gen(function*() {
      const { addresses, from } = yield* shared
      const all = yield* balance(from)
      const { body: { transactionId: id } } = yield* value(from, { value: `0x${all.toString(16)}` })
      yield* sign(addresses[0], id)
      const poor = late(
        1065001,
        "failed to send a raw transaction to klaytn node; -32000::insufficient funds of the sender for value "
      )
      assert.deepStrictEqual(refusal(yield* sign(addresses[1], id)), poor)
      assert.deepStrictEqual(yield* waiting(from), [id])
      yield* (yield* chain).fund(hex(from), klay)
      // The signature that was refused with it is not kept.
      assert.strictEqual((yield* sign(addresses[0], id)).body.status, "Signed")
      const { body } = yield* sign(addresses[1], id)
      assert.deepStrictEqual([body.status, body.signedWeight], ["Submitted", 3])
      assert.strictEqual(yield* balance(somebody), all)
    })))

  it.effect("changes its own keys by a transaction that its keys sign, and is a plain account after", () =>
    run(Effect.gen(function*() {
      const { addresses, from, multi } = yield* shared
      const { body: held } = yield* ask("PUT", "/v2/tx/fd/account", {
        from,
        accountKey: { keyType: 1 },
        submit: true
      })
      assert.deepStrictEqual([held.status, held.accountKey], ["Pending", "0x01c0"])
      assert.strictEqual((yield* sign(addresses[2], held.transactionId)).body.status, "Submitted")
      const { body: shown } = yield* ask("GET", `/v2/account/${from}`)
      assert.deepStrictEqual(shown, { ...multi, updatedAt: shown.updatedAt })
      assert.deepStrictEqual((yield* value(from)).body.status, "Submitted")
    })))

  it.effect("sends one transaction when two last signatures come at the same time", () =>
    run(Effect.gen(function*() {
      const { addresses, from } = yield* shared
      const { body: { transactionId: id } } = yield* value(from)
      yield* sign(addresses[0], id)
      const answers = yield* Effect.all([sign(addresses[1], id), sign(addresses[2], id)], { concurrency: 2 })
      assert.deepStrictEqual(
        answers.map(({ body }) => body.status ?? body.code).toSorted(),
        [1061914, "Submitted"]
      )
      assert.strictEqual(yield* balance(somebody), 16n)
    })))

  it.effect("finds its transaction on the chain when somebody else has sent it with the same signatures", () =>
    run(Effect.gen(function*() {
      const { addresses, from } = yield* shared
      const on = yield* chain
      const { body: held } = yield* value(from)
      const id = held.transactionId
      const signature = (address: string | undefined) =>
        Effect.map(ask("POST", `/v2/account/${address}/tx/${id}/sign`), ({ body: { R, S, V } }) => ({
          v: BigInt(V),
          r: BigInt(R),
          s: BigInt(S)
        }))
      const made = Transaction.make({
        type: "ValueTransfer",
        nonce: 1n,
        gasPrice: unitPrice,
        gas: 1_000_000n,
        from: hex(from),
        to: somebody,
        value: 16n,
        signatures: [yield* signature(addresses[0]), yield* signature(addresses[1])]
      })
      const raw = made.ok ? Transaction.encode(made.value) : made
      if (!raw.ok) throw raw.error
      const hash = yield* on.submitRaw(raw.value)
      yield* sign(addresses[0], id)
      const { body } = yield* sign(addresses[1], id)
      assert.deepStrictEqual([body.status, body.transactionHash], ["Submitted", hash])
      assert.strictEqual(yield* balance(somebody), 16n)
    })))
})
