import * as Authorization from "@effect-klaytn/transaction/Authorization"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { StoreFailure } from "../src/ChainError.js"
import { memory } from "../src/ChainStorage.js"
import * as DevAccount from "../src/DevAccount.js"
import * as LocalChain from "../src/LocalChain.js"

const alice = DevAccount.derive("test", "alice")
const bob = DevAccount.derive("test", "bob")
const make = LocalChain.make({ chainId: 1001, clock: { start: 1_600_000_000, step: 1 } })
const balanceOf = (chain: LocalChain.LocalChain, block?: number) =>
  Effect.map(chain.account(bob.address, block), Option.match({ onNone: () => 0n, onSome: ({ balance }) => balance }))

describe("LocalChain", () => {
  it.effect("runs a block without HTTP and without a database", () =>
    Effect.gen(function*() {
      const chain = yield* make
      yield* chain.fund(alice.address, 10n ** 18n)
      const sent = yield* chain.execute({ kind: "transfer", from: alice, to: bob.address, value: 5n })
      assert.deepInclude(sent, { blockNumber: 2, status: 1, gasUsed: 21_000n, timestamp: 1_600_000_002 })
      assert.strictEqual(yield* balanceOf(chain), 5n)
    }))

  it.effect("reads the state of earlier blocks, and reverts to a snapshot", () =>
    Effect.gen(function*() {
      const chain = yield* make
      const snapshot = yield* chain.snapshot
      yield* chain.fund(bob.address, 1n)
      yield* chain.fund(bob.address, 2n)
      assert.deepStrictEqual(
        yield* Effect.forEach([0, 1, 2], (block) => balanceOf(chain, block)),
        [0n, 1n, 3n]
      )
      const { hash } = yield* chain.head
      yield* chain.revert(snapshot)
      assert.deepStrictEqual([(yield* chain.head).number, yield* balanceOf(chain)], [0, 0n])
      yield* chain.fund(bob.address, 1n)
      yield* chain.fund(bob.address, 2n)
      assert.strictEqual((yield* chain.head).hash, hash)
    }))

  it.effect("refuses what a node refuses, and changes nothing", () =>
    Effect.gen(function*() {
      const chain = yield* make
      const failure = yield* Effect.flip(chain.send({ kind: "transfer", from: alice, to: bob.address, value: 5n }))
      assert.deepInclude(failure, { _tag: "TransactionRejected", reason: "InsufficientFundsOfSender" })
      assert.strictEqual((yield* chain.head).number, 0)
    }))

  it.effect("keeps the time that was set when a block could not be built", () =>
    Effect.gen(function*() {
      const chain = yield* make
      yield* chain.setNextTimestamp(1_600_001_000)
      const early = { kind: "transfer", from: chain.faucet, to: bob.address, value: 1n, nonce: 7n } as const
      assert.strictEqual((yield* Effect.flip(chain.sendBlock([early])))._tag, "TransactionRejected")
      assert.deepStrictEqual((yield* chain.mine()).map(({ timestamp }) => timestamp), [1_600_001_000])
      yield* chain.advanceTime(50)
      assert.strictEqual((yield* Effect.flip(chain.sendBlock([early])))._tag, "TransactionRejected")
      assert.deepStrictEqual((yield* chain.mine()).map(({ timestamp }) => timestamp), [1_600_001_051])
    }))

  it.effect("keeps edits when the storage can't revert", () =>
    Effect.gen(function*() {
      const storage = memory()
      const revert = () => {
        throw new Error("the disk is gone")
      }
      const chain = yield* LocalChain.makeWith({ ...storage, revert }, { chainId: 1001 })
      const snapshot = yield* chain.snapshot
      yield* chain.edit(bob.address, { balance: 3n })
      assert.instanceOf(yield* Effect.flip(chain.revert(snapshot)), StoreFailure)
      assert.strictEqual(yield* balanceOf(chain), 3n)
    }))

  it.effect("estimates and measures gas with authorizations as a transaction with them pays it", () =>
    Effect.gen(function*() {
      // BALANCE of the account whose code is set.
      const reader: Hex = "0x00000000000000000000000000000000000abcde"
      const code: Hex = `0x73${bob.address.slice(2)}315000`
      const storage = memory()
      const chain = yield* LocalChain.makeWith(storage, {
        chainId: 1001,
        accounts: [{ address: reader, balance: 0n, code }, { address: bob.address, balance: 1n }]
      })
      yield* chain.fund(alice.address, 10n ** 18n)
      const signed = Authorization.sign({ chainId: 1001n, address: reader, nonce: 0n }, {
        privateKey: DevAccount.revealPrivateKey(bob)
      })
      assert(signed.ok)
      const own = Authorization.sign({ chainId: 1001n, address: reader, nonce: 1n }, {
        privateKey: DevAccount.revealPrivateKey(alice)
      })
      assert(own.ok)
      const request = { from: alice.address, to: reader, authorizationList: [signed.value] }
      const toSelf = { from: alice.address, to: alice.address, authorizationList: [own.value] }
      const estimate = yield* chain.estimateGas(request)
      const access = yield* chain.accessList(request)
      assert(estimate.kind === "enough" && access.kind === "listed")
      const send = (
        { authorizationList, to }: typeof request,
        gas: bigint,
        accessList: typeof access.accessList = []
      ) =>
        Effect.gen(function*() {
          const transaction = Transaction.signAsSender({
            type: "EthereumSetCode",
            chainId: 1001,
            nonce: yield* chain.pendingNonce(alice.address),
            maxFeePerGas: chain.unitPrice,
            maxPriorityFeePerGas: 0n,
            gas,
            to,
            value: 0n,
            input: "0x",
            accessList,
            authorizationList,
            signatures: []
          }, { chainId: 1001, privateKey: DevAccount.revealPrivateKey(alice) })
          assert(transaction.ok)
          const snapshot = yield* chain.snapshot
          const result = storage.transactionByHash(yield* chain.submit(transaction.value))
          yield* chain.revert(snapshot)
          return { status: result?.status, gasUsed: result?.gasUsed }
        })
      assert.strictEqual((yield* send(request, estimate.gas)).status, 1)
      assert.strictEqual((yield* send(request, estimate.gas - 1n)).status, 0)
      assert.deepStrictEqual(yield* send(request, 1_000_000n, access.accessList), {
        status: 1,
        gasUsed: access.gasUsed
      })
      // The nonce of the sender is raised before its own authorization counts.
      const ofSelf = yield* chain.estimateGas(toSelf)
      assert(ofSelf.kind === "enough")
      assert.strictEqual((yield* send(toSelf, ofSelf.gas)).status, 1)
      assert.strictEqual((yield* send(toSelf, ofSelf.gas - 1n)).status, 0)
    }))
})
