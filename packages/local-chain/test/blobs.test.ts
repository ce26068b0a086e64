import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { EthereumBlob } from "@effect-klaytn/transaction/TransactionBody"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { memory } from "../src/ChainStorage.js"
import * as DevAccount from "../src/DevAccount.js"
import * as LocalChain from "../src/LocalChain.js"
import { blobTransaction, digestOf, hash, infinity, rawOf, receiver, sidecar } from "./support/blobs.js"
import { openChain } from "./support/openChain.js"

const [alice, bob] = [DevAccount.derive("blobs", "alice"), DevAccount.derive("blobs", "bob")]
const start = 10n ** 22n
const accounts = [alice, bob].map(({ address }) => ({ address, balance: start }))
const ston = 10n ** 9n
const gasPerBlob = 131_072n

const hashOf = (transaction: Transaction.Transaction): Hex => {
  const found = Transaction.hash(transaction)
  assert(found.ok)
  return found.value
}

const keptOf = (chain: LocalChain.LocalChain, sent: Transaction.Transaction) =>
  Effect.map(chain.blobs(hashOf(sent)), Option.match({ onNone: () => "none", onSome: digestOf }))

const refusalOf = (chain: LocalChain.LocalChain, transaction: Transaction.Transaction) =>
  Effect.map(Effect.flip(chain.submitRaw(rawOf(transaction))), ({ message }) => message)

