import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import type { AccountKey } from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import { order } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Sandbox from "../src/Sandbox.js"
import { contractOf, signed } from "./support/nodeWorld.js"
import * as Rpc from "./support/rpc.js"
import { signMessage } from "./support/signedMessage.js"

const sandbox = Sandbox.layer({ seed: "recovery", clock: { start: 1_600_000_000, step: 1 } })

const price = 25_000_000_000n
const gas = 100_000n

const ok = <A>(result: { readonly ok: true; readonly value: A } | { readonly ok: false; readonly error: Error }): A => {
  if (!result.ok) throw result.error
  return result.value
}

const keyOf = (account: DevAccount, chainId = 1001) => ({
  chainId,
  curve: noble,
  privateKey: Redacted.value(account.privateKey)
})

/** Raw bytes of a value transfer that all of them signed. */
const transfer = (from: Hex, signers: ReadonlyArray<DevAccount>, chainId = 1001): Hex => {
  let transaction = ok(
    Transaction.make({ type: "ValueTransfer", nonce: 0n, gas, gasPrice: price, from, to: from, value: 1n })
  )
  for (const signer of signers) transaction = ok(Transaction.signAsSender(transaction, keyOf(signer, chainId)))
  return ok(Transaction.encode(transaction))
}

/** The same for an account update. */
const update = (from: Hex, signers: ReadonlyArray<DevAccount>): Hex => {
  let transaction = ok(
    Transaction.make({ type: "AccountUpdate", nonce: 0n, gas, gasPrice: price, from, key: { type: "AccountKeyFail" } })
  )
  for (const signer of signers) transaction = ok(Transaction.signAsSender(transaction, keyOf(signer)))
  return ok(Transaction.encode(transaction))
}

const delegated = (from: DevAccount, payer: DevAccount, paid: boolean): Hex => {
  const made = ok(Transaction.make({
    type: "FeeDelegatedValueTransfer",
    nonce: 7n,
    gas,
    gasPrice: price,
    from: from.address,
    to: payer.address,
    value: 1n,
    feePayer: payer.address
  }))
  const sent = ok(Transaction.signAsSender(made, keyOf(from)))
  return ok(Transaction.encode(paid ? ok(Transaction.signAsFeePayer(sent, keyOf(payer))) : sent))
}

const legacy = { type: "LegacyTransaction", nonce: 3n, gas, gasPrice: price, value: 1n, input: "0x" } as const

/** Accounts with keys of every kind, installed one after the other. */
const world = Effect.gen(function*() {
  const { chains } = yield* Sandbox.Sandbox
  const chain = chains.chain(1001)
  const name = chains.account
  const [plain, single, multi, roles, failing] = [
    name("plain"),
    name("single"),
    name("multi"),
    name("roles"),
    name("f")
  ]
  const [a, b, c, d] = [name("a"), name("b"), name("c"), name("d")]
  const start = (yield* chain.head).number
  if (start === 0) {
    for (const from of [plain, single, multi, roles, failing]) yield* chain.fund(from.address, 10n ** 18n)
    const keyed = (from: DevAccount, key: AccountKey) => chain.execute({ kind: "updateKey", from, key })
    yield* keyed(single, { type: "AccountKeyPublic", publicKey: a.publicKey })
    const weighted = {
      type: "AccountKeyWeightedMultiSig",
      threshold: 3,
      keys: [{ weight: 2, publicKey: a.publicKey }, { weight: 1, publicKey: b.publicKey }]
    } as const
    yield* keyed(multi, weighted)
    yield* keyed(failing, { type: "AccountKeyFail" })
    yield* keyed(roles, {
      type: "AccountKeyRoleBased",
      keys: [
        { type: "AccountKeyPublic", publicKey: b.publicKey },
        { type: "AccountKeyWeightedMultiSig", threshold: 1, keys: [{ weight: 1, publicKey: c.publicKey }] },
        { type: "AccountKeyFail" }
      ]
    })
  }
  return { chain, plain, single, multi, roles, failing, a, b, c, d }
})

const ofTransaction = (raw: Hex, block: unknown = "latest") => Rpc.reply("klay_recoverFromTransaction", raw, block)
const ofMessage = (owner: Hex, message: Hex, signature: Hex, block: unknown = "latest") =>
  Rpc.reply("klay_recoverFromMessage", owner, message, signature, block)

