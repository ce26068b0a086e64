import { bytesOf, fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as DevAccount from "../src/DevAccount.js"
import { openChain } from "./support/openChain.js"

const klay = 10n ** 18n
const seed = "execution tests"
const alice = DevAccount.derive(seed, "alice")
const bob = DevAccount.derive(seed, "bob")

const withWorld = openChain({
  clock: { start: 1_600_000_000, step: 1 },
  accounts: [alice, bob].map(({ address }) => ({ address, balance: 1000n * klay }))
})
const withChain = Effect.map(withWorld, ({ chain }) => chain)

/** Creation code of a contract with the given code. */
const contractOf = (code: string): Hex => `0x61${(code.length / 2).toString(16).padStart(4, "0")}80600a3d393df3${code}`

/** Copies the call data to a precompile and returns what it gives, up to 32 bytes at the end of a word. */
const forwardTo = (precompile: string, size: string) =>
  contractOf(`366000600037${`60${size}`}6110003660006${`1${precompile}`}62fffffffa503d611000f3`)

describe("execution", () => {
  it.scoped("ends a loop of calls that succeed and calls that fail, however many came before", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const push = (...bytes: ReadonlyArray<number>) =>
        bytes.map((one) => `60${one.toString(16).padStart(2, "0")}`).join("")
      // A call of an empty account, and one of a precompile without gas. Some 38,000 turns.
      const data: Hex = `0x5b${push(0, 0, 0, 0, 0, 0)}5af150${push(0, 0, 0, 0, 0, 6, 0)}f15060005600`
      const { fault, gasUsed } = yield* chain.call({ data, gas: 10_000_000n })
      assert.deepStrictEqual([fault, gasUsed], ["out of gas", 10_000_000n])
    }))

  it.scoped("copies what there is of input and code, with zeros behind their end", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const input = "a1a2a3a4a5"
      const far = `7f${"ff".repeat(32)}`
      for (const [instruction, source] of [["37", "input"], ["39", "code"], ["303c", "code"]] as const) {
        for (const [offset, length] of [[0, 4], [0, 5], [3, 7], [5, 3], [9, 1], [4, 40], ["far", 6], [2, 0]] as const) {
          const place = offset === "far" ? far : `60${offset.toString(16).padStart(2, "0")}`
          const size = `60${length.toString(16).padStart(2, "0")}`
          const code = `${far}5f52${size}${place}6001${instruction}60405ff3`
          const { contractAddress: to = "0x" } = yield* chain.execute({
            kind: "deploy",
            from: alice,
            code: contractOf(code)
          })
          const from = Buffer.from(source === "input" ? input : code, "hex")
          const memory = Buffer.concat([Buffer.alloc(32, 0xff), Buffer.alloc(32)])
          const copied = offset === "far" ? from.subarray(0, 0) : from.subarray(offset, offset + length)
          memory.fill(0, 1, 1 + length).set(copied, 1)
          const { data } = yield* chain.call({ to, data: `0x${input}` })
          assert.strictEqual(data, `0x${memory.toString("hex")}`, `${instruction} ${offset} ${length}`)
        }
      }
    }))

  it.scoped("lets other work run while code calls itself, which needs no loop", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const call = "5f5f5f5f5f305af150"
      const { contractAddress: to = "0x" } = yield* chain.execute({
        kind: "deploy",
        from: alice,
        code: contractOf(call + call)
      })
      let turns = 0
      const timer = setInterval(() => turns++, 1)
      yield* chain.call({ to, data: "0x", gas: 5_000_000n })
      clearInterval(timer)
      assert.isAbove(turns, 3)
    }))

  it.scoped("lets other work run while code hashes, which needs no loop either", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      let turns = 0
      const timer = setInterval(() => turns++, 1)
      // Hashes a million bytes, ten times.
      yield* chain.call({ data: `0x${"620f42405f2050".repeat(10)}`, gas: 30_000_000n })
      clearInterval(timer)
      assert.isAbove(turns, 3)
    }))

  it.scoped("ends a loop that copies long stretches behind the end of the code", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      for (const copy of ["6000600037", "6000600039", "60006000303c"]) {
        const { fault } = yield* chain.call({ data: `0x5b61ffff${copy}600056`, gas: 30_000_000n })
        assert.strictEqual(fault, "out of gas")
      }
    }))

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
      const { chain, storage } = yield* withWorld
      const keys = [alice, bob, DevAccount.derive(seed, "carol")]
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
      assert.strictEqual(storage.transactionByHash(hash)?.gasUsed, 21_000n + 15_000n)
    }))

  it.scoped("runs Ethereum's transactions, and refuses them from an account with a Klaytn key", () =>
    Effect.gen(function*() {
      const { chain, storage } = yield* withWorld
      const signed = (nonce: bigint) => {
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
        const result = Transaction.signAsSender(made.value, {
          chainId: 1001,
          privateKey: DevAccount.revealPrivateKey(alice)
        })
        assert(result.ok)
        const raw = Transaction.encode(result.value)
        assert(raw.ok)
        return raw.value
      }
      const record = yield* Effect.fromNullable(storage.transactionByHash(yield* chain.submitRaw(signed(0n))))
      assert.deepStrictEqual([record.typeInt, record.from, record.status], [30722, alice.address, 1])
      // The hash is that of the bytes behind the envelope byte.
      assert.strictEqual(fromBytes(keccak_256(bytesOf(signed(0n)).subarray(1))), record.hash)
      const key = { type: "AccountKeyPublic", publicKey: alice.publicKey } as const
      yield* chain.execute({ kind: "updateKey", from: alice, key })
      const refused = yield* Effect.flip(chain.submitRaw(signed(2n)))
      assert.strictEqual(refused.message, "invalid sender: a legacy transaction must be with a legacy account key")
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
})