describe("Blobs", () => {
  it.effect("are in blocks, one in each, and cost eight times the base fee for a unit of their gas", () =>
    Effect.gen(function*() {
      const { chain, storage } = yield* openChain({ mining: "onDemand", accounts })
      // Stores BLOBHASH(0), BLOBHASH(1) and BLOBBASEFEE.
      const contract: Hex = `0x${"b1".repeat(20)}`
      yield* chain.edit(contract, { code: "0x5f495f556001496001554a60025500" })
      const first = blobTransaction(alice, 0, { to: contract, gas: 200_000n })
      const second = blobTransaction(alice, 1)
      const other = blobTransaction(bob, 0, { maxPriorityFeePerGas: 0n })
      for (const one of [first, second, other]) yield* chain.submitRaw(rawOf(one))
      const blocks = yield* chain.mine(3)
      assert.deepStrictEqual(blocks.map(({ transactionCount }) => transactionCount), [1, 1, 1])
      const record = storage.transactionByHash(hashOf(first)) ?? assert.fail("it is in no block")
      assert.deepInclude(record, { status: 1, typeInt: 30_723, blockNumber: 1, from: alice.address })
      const blobFee = gasPerBlob * 8n * chain.unitPrice
      assert.strictEqual(record.fee, record.gasUsed * (chain.unitPrice + ston) + blobFee)
      const word = (slot: bigint) => chain.storageAt(contract, slot)
      assert.deepStrictEqual([yield* word(0n), yield* word(1n), BigInt(yield* word(2n))], [
        hash,
        `0x${"00".repeat(32)}`,
        8n * chain.unitPrice
      ])
      // 21,000 gas of each transfer, without a tip for the second sender.
      const balance = (who: DevAccount.DevAccount) =>
        Effect.map(chain.account(who.address), (found) => Option.getOrThrow(found).balance)
      assert.strictEqual(yield* balance(bob), start - 21_000n * chain.unitPrice - blobFee - 5n)
      assert.strictEqual(
        yield* balance(alice),
        start - record.fee - 21_000n * (chain.unitPrice + ston) - blobFee - 10n
      )
      assert.deepStrictEqual(yield* chain.dropped, [])
    }))

  it.effect("are kept beside their blocks, which have them without", () =>
    Effect.gen(function*() {
      const { chain, storage } = yield* openChain({ mining: "onDemand", accounts })
      const sent = blobTransaction(alice, 0)
      yield* chain.submitRaw(rawOf(sent))
      const waiting = Option.getOrThrow(yield* chain.pendingTransaction(hashOf(sent)))
      assert.isTrue(`0x78${waiting.raw.slice(2)}` === rawOf(sent))
      assert.strictEqual(yield* keptOf(chain, sent), "none")
      const [block] = yield* chain.mine()
      assert.isBelow(block?.size ?? Infinity, 2_000)
      assert.strictEqual(yield* keptOf(chain, sent), digestOf(sidecar))
      const [mined] = storage.transactionsOf(1)
      assert.isTrue(mined?.raw === waiting.raw)
      assert.isTrue(Option.isNone(yield* chain.blobs(`0x${"ab".repeat(32)}`)))
    }))

  it.effect("wait again with their transaction after a reorganisation and after an end", () =>
    Effect.gen(function*() {
      const storage = memory()
      const chain = yield* LocalChain.makeWith(storage, { chainId: 1001, mining: "onDemand", accounts })
      const sent = blobTransaction(alice, 0)
      yield* chain.submitRaw(rawOf(sent))
      yield* chain.mine()
      yield* chain.reorg(1)
      assert.strictEqual(yield* keptOf(chain, sent), "none")
      assert.strictEqual(yield* chain.keepPool, 1)
      const next = yield* LocalChain.makeWith(storage, { chainId: 1001, mining: "onDemand", accounts })
      yield* next.mine()
      assert.strictEqual(yield* keptOf(next, sent), digestOf(sidecar))
      yield* next.reset
      assert.strictEqual(yield* keptOf(next, sent), "none")
    }))

  it.effect("are refused in the words of a node", () =>
    Effect.gen(function*() {
      const { chain } = yield* openChain({ accounts })
      const [commitment = infinity] = sidecar.commitments
      const [proof = infinity, another = infinity, ...proofs] = sidecar.proofs
      const withProof = (one: string) => ({ sidecar: { ...sidecar, proofs: [one as Hex, another, ...proofs] } })
      const first = sidecar.blobs[0] ?? "0x"
      // Each answer is one of a node of Kaia 2.2.1.
      const cases: ReadonlyArray<readonly [Partial<EthereumBlob>, string]> = [
        [{ sidecar: { ...sidecar, version: 0, proofs: [infinity] } }, "blob sidecar version 0 not supported"],
        [
          { maxFeePerBlobGas: 1n },
          "transaction gas price below minimum: blob fee cap 1, minimum needed 200000000000"
        ],
        [{ blobVersionedHashes: [] }, "blobless blob transaction"],
        [{ blobVersionedHashes: [hash, hash] }, "too many blobs in transaction: have 2, permitted 1"],
        [
          { sidecar: { ...sidecar, blobs: [] } },
          "invalid number of 0 blobs compared to 1 blob hashes"
        ],
        [
          { sidecar: { ...sidecar, commitments: [] } },
          "invalid number of 0 blob commitments compared to 1 blob hashes"
        ],
        [
          { sidecar: { ...sidecar, proofs } },
          "invalid number of 126 blob proofs expected 128"
        ],
        [
          { blobVersionedHashes: [`0x02${hash.slice(4)}`] },
          `blob 0: computed hash ${hash} mismatches transaction one 02${hash.slice(4)}`
        ],
        [{ sidecar: { ...sidecar, proofs: [another, proof, ...proofs] } }, "can't verify opening proof"],
        [{ sidecar: { ...sidecar, blobs: [`0x${"00".repeat(131_072)}`] } }, "can't verify opening proof"],
        [
          { sidecar: { ...sidecar, blobs: [`0x${"ff".repeat(32)}${first.slice(66)}`] } },
          "scalar is not canonical when interpreted as a big integer in big-endian"
        ],
        [
          withProof(`${proof.slice(0, -1)}2`),
          "invalid compressed coordinate: square root doesn't exist"
        ],
        [withProof(`${proof.slice(0, -1)}0`), "invalid point: subgroup check failed"],
        [withProof(`0xc0${"00".repeat(46)}01`), "invalid infinity point encoding"],
        [withProof(`0x0${proof.slice(3)}`), "short buffer"],
        [withProof(`0xe${proof.slice(3)}`), "invalid point encoding"],
        [withProof(`0x9f${"ff".repeat(47)}`), "invalid fp.Element encoding"],
        [
          { maxFeePerGas: ston },
          "invalid gas price. It must be set to value greater than or equal to baseFee"
        ],
        [{ to: `0x${"0".repeat(39)}5` }, "the address is reserved for pre-compiled contracts"],
        [{ gas: 20_000n }, "intrinsic gas too low"]
      ]
      for (const [fields, message] of cases) {
        assert.strictEqual(yield* refusalOf(chain, blobTransaction(alice, 0, fields)), message)
      }
      const bare = Transaction.withoutSidecar(blobTransaction(alice, 0))
      assert.strictEqual(yield* refusalOf(chain, bare), "missing sidecar in blob transaction")
      assert.strictEqual(commitment.length, 98)
      yield* chain.submitRaw(rawOf(blobTransaction(alice, 0)))
    }))

  it.effect("are left out by a block where their sender can't pay the most they may cost, or tips more than it pays", () =>
    Effect.gen(function*() {
      const { chain } = yield* openChain({ mining: "onDemand", accounts })
      const costly = blobTransaction(alice, 0, { maxFeePerBlobGas: 10n ** 40n })
      const tipping = blobTransaction(bob, 0, { maxPriorityFeePerGas: 200n * ston })
      for (const one of [costly, tipping]) yield* chain.submitRaw(rawOf(one))
      const [block] = yield* chain.mine()
      assert.strictEqual(block?.transactionCount, 0)
      assert.deepStrictEqual(
        (yield* chain.dropped).map(({ hash }) => hash).toSorted(),
        [hashOf(costly), hashOf(tipping)].toSorted()
      )
    }))

  it.effect("do not hold up what others send, but what their own sender sends behind them", () =>
    Effect.gen(function*() {
      const { chain, storage } = yield* openChain({ mining: "onDemand", accounts })
      yield* chain.submitRaw(rawOf(blobTransaction(alice, 0, { maxPriorityFeePerGas: 90n * ston })))
      yield* chain.submitRaw(rawOf(blobTransaction(bob, 0, { maxPriorityFeePerGas: 80n * ston })))
      const behind = yield* chain.send({ kind: "transfer", from: bob, to: receiver, value: 1n })
      const others = yield* chain.send({ kind: "transfer", from: alice, to: receiver, value: 1n })
      yield* chain.mine(2)
      const blockOf = (sent: Hex) => storage.transactionByHash(sent)?.blockNumber
      assert.deepStrictEqual([blockOf(others), blockOf(behind)], [1, 2])
    }))

  it.effect("are not known before the Osaka upgrade", () =>
    Effect.gen(function*() {
      const { chain } = yield* openChain({ hardfork: "prague", accounts })
      assert.strictEqual(yield* refusalOf(chain, blobTransaction(alice, 0)), "transaction type not supported")
    }))
})

