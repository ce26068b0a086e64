import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as DevAccount from "../src/DevAccount.js"
import type { LocalChain } from "../src/LocalChain.js"
import { openChain } from "./support/openChain.js"

const klay = 10n ** 18n
const seed = "admission tests"
const [alice, bob, carol] = [
  DevAccount.derive(seed, "alice"),
  DevAccount.derive(seed, "bob"),
  DevAccount.derive(seed, "carol")
]
const nobody: Hex = `0x${"0".repeat(40)}`

const withWorld = openChain({
  accounts: [alice, bob, carol].map(({ address }) => ({ address, balance: 100n * klay })),
  mining: "onDemand"
})
const withChain = Effect.map(withWorld, ({ chain }) => chain)

interface Fields {
  readonly to?: Hex
  readonly input?: Hex
  readonly value?: bigint
  readonly gas?: bigint
  readonly price?: bigint
}

const signed = (chain: LocalChain, transaction: Transaction.Transaction, by = alice) => {
  const result = Transaction.signAsSender<Transaction.Transaction>(transaction, {
    chainId: chain.chainId,
    privateKey: DevAccount.revealPrivateKey(by)
  })
  assert(result.ok)
  return result.value
}

const legacy = (
  chain: LocalChain,
  { gas = 1_000_000n, input = "0x", price = chain.unitPrice, to, value = 0n }: Fields
) => {
  const made = Transaction.make({
    type: "LegacyTransaction",
    nonce: 0n,
    gasPrice: price,
    gas,
    ...(to !== undefined && { to }),
    value,
    input
  })
  assert(made.ok)
  return signed(chain, made.value)
}

const dynamic = (chain: LocalChain, price: bigint) => {
  const made = Transaction.make({
    type: "EthereumDynamicFee",
    chainId: chain.chainId,
    nonce: 0n,
    maxPriorityFeePerGas: 0n,
    maxFeePerGas: price,
    gas: 1_000_000n,
    to: bob.address,
    value: 0n,
    input: "0x",
    accessList: []
  })
  assert(made.ok)
  return signed(chain, made.value)
}

const refusal = (chain: LocalChain, transaction: Transaction.Transaction) =>
  Effect.map(Effect.flip(chain.submit(transaction)), ({ message }) => message)

describe("what a node's pool refuses", () => {
  it.scoped("names the sender or the fee payer whose key has not signed", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const made = Transaction.make({
        type: "FeeDelegatedValueTransfer",
        nonce: 0n,
        gasPrice: chain.unitPrice,
        gas: 100_000n,
        from: alice.address,
        to: bob.address,
        value: 1n,
        feePayer: bob.address
      })
      assert(made.ok)
      const paid = (transaction: Transaction.Transaction, by: DevAccount.DevAccount) => {
        assert(Transaction.isFeeDelegatedTransaction(transaction))
        const result = Transaction.signAsFeePayer<Transaction.FeeDelegatedTransaction>(transaction, {
          chainId: chain.chainId,
          privateKey: DevAccount.revealPrivateKey(by),
          feePayer: bob.address
        })
        assert(result.ok)
        return result.value
      }
      const right = signed(chain, made.value)
      assert.strictEqual(
        yield* refusal(chain, paid(signed(chain, made.value, carol), bob)),
        "invalid sender: invalid account key"
      )
      assert.strictEqual(yield* refusal(chain, paid(right, carol)), "invalid fee payer: invalid account key")
      yield* chain.execute({
        kind: "updateKey",
        from: alice,
        key: { type: "AccountKeyPublic", publicKey: carol.publicKey }
      })
      assert.strictEqual(
        yield* refusal(chain, legacy(chain, { to: bob.address })),
        "invalid sender: a legacy transaction must be with a legacy account key"
      )
    }))

  it.scoped("says how large creation code and a gas limit may be, before it looks at anything else", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const code = (bytes: number): Hex => `0x${"00".repeat(bytes)}`
      assert.strictEqual(
        yield* refusal(chain, legacy(chain, { input: code(49_153), price: 0n })),
        "max initcode size exceeded: code size 49153, limit 49152"
      )
      assert.strictEqual(
        yield* refusal(chain, legacy(chain, { to: bob.address, gas: 10n ** 12n, price: 0n })),
        "tx gas limit exceeds the upper limit: gas 1000000000000, limit 500000000"
      )
      yield* chain.submit(legacy(chain, { input: code(49_152), gas: 10_000_000n }))
    }))

  it.scoped("names the price by the word of the transaction's type", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const rest = "It must be set to value greater than or equal to baseFee"
      assert.strictEqual(
        yield* refusal(chain, legacy(chain, { to: bob.address, price: 1n })),
        `invalid gas price. ${rest}`
      )
      assert.strictEqual(yield* refusal(chain, dynamic(chain, 1n)), `invalid gas fee cap. ${rest}`)
    }))

  it.scoped("asks for the price that is offered, and takes it", () =>
    Effect.gen(function*() {
      const { chain, storage } = yield* withWorld
      const price = 100n * klay / 21_000n
      assert.strictEqual(
        yield* refusal(chain, legacy(chain, { to: bob.address, gas: 21_000n, price: price + 1n })),
        "insufficient funds of the sender for value "
      )
      const hash = yield* chain.submit(legacy(chain, { to: bob.address, gas: 21_000n, price }))
      yield* chain.mine()
      assert.strictEqual(storage.transactionByHash(hash)?.fee, 21_000n * price)
    }))

  it.scoped("keeps the addresses up to 0x3ff free, but for the zero address, where coin is burnt", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const reserved = "the address is reserved for pre-compiled contracts"
      const at = (digits: string): Hex => `0x${digits.padStart(40, "0")}`
      for (const to of [at("1"), at("a"), at("3ff")]) {
        assert.strictEqual(yield* refusal(chain, legacy(chain, { to })), reserved)
        const refused = yield* Effect.flip(chain.send({ kind: "transfer", from: bob, to, value: 1n }))
        assert.strictEqual(refused.message, reserved)
      }
      yield* chain.submit(legacy(chain, { to: nobody, value: 1n }))
      yield* chain.send({ kind: "transfer", from: bob, to: nobody, value: 2n })
      assert.strictEqual((yield* chain.mine()).length, 1)
      assert.strictEqual(Option.getOrThrow(yield* chain.account(nobody)).balance, 3n)
    }))

  it.scoped("knows a transaction that waits before it judges it", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const all = legacy(chain, { to: bob.address, value: 99n * klay })
      const hash = yield* chain.submit(all)
      // It could not be paid a second time, and is the same.
      assert.strictEqual(yield* refusal(chain, all), `known transaction: ${hash.slice(2)}`)
    }))
})