const refuses = (asked: ReturnType<typeof ofTransaction>, message: string, code = -32000) =>
  Effect.map(asked, ({ error }) => assert.deepStrictEqual(error, { code, message }))

const answers = (asked: ReturnType<typeof ofTransaction>, address: Hex) =>
  Effect.map(asked, ({ error, result }) => {
    assert.isUndefined(error, JSON.stringify(error))
    assert.strictEqual(result, address)
  })

layer(sandbox, { excludeTestServices: true })("The sender of raw bytes", (it) => {
  it.effect("is who stands in them, if the key of the account allows the signatures", () =>
    Effect.gen(function*() {
      const { a, b, c, d, failing, multi, plain, roles, single } = yield* world
      yield* answers(ofTransaction(transfer(plain.address, [plain])), plain.address)
      yield* refuses(ofTransaction(transfer(plain.address, [a])), "invalid account key")
      yield* answers(ofTransaction(transfer(single.address, [a])), single.address)
      yield* refuses(ofTransaction(transfer(single.address, [single])), "invalid account key")
      yield* answers(ofTransaction(transfer(multi.address, [b, a])), multi.address)
      yield* refuses(ofTransaction(transfer(multi.address, [a])), "invalid account key")
      yield* refuses(ofTransaction(transfer(multi.address, [a, d])), "invalid account key")
      yield* refuses(ofTransaction(transfer(failing.address, [failing])), "invalid account key")
      yield* answers(ofTransaction(transfer(roles.address, [b])), roles.address)
      yield* refuses(ofTransaction(transfer(roles.address, [c])), "invalid account key")
      yield* answers(ofTransaction(update(roles.address, [c])), roles.address)
      yield* refuses(ofTransaction(update(roles.address, [b])), "invalid account key")
      // Nobody has touched this account: its key is that of its address.
      yield* answers(ofTransaction(transfer(d.address, [d])), d.address)
    }))

  it.effect("is judged by the keys at the block that is asked about", () =>
    Effect.gen(function*() {
      const { a, chain, single } = yield* world
      const raw = transfer(single.address, [single])
      yield* answers(ofTransaction(raw, 0), single.address)
      yield* answers(ofTransaction(raw, "0x5"), single.address)
      yield* refuses(ofTransaction(raw, (yield* chain.head).number), "invalid account key")
      yield* refuses(ofTransaction(transfer(single.address, [a]), "earliest"), "invalid account key")
      yield* refuses(ofTransaction(raw, 99), "the header does not exist (block number: 99)")
      yield* refuses(ofTransaction(raw, "pending"), "invalid account key")
    }))

  it.effect("of Ethereum's types is recovered, with or without the envelope, and has to have a legacy key", () =>
    Effect.gen(function*() {
      const { plain, single } = yield* world
      const typed = {
        type: "EthereumDynamicFee",
        chainId: 1001,
        nonce: 3n,
        gas,
        maxFeePerGas: price,
        maxPriorityFeePerGas: 0n,
        value: 1n,
        input: "0x",
        accessList: [],
        to: plain.address
      } as const
      for (const input of [{ ...legacy, to: plain.address }, typed]) {
        yield* answers(ofTransaction(signed(plain, input)), plain.address)
        yield* refuses(ofTransaction(signed(single, input)), "a legacy transaction must be with a legacy account key")
      }
      const raw = signed(plain, typed)
      yield* answers(ofTransaction(`0x78${raw.slice(2)}`), plain.address)
    }))

  it.effect("is not the fee payer, who has to have signed all the same", () =>
    Effect.gen(function*() {
      const { a, plain } = yield* world
      yield* answers(ofTransaction(delegated(plain, a, true)), plain.address)
      yield* refuses(ofTransaction(delegated(plain, a, false)), "invalid transaction v, r, s values")
    }))

  it.effect("is not told of bytes that nobody signed, that name another chain, or that are none", () =>
    Effect.gen(function*() {
      const { plain } = yield* world
      const none = ok(Transaction.make({
        type: "Cancel",
        nonce: 0n,
        gas,
        gasPrice: price,
        from: plain.address
      }))
      yield* refuses(ofTransaction(ok(Transaction.encode(none))), "invalid transaction v, r, s values")
      yield* refuses(ofTransaction(transfer(plain.address, [plain], 8217)), "invalid chain id for signer")
      yield* refuses(ofTransaction("0x"), "Empty input")
      yield* refuses(ofTransaction("0x02c0"), "chainId: is missing")
      yield* refuses(ofTransaction("0x05c0"), "undefined tx type")
      yield* refuses(ofTransaction("0x7dc0"), "undefined tx type")
      yield* refuses(
        Rpc.reply("klay_recoverFromTransaction", "0x0", "latest"),
        "invalid argument 0: json: cannot unmarshal hex string of odd length into Go value of type hexutil.Bytes",
        -32602
      )
      yield* refuses(
        Rpc.reply("kaia_recoverFromTransaction", "0x00"),
        "missing value for required argument 1",
        -32602
      )
      const raw = transfer(plain.address, [plain])
      const sent = ok(Transaction.decode(raw)).signatures[0]?.s ?? assert.fail("no signature")
      const digits = (value: bigint) => value.toString(16).padStart(64, "0")
      assert.include(raw, digits(sent))
      const flipped: Hex = `0x${raw.slice(2).replace(digits(sent), digits(order - sent))}`
      yield* refuses(ofTransaction(flipped), "invalid transaction v, r, s values")
    }))
})

