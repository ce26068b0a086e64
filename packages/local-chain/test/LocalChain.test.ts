import * as Authorization from "@effect-klaytn/transaction/Authorization"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import { hexToBytes } from "@ethereumjs/util"
import { keccak_256 } from "@noble/hashes/sha3.js"
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

  it.effect("takes addresses in any letter case, for the genesis block and for the blocks to come", () =>
    Effect.gen(function*() {
      const upperCase = (hex: Hex): Hex => `0x${hex.slice(2).toUpperCase()}`
      const accounts = [{ address: upperCase(bob.address), balance: 3n }]
      const chain = yield* LocalChain.make({ chainId: 1001, accounts })
      assert.strictEqual(yield* balanceOf(chain), 3n)
      const mixHash: Hex = `0x${"ab".repeat(32)}`
      yield* chain.setNextBlock({ miner: upperCase(alice.address), mixHash: upperCase(mixHash) })
      yield* chain.mine()
      assert.deepInclude(yield* chain.head, { miner: alice.address, mixHash })
    }))

  it.effect("has another mix hash in each block, made of the hash of the parent", () =>
    Effect.gen(function*() {
      const chain = yield* LocalChain.make({ chainId: 1001 })
      for (const _ of [1, 2, 3]) {
        const { mixHash } = yield* chain.nextBlock
        yield* chain.mine()
        const { parentHash, ...head } = yield* chain.head
        assert.strictEqual(head.mixHash, fromBytes(keccak_256(hexToBytes(parentHash))))
        assert.strictEqual(mixHash, head.mixHash)
      }
    }))

  it.effect("drops the transaction behind one that can't be in a block, as a node does, and keeps the later ones", () =>
    Effect.gen(function*() {
      const chain = yield* LocalChain.make({ chainId: 1001, mining: "onDemand" })
      const transfer = { kind: "transfer", from: alice, to: bob.address } as const
      yield* chain.edit(alice.address, { balance: 10n ** 18n })
      const unpayable = yield* chain.send({ ...transfer, value: 5n })
      const send = (nonce: bigint) => chain.send({ ...transfer, value: 0n, feePayer: chain.faucet, nonce })
      const [behind, later] = [yield* send(1n), yield* send(2n)]
      yield* chain.edit(alice.address, { balance: 0n })
      yield* chain.mine()
      assert.deepStrictEqual((yield* chain.dropped).map(({ hash }) => hash), [unpayable, behind])
      assert.deepStrictEqual(yield* chain.pending, [later])
      for (const nonce of [0n, 1n]) yield* send(nonce)
      const [block] = yield* chain.mine()
      assert.strictEqual(block?.transactionCount, 3)
    }))

  it.effect("builds no block of exactly these transactions if a nonce is missing", () =>
    Effect.gen(function*() {
      const chain = yield* make
      const request = { kind: "transfer", from: chain.faucet, to: bob.address, value: 1n, nonce: 7n } as const
      const failure = yield* Effect.flip(chain.sendBlock([request]))
      assert.deepInclude(failure, { _tag: "TransactionRejected", reason: "NonceTooHigh", message: "nonce too high" })
    }))

  it.effect("drops a transaction whose nonce was used by an authorization of its sender", () =>
    Effect.gen(function*() {
      const chain = yield* LocalChain.make({ chainId: 1001, mining: "onDemand" })
      for (const { address } of [alice, bob]) yield* chain.edit(address, { balance: 10n ** 18n })
      const authorization = Authorization.sign({ chainId: 1001n, address: chain.faucet.address, nonce: 0n }, {
        privateKey: DevAccount.revealPrivateKey(bob)
      })
      assert(authorization.ok)
      const transaction = Transaction.signAsSender({
        type: "EthereumSetCode",
        chainId: 1001,
        nonce: 0n,
        maxFeePerGas: chain.unitPrice * 2n,
        maxPriorityFeePerGas: 0n,
        gas: 100_000n,
        to: alice.address,
        value: 0n,
        input: "0x",
        accessList: [],
        authorizationList: [authorization.value],
        signatures: []
      }, { chainId: 1001, privateKey: DevAccount.revealPrivateKey(alice) })
      assert(transaction.ok)
      yield* chain.submit(transaction.value)
      const waiting = yield* chain.send({ kind: "transfer", from: bob, to: alice.address, value: 1n })
      // The base fee keeps the second one out of the block that uses its nonce.
      yield* chain.setNextBlock({ baseFeePerGas: chain.unitPrice * 2n })
      yield* chain.mine()
      assert.deepStrictEqual(yield* chain.pending, [])
      assert.deepStrictEqual((yield* chain.dropped).map(({ hash }) => hash), [waiting])
    }))

  it.effect("executes nothing later that it could not execute at once", () =>
    Effect.gen(function*() {
      const chain = yield* make
      const transfer = { kind: "transfer", from: chain.faucet, to: bob.address, value: 1n } as const
      const failure = yield* Effect.flip(chain.execute({ ...transfer, nonce: 1n }))
      assert.strictEqual(failure._tag, "InvalidRequest")
      assert.deepStrictEqual(yield* chain.pending, [])
      yield* chain.execute(transfer)
      assert.strictEqual(yield* balanceOf(chain), 1n)
    }))

  it.effect("overrides slots and values that lack leading zeros", () =>
    Effect.gen(function*() {
      const chain = yield* make
      // Returns slot 0.
      const code = "0x60005460005260206000f3"
      const stateDiff = new Map<Hex, Hex>([["0x0", "0x12a"]])
      const { data } = yield* chain.call({ to: bob.address, overrides: new Map([[bob.address, { code, stateDiff }]]) })
      assert.strictEqual(data, `0x${"12a".padStart(64, "0")}`)
    }))

  it.effect("reverts what was set for the blocks to come, and sets again what a reverted block used", () =>
    Effect.gen(function*() {
      const chain = yield* make
      yield* chain.setNextTimestamp(1_700_000_000)
      yield* chain.setNextBlock({ baseFeePerGas: 7n })
      const fields = yield* chain.nextBlock
      const snapshot = yield* chain.snapshot
      yield* chain.mine(2)
      yield* chain.setTimestampInterval(10)
      yield* chain.setNextBlock({ gasLimit: 5n })
      yield* chain.revert(snapshot)
      assert.isUndefined(yield* chain.timestampInterval)
      assert.deepStrictEqual(yield* chain.nextBlock, fields)
      const mined = yield* chain.mine(2)
      assert.deepStrictEqual(mined.map(({ baseFeePerGas, timestamp }) => [timestamp, baseFeePerGas]), [
        [1_700_000_000, 7n],
        [1_700_000_001, chain.unitPrice]
      ])
    }))

  it.effect("keeps code in memory that a reverted block stored", () =>
    Effect.gen(function*() {
      const storage = memory()
      const chain = yield* LocalChain.makeWith(storage, { chainId: 1001 })
      const snapshot = yield* chain.snapshot
      // Creates a contract of the 10 bytes behind it.
      const code = "0x600a600c600039600a6000f3602a60005260206000f3"
      yield* chain.execute({ kind: "deploy", from: chain.faucet, code })
      yield* chain.revert(snapshot)
      const { contractAddress } = yield* chain.execute({ kind: "deploy", from: chain.faucet, code })
      assert.isDefined(contractAddress)
      const again = yield* LocalChain.makeWith(storage, { chainId: 1001 })
      assert.strictEqual(yield* again.code(contractAddress ?? "0x"), "0x602a60005260206000f3")
    }))
})
