import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Chains from "../src/Chains.js"

const klay = 10n ** 18n
const fixed = { clock: { start: 1_600_000_000, step: 1 }, seed: "chain tests" } as const
const alice = DevAccount.derive("chain tests", "alice")
const bob = DevAccount.derive("chain tests", "bob")
const carol = DevAccount.derive("chain tests", "carol")
const unitPrice = 25_000_000_000n

const withChain = Effect.gen(function*() {
  const chains = yield* Chains.make(fixed)
  return chains.chain(1001)
})

const balance = (
  chain: { readonly account: Effect.Effect.Success<typeof withChain>["account"] },
  address: `0x${string}`
) => Effect.map(chain.account(address), (found) => Option.isSome(found) ? found.value.balance : 0n)

describe("Chain", () => {
  it.scoped("executes a value transfer, takes the fee and stores block, transaction and transfer", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      yield* chain.fund(alice.address, 10n * klay)
      const record = yield* chain.execute({ kind: "transfer", from: alice, to: bob.address, value: klay })
      assert.strictEqual(record.status, 1)
      assert.strictEqual(record.gasUsed, 21_000n)
      assert.strictEqual(record.fee, 21_000n * (yield* chain.gasPrice))
      assert.strictEqual(record.blockNumber, 2)
      assert.strictEqual(record.timestamp, 1_600_000_002)
      assert.strictEqual(yield* balance(chain, alice.address), 9n * klay - record.fee)
      assert.strictEqual(yield* balance(chain, bob.address), klay)
      const found = yield* chain.transfersOf(record.hash)
      assert.deepStrictEqual(found.map(({ from, kind, to }) => [kind, from, to]), [[
        "coin",
        alice.address,
        bob.address
      ]])
      const block = Option.getOrThrow(yield* chain.block(2))
      assert.strictEqual(block.transactionCount, 1)
      assert.strictEqual(block.parentHash, Option.getOrThrow(yield* chain.block(1)).hash)
    }))

  it.scoped("lets a fee payer pay, whole or by ratio", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      yield* chain.fund(alice.address, klay)
      yield* chain.fund(carol.address, klay)
      const whole = yield* chain.execute({
        kind: "transfer",
        from: alice,
        to: bob.address,
        value: klay,
        feePayer: carol
      })
      assert.strictEqual(whole.feePayer, carol.address)
      assert.strictEqual(whole.gasUsed, 31_000n)
      assert.strictEqual(yield* balance(chain, alice.address), 0n)
      assert.strictEqual(yield* balance(chain, carol.address), klay - whole.fee)
      yield* chain.fund(alice.address, klay)
      const before = yield* balance(chain, carol.address)
      const part = yield* chain.execute({
        kind: "transfer",
        from: alice,
        to: bob.address,
        value: 5n,
        memo: "0x68656c6c6f",
        feePayer: carol,
        feeRatio: 30
      })
      assert.strictEqual(part.typeInt, 18)
      assert.strictEqual(part.feeRatio, 30)
      assert.strictEqual(before - (yield* balance(chain, carol.address)), part.fee * 30n / 100n)
      assert.strictEqual(klay - 5n - (yield* balance(chain, alice.address)), part.fee * 70n / 100n)
    }))

  it.scoped("takes foreign bytes only with signatures of the account's key", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      yield* chain.fund(alice.address, 10n * klay)
      const raw = yield* chain.sign({ kind: "transfer", from: alice, to: bob.address, value: 1n })
      const forged = yield* chain.sign({
        kind: "transfer",
        from: { ...bob, address: alice.address },
        to: bob.address,
        value: 1n
      })
      const wrong = yield* Effect.flip(chain.submitRaw(forged))
      assert.strictEqual(wrong.message, "invalid sender: invalid account key")
      const hash = yield* chain.submitRaw(raw)
      assert.isTrue(Option.isSome(yield* chain.transaction(hash)))
      const again = yield* Effect.flip(chain.submitRaw(raw))
      assert.strictEqual(again.message, "nonce too low")
    }))

  it.scoped("refuses bytes that were signed for the other chain", () =>
    Effect.gen(function*() {
      const chains = yield* Chains.make(fixed)
      yield* chains.chain(1001).fund(alice.address, klay)
      const raw = yield* chains.chain(8217).sign({ kind: "transfer", from: alice, to: bob.address, value: 1n })
      const refused = yield* Effect.flip(chains.chain(1001).submitRaw(raw))
      assert.strictEqual(refused.message, "invalid chain id")
      assert.strictEqual((yield* chains.chain(8217).head).number, 0)
    }))

  it.scoped("checks signatures by the account's new key after an account update", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      yield* chain.fund(alice.address, 10n * klay)
      const key = { type: "AccountKeyPublic", publicKey: bob.publicKey } as const
      const update = yield* chain.execute({ kind: "updateKey", from: alice, key })
      assert.strictEqual(update.gasUsed, 41_000n)
      assert.deepStrictEqual(yield* chain.transfersOf(update.hash), [])
      assert.deepStrictEqual(Option.getOrThrow(yield* chain.account(alice.address)).key, key)
      assert.deepStrictEqual(Option.getOrThrow(yield* chain.account(alice.address, 1)).key, {
        type: "AccountKeyLegacy"
      })
      const old = yield* Effect.flip(chain.execute({ kind: "transfer", from: alice, to: carol.address, value: 1n }))
      assert.strictEqual(old.message, "invalid sender: invalid account key")
      const withNewKey = { ...bob, address: alice.address }
      yield* chain.submitRaw(yield* chain.sign({ kind: "transfer", from: withNewKey, to: carol.address, value: 1n }))
      assert.strictEqual(yield* balance(chain, carol.address), 1n)
    }))

  it.scoped("asks each role of a role-based key for its own transactions", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      yield* chain.fund(alice.address, 10n * klay)
      yield* chain.fund(bob.address, 10n * klay)
      const keyOf = ({ publicKey }: DevAccount.DevAccount) => ({ type: "AccountKeyPublic", publicKey } as const)
      yield* chain.execute({
        kind: "updateKey",
        from: alice,
        key: { type: "AccountKeyRoleBased", keys: [keyOf(bob), keyOf(carol), keyOf(alice)] }
      })
      const as = (signer: DevAccount.DevAccount) => ({ ...signer, address: alice.address })
      const send = (signer: DevAccount.DevAccount) =>
        chain.execute({ kind: "transfer", from: as(signer), to: carol.address, value: 1n })
      assert.strictEqual((yield* Effect.flip(send(carol)))._tag, "TransactionRejected")
      yield* send(bob)
      const pays = (signer: DevAccount.DevAccount) =>
        chain.execute({ kind: "transfer", from: bob, to: carol.address, value: 1n, feePayer: as(signer) })
      assert.strictEqual(
        (yield* Effect.flip(pays(bob))).message,
        "invalid fee payer: invalid account key"
      )
      yield* pays(alice)
    }))

  it.scoped("words every refusal as a node does, and changes nothing", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      yield* chain.fund(alice.address, klay)
      yield* chain.fund(carol.address, 1n)
      const head = yield* chain.head
      const contract = "0x00000000000000000000000000000000000000aa" as const
      const cases = [
        [{ value: klay }, "insufficient funds of the sender for value "],
        [{ gas: 20_000n }, "intrinsic gas too low"],
        [{ nonce: 0n, from: chain.faucet }, "nonce too low"],
        [{ feePayer: carol, value: 1n }, "insufficient funds of the fee payer for gas * price"],
        [{ to: contract }, "the address is reserved for pre-compiled contracts"],
        [{ gas: 10n ** 12n }, "tx gas limit exceeds the upper limit: gas 1000000000000, limit 500000000"]
      ] as const
      for (const [fields, message] of cases) {
        const refused = yield* Effect.flip(
          chain.execute({ kind: "transfer", from: alice, to: bob.address, value: 1n, ...fields })
        )
        assert.strictEqual(refused.message, message)
      }
      const notCode = yield* Effect.flip(chain.execute({ kind: "execute", from: alice, to: bob.address, data: "0x" }))
      assert.strictEqual(notCode.message, "recipient must be an EOA with code or an SCA")
      assert.deepStrictEqual(yield* chain.head, head)
    }))

  it.scoped("refuses a price below the base fee and charges who offers more what they offer", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      yield* chain.fund(alice.address, klay)
      const offer = (gasPrice: bigint) => {
        const made = Transaction.make({
          type: "LegacyTransaction",
          nonce: 0n,
          gasPrice,
          gas: 21_000n,
          to: bob.address,
          value: 1n,
          input: "0x"
        })
        assert.isTrue(made.ok)
        const signed = Transaction.signAsSender(made.value, {
          chainId: 1001,
          privateKey: DevAccount.revealPrivateKey(alice)
        })
        assert.isTrue(signed.ok)
        return chain.submit(signed.value)
      }
      const low = yield* Effect.flip(offer(unitPrice - 1n))
      assert.match(low.message, /greater than or equal to baseFee/)
      const hash = yield* offer(2n * unitPrice)
      assert.strictEqual(Option.getOrThrow(yield* chain.transaction(hash)).fee, 21_000n * 2n * unitPrice)
    }))

  it.scoped("keeps a transaction with a later nonce until the gap is filled", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      yield* chain.fund(alice.address, klay)
      const second = yield* chain.send({ kind: "transfer", from: alice, to: bob.address, value: 2n, nonce: 1n })
      assert.deepStrictEqual(yield* chain.pending, [second])
      assert.strictEqual(yield* chain.pendingNonce(alice.address), 0n)
      const taken = yield* Effect.flip(
        chain.send({ kind: "transfer", from: alice, to: bob.address, value: 3n, nonce: 1n })
      )
      assert.strictEqual(taken.message, "there is another tx which has the same nonce in the tx pool")
      const first = yield* chain.send({ kind: "transfer", from: alice, to: bob.address, value: 1n })
      assert.deepStrictEqual(yield* chain.pending, [])
      const block = (yield* chain.head).number
      assert.deepStrictEqual((yield* chain.transactionsOf(block)).map(({ hash }) => hash), [first, second])
    }))

  it.scoped("waits for a call to mine when mining is manual", () =>
    Effect.gen(function*() {
      const chain = (yield* Chains.make({ ...fixed, mining: "manual" })).chain(8217)
      const hash = yield* chain.send({ kind: "transfer", from: chain.faucet, to: bob.address, value: 1n })
      assert.isTrue(Option.isNone(yield* chain.transaction(hash)))
      assert.strictEqual(yield* chain.pendingNonce(chain.faucet.address), 1n)
      const known = yield* Effect.flip(
        Effect.flatMap(
          chain.sign({ kind: "transfer", from: chain.faucet, to: bob.address, value: 1n, nonce: 0n }),
          chain.submitRaw
        )
      )
      assert.strictEqual(known.message, `known transaction: ${hash.slice(2)}`)
      const blocks = yield* chain.mine(3)
      assert.deepStrictEqual(blocks.map(({ number, transactionCount }) => [number, transactionCount]), [
        [1, 1],
        [2, 0],
        [3, 0]
      ])
    }))

  it.scoped("goes back to a snapshot with state, blocks, transfers, pool and time", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      yield* chain.fund(alice.address, klay)
      yield* chain.advanceTime(100)
      const snapshot = yield* chain.snapshot
      const head = yield* chain.head
      const sent = yield* chain.execute({ kind: "transfer", from: alice, to: bob.address, value: 7n })
      assert.strictEqual(sent.timestamp, head.timestamp + 101)
      yield* chain.revert(snapshot)
      assert.deepStrictEqual(yield* chain.head, head)
      assert.strictEqual(yield* balance(chain, bob.address), 0n)
      assert.strictEqual(yield* balance(chain, alice.address), klay)
      assert.deepStrictEqual(yield* chain.transfers({ accounts: [bob.address], limit: 10 }), [])
      const again = yield* chain.execute({ kind: "transfer", from: alice, to: bob.address, value: 7n })
      assert.deepStrictEqual(again, sent)
      assert.strictEqual((yield* Effect.flip(chain.revert(snapshot)))._tag, "SnapshotNotFound")
      yield* chain.reset
      assert.strictEqual((yield* chain.head).number, 0)
      assert.isTrue(Option.isNone(yield* chain.account(alice.address)))
    }))

  it.scoped("makes the same blocks from the same calls", () =>
    Effect.gen(function*() {
      const run = Effect.scoped(Effect.gen(function*() {
        const chain = yield* withChain
        yield* chain.fund(alice.address, klay)
        yield* chain.execute({ kind: "transfer", from: alice, to: bob.address, value: 7n, feePayer: chain.faucet })
        return (yield* chain.head).hash
      }))
      assert.strictEqual(yield* run, yield* run)
    }))
})