layer(sandbox, { excludeTestServices: true })("The signer of a message", (it) => {
  it.effect("is a key of the account, in Klaytn's form of signing or in Ethereum's", () =>
    Effect.gen(function*() {
      const { a, b, c, d, failing, multi, plain, roles, single } = yield* world
      for (const form of ["Klaytn", "Ethereum"] as const) {
        for (const message of ["0x", "0xdeadbeef", `0x${"00".repeat(200)}`] as const) {
          const sign = (by: DevAccount) => signMessage(by, message, form)
          const by = (owner: DevAccount, signer: DevAccount) => ofMessage(owner.address, message, sign(signer))
          yield* answers(by(plain, plain), plain.address)
          yield* answers(by(d, d), d.address)
          yield* answers(by(single, a), a.address)
          // One of them is enough, whatever it weighs and whatever it may do.
          for (const signer of [a, b]) yield* answers(by(multi, signer), signer.address)
          for (const signer of [b, c]) yield* answers(by(roles, signer), signer.address)
          for (
            const [owner, signer] of [
              [plain, a],
              [single, single],
              [multi, c],
              [roles, roles],
              [roles, a],
              [failing, failing]
            ] as const
          ) yield* refuses(by(owner, signer), "Invalid signature")
        }
      }
    }))

  it.effect("is looked for among the keys at the block that is asked about", () =>
    Effect.gen(function*() {
      const { a, single } = yield* world
      const sign = (by: DevAccount) => signMessage(by, "0x01", "Klaytn")
      yield* answers(ofMessage(single.address, "0x01", sign(single), "earliest"), single.address)
      yield* refuses(ofMessage(single.address, "0x01", sign(a), 0), "Invalid signature")
      yield* refuses(
        ofMessage(single.address, "0x01", sign(a), "0x99"),
        "the header does not exist (block number: 153)"
      )
    }))

  it.effect("is nobody for a contract, another message or another signature", () =>
    Effect.gen(function*() {
      const { chain, plain } = yield* world
      const { contractAddress } = yield* chain.execute({ kind: "deploy", from: plain, code: contractOf("00") })
      const signature = signMessage(plain, "0x01", "Klaytn")
      yield* refuses(ofMessage(contractAddress ?? "0x", "0x01", signature), "Invalid signature")
      yield* refuses(ofMessage(plain.address, "0x02", signature), "Invalid signature")
      const zeros: Hex = `0x${"00".repeat(64)}`
      yield* refuses(ofMessage(plain.address, "0x01", `${zeros}1b`), "recovery failed")
      yield* refuses(ofMessage(plain.address, "0x01", `${zeros}00`), "invalid signature (V is not 27 or 28)")
      yield* refuses(ofMessage(plain.address, "0x01", zeros), "signature must be 65 bytes long")
      yield* refuses(ofMessage(plain.address, "0x01", "0x"), "signature must be 65 bytes long")
      const other = `${signature.slice(0, -2)}${signature.endsWith("1b") ? "1c" : "1b"}`
      yield* refuses(ofMessage(plain.address, "0x01", `0x${other.slice(2)}`), "Invalid signature")
      yield* refuses(
        Rpc.reply("klay_recoverFromMessage", plain.address, "0x01", signature),
        "missing value for required argument 3",
        -32602
      )
    }))
})
