import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as Chains from "../src/Chains.js"
import * as TokenContract from "../src/TokenContract.js"

const klay = 10n ** 18n
const options = { clock: { start: 1_600_000_000, step: 1 }, seed: "execution tests" } as const
const alice = DevAccount.derive(options.seed, "alice")
const bob = DevAccount.derive(options.seed, "bob")

const withChain = Effect.gen(function*() {
  const chain = (yield* Chains.make(options)).chain(1001)
  yield* chain.fund(alice.address, 1000n * klay)
  yield* chain.fund(bob.address, 1000n * klay)
  return chain
})

/** Creation code of a contract with the given code. */
const contractOf = (code: string): Hex => `0x61${(code.length / 2).toString(16).padStart(4, "0")}80600a3d393df3${code}`

/** Copies the call data to a precompile and returns what it gives, up to 32 bytes at the end of a word. */
const forwardTo = (precompile: string, size: string) =>
  contractOf(`366000600037${`60${size}`}6110003660006${`1${precompile}`}62fffffffa503d611000f3`)

describe("execution", () => {
  it.scoped("answers who pays the fee (precompile 0x3fe)", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const store = contractOf("6014600c600060006103fe61fffffa50600051600055")
      const { contractAddress: to = "0x" } = yield* chain.execute({ kind: "deploy", from: alice, code: store })
      const payer = Effect.map(chain.storageAt(to, 0n), (word) => `0x${word.slice(26)}`)
      yield* chain.execute({ kind: "execute", from: alice, to, data: "0x", feePayer: bob })
      assert.strictEqual(yield* payer, bob.address)
      yield* chain.execute({ kind: "execute", from: alice, to, data: "0x" })
      assert.strictEqual(yield* payer, alice.address)
    }))

  it.scoped("checks signatures against an account's key inside a contract (precompile 0x3ff)", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const code = forwardTo("03ff", "01")
      const { contractAddress: to = "0x" } = yield* chain.execute({ kind: "deploy", from: alice, code })
      const digest = keccak_256(utf8ToBytes("a message"))
      const signedBy = (signer: DevAccount.DevAccount, above = 0): Hex => {
        const { recovery, rs } = noble.sign(digest, Redacted.value(signer.privateKey))
        const last = (recovery + above).toString(16).padStart(2, "0")
        return `0x${alice.address.slice(2)}${bytesToHex(digest)}${bytesToHex(rs)}${last}`
      }
      const valid = (data: Hex) => Effect.map(chain.call({ to, data }), (result) => result.data)
      assert.strictEqual(yield* valid(signedBy(alice)), "0x01")
      assert.strictEqual(yield* valid(signedBy(bob)), "0x00")
      assert.strictEqual(yield* valid("0x1234"), "0x00")
      // Ethereum's way to count from 27 is not that of this precompile.
      for (const above of [27, 54]) assert.strictEqual(yield* valid(signedBy(alice, above)), "0x00")
      const key = { type: "AccountKeyPublic", publicKey: bob.publicKey } as const
      yield* chain.execute({ kind: "updateKey", from: alice, key })
      assert.strictEqual(yield* valid(signedBy(alice)), "0x00")
      assert.strictEqual(yield* valid(signedBy(bob)), "0x01")
    }))

  it.scoped("takes a multisig account's transactions only with enough weight", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const keys = [alice, bob, DevAccount.derive(options.seed, "carol")]
      yield* chain.execute({
        kind: "updateKey",
        from: alice,
        key: {
          type: "AccountKeyWeightedMultiSig",
          threshold: 3,
          keys: keys.map(({ publicKey }, index) => ({ weight: index + 1, publicKey }))
        }
      })
      const made = Transaction.make({
        type: "ValueTransfer",
        nonce: 1n,
        gasPrice: chain.unitPrice,
        gas: 100_000n,
        from: alice.address,
        to: bob.address,
        value: 1n
      })
      assert(made.ok)
      const sign = (transaction: typeof made.value, signer: DevAccount.DevAccount) => {
        const signed = Transaction.signAsSender(transaction, {
          chainId: 1001,
          privateKey: DevAccount.revealPrivateKey(signer)
        })
        assert(signed.ok)
        return signed.value
      }
      const light = sign(made.value, alice)
      const refused = yield* Effect.flip(chain.submit(light))
      assert.strictEqual(refused.message, "invalid sender: invalid account key")
      const hash = yield* chain.submit(sign(light, bob))
      assert.strictEqual(Option.getOrThrow(yield* chain.transaction(hash)).gasUsed, 21_000n + 15_000n)
    }))

  it.scoped("runs Ethereum's transactions, and refuses them from an account with a Klaytn key", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const send = (nonce: bigint) => {
        const made = Transaction.make({
          type: "EthereumDynamicFee",
          chainId: 1001,
          nonce,
          maxPriorityFeePerGas: 1n,
          maxFeePerGas: 2n * chain.unitPrice,
          gas: 100_000n,
          to: bob.address,
          value: 5n,
          input: "0x",
          accessList: []
        })
        assert(made.ok)
        const signed = Transaction.signAsSender(made.value, {
          chainId: 1001,
          privateKey: DevAccount.revealPrivateKey(alice)
        })
        assert(signed.ok)
        const raw = Transaction.encode(signed.value)
        assert(raw.ok)
        return chain.submitRaw(raw.value)
      }
      const record = Option.getOrThrow(yield* chain.transaction(yield* send(0n)))
      assert.deepStrictEqual([record.typeInt, record.from, record.status], [30722, alice.address, 1])
      assert.strictEqual(fromBytes(keccak_256(Buffer.from(record.raw.slice(2), "hex"))), record.hash)
      const key = { type: "AccountKeyPublic", publicKey: alice.publicKey } as const
      yield* chain.execute({ kind: "updateKey", from: alice, key })
      const refused = yield* Effect.flip(send(2n))
      assert.strictEqual(refused.message, "invalid sender: a legacy transaction must be with a legacy account key")
    }))

  it.scoped("uses up the nonce of a cancel and of an anchoring without any transfer", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const cancel = yield* chain.execute({ kind: "cancel", from: alice })
      const anchor = yield* chain.execute({ kind: "anchor", from: alice, data: "0x1234", feePayer: bob })
      assert.deepStrictEqual([cancel.typeInt, anchor.typeInt, anchor.gasUsed], [56, 73, 31_080n])
      assert.deepStrictEqual(yield* chain.transfersOf(anchor.hash), [])
      assert.strictEqual(Option.getOrThrow(yield* chain.account(alice.address)).nonce, 2n)
      const bySender = Option.getOrThrow(yield* chain.transactionBySenderHash(anchor.senderTxHash))
      assert.notStrictEqual(anchor.senderTxHash, anchor.hash)
      assert.deepStrictEqual(bySender, anchor)
      assert.deepStrictEqual(Option.getOrThrow(yield* chain.transactionBySenderHash(cancel.hash)), cancel)
    }))

  it.scoped("gives a contract account a key that nobody can sign for", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const { address } = yield* TokenContract.deploy(chain, alice, { kind: "ft", name: "A", symbol: "B" })
      const account = Option.getOrThrow(yield* chain.account(address))
      assert.deepStrictEqual([account.key.type, account.isContract, account.nonce], ["AccountKeyFail", true, 1n])
      const refused = yield* Effect.flip(chain.execute({ kind: "transfer", from: alice, to: address, value: 1n }))
      assert.strictEqual(refused.message, "recipient must be an EOA without code")
    }))

  it.scoped("finds logs by block, emitter and topics, and shows them in the block's bloom filter", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const apples = yield* TokenContract.deploy(chain, alice, { kind: "ft", name: "A", symbol: "B" })
      const pears = yield* TokenContract.deploy(chain, alice, { kind: "ft", name: "C", symbol: "D" })
      for (const token of [apples, pears]) {
        yield* TokenContract.mint(chain, alice, token, { kind: "ft", to: alice.address, amount: 9n })
        yield* TokenContract.transfer(chain, alice, token, { kind: "ft", to: bob.address, amount: 4n })
      }
      const all = { fromBlock: 0, toBlock: (yield* chain.head).number, limit: 100 }
      const count = (query: Partial<Parameters<typeof chain.logs>[0]>) =>
        Effect.map(chain.logs({ ...all, ...query }), (logs) => logs.length)
      const word = (address: Hex): Hex => `0x${address.slice(2).padStart(64, "0")}`
      assert.strictEqual(yield* count({}), 4)
      assert.strictEqual(yield* count({ addresses: [pears.address] }), 2)
      assert.strictEqual(yield* count({ addresses: [pears.address, apples.address] }), 4)
      assert.strictEqual(yield* count({ topics: [undefined, [word(alice.address)]] }), 2)
      assert.strictEqual(yield* count({ topics: [undefined, undefined, [word(alice.address), word(bob.address)]] }), 4)
      assert.strictEqual(yield* count({ topics: [undefined, undefined, undefined, undefined] }), 0)
      const last = Option.getOrThrow(yield* chain.block(all.toBlock))
      assert.strictEqual(yield* count({ fromBlock: last.number }), 1)
      const [log] = yield* chain.logs({ ...all, fromBlock: last.number })
      assert.isDefined(log)
      assert.strictEqual(log.blockHash, last.hash)
      const bits = BigInt(last.logsBloom)
      for (const item of [log.address, ...log.topics]) {
        const hash = keccak_256(Buffer.from(item.slice(2), "hex"))
        for (const at of [0, 2, 4]) {
          const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047
          assert.strictEqual(bits >> BigInt(bit) & 1n, 1n)
        }
      }
    }))

  it.scoped("loses nothing but fees: all balances together shrink by what was charged", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const everybody = [alice.address, bob.address, chain.faucet.address]
      const total = Effect.map(
        Effect.forEach(everybody, (address) => chain.account(address)),
        (accounts) => accounts.reduce((sum, account) => sum + Option.getOrThrow(account).balance, 0n)
      )
      const before = yield* total
      const { fee: first } = yield* chain.execute({ kind: "transfer", from: alice, to: bob.address, value: klay })
      const { fee: second } = yield* chain.execute({
        kind: "transfer",
        from: bob,
        to: alice.address,
        value: 3n,
        feePayer: alice,
        feeRatio: 33
      })
      assert.strictEqual(before - (yield* total), first + second)
    }))

  it.scoped("builds a block of what waits at every interval, by the runtime's clock", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_700_000_000_000)
      const chain = (yield* Chains.make({ seed: "x", mining: { every: "5 seconds" } })).chain(8217)
      const hash = yield* chain.send({ kind: "transfer", from: chain.faucet, to: bob.address, value: 1n })
      assert.isTrue(Option.isNone(yield* chain.transaction(hash)))
      yield* TestClock.adjust("6 seconds")
      // The block is built outside of the test clock; asking for the head's turn waits for it.
      yield* Effect.repeat(Effect.promise(() => new Promise((resolve) => setImmediate(resolve))), {
        until: () => Effect.map(chain.transaction(hash), Option.isSome)
      })
      const record = Option.getOrThrow(yield* chain.transaction(hash))
      assert.isAtLeast(record.timestamp, 1_700_000_005)
      assert.strictEqual(yield* chain.now, 1_700_000_006)
    }))
})