describe("The precompile of EIP-4844", () => {
  const to: Hex = `0x${"0".repeat(38)}0a`
  const published =
    "01e798154708fe7789429634053cbf9f99b619f9f084048927333fce637f549b564c0a11a0f704f4fc3e8acfe0f8245f0ad1347b378fbf96e206da11a5d3630624d25032e67a7e6a4910df5834b8fe70e6bcfeeac0352434196bdf4b2485d5a18f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca25f26936857bc3a7c2539ea8ec3a952b7873033e038326e87ed3e1276fd140253fa08e9fc25fb2d9a98527fc22a2c9612fbeafdad446cbc7bcdbdcd780af2c16a"

  it.effect("takes the published proof, and no other", () =>
    Effect.gen(function*() {
      const { chain } = yield* openChain()
      const call = (data: string, gas = 100_000n) => chain.call({ to, data: `0x${data}`, gas })
      const proven = yield* call(published)
      assert.deepInclude(proven, {
        data:
          "0x000000000000000000000000000000000000000000000000000000000000100073eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001",
        gasUsed: 50_000n,
        fault: undefined
      })
      const wrongs = [
        published.slice(2),
        `02${published.slice(2)}`,
        `${published.slice(0, 190)}ab${published.slice(192)}`,
        `${published.slice(0, 288)}${infinity.slice(2)}`,
        ""
      ]
      for (const wrong of wrongs) {
        const refused = yield* call(wrong)
        assert.deepInclude(refused, { data: "0x", gasUsed: 100_000n })
        assert.notInclude([undefined, "out of gas"], refused.fault)
      }
      assert.deepInclude(yield* call(published, 49_999n), { data: "0x", fault: "out of gas" })
    }))
})
