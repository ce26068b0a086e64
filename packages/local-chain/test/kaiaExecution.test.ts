import { bytesOf, fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import { RLP } from "@ethereumjs/rlp"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { decodeAccount, emptyAccount, encodeAccount, isContract, sameAccount } from "../src/AccountRecord.js"
import { memory } from "../src/ChainStorage.js"
import * as DevAccount from "../src/DevAccount.js"
import * as LocalChain from "../src/LocalChain.js"
import { openChain } from "./support/openChain.js"

const klay = 10n ** 18n
const [alice, bob] = ["alice", "bob"].map((name) => DevAccount.derive("execution on Kaia", name)) as [
  // Two names give two accounts.
  DevAccount.DevAccount,
  DevAccount.DevAccount
]
const proposer: Hex = "0x5fe3f01480422adf5094ef01c0b891a8e3f0ce23"
const options = {
  clock: { start: 1_600_000_000, step: 1 },
  proposer,
  accounts: [alice, bob].map(({ address }) => ({ address, balance: 1000n * klay }))
} as const

/** A chain with a block above its genesis block, which nobody proposed. */
const withChain = Effect.tap(Effect.map(openChain(options), ({ chain }) => chain), (chain) => chain.mine())

/** The words that creation code answers, and how it fails. */
const answered = (
  chain: LocalChain.LocalChain,
  code: string,
  more: { readonly value?: bigint; readonly gas?: bigint } = {}
) =>
  Effect.map(
    chain.call({ from: alice.address, movesValue: true, data: `0x${code}`, ...more }),
    ({ data, fault }) => fault ?? (data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`))
  )

const word = (code: string) => `${code}5f5260205ff3`

/** Whether an instruction that calls succeeds. */
const calls = (instruction: "f1" | "f2" | "f4" | "fa", address: string, value: "5f" | "6001" = "5f") =>
  word(`5f5f5f5f${instruction === "f1" || instruction === "f2" ? value : ""}61${address}5a${instruction}`)

/** What a node of version 2.2.1 answered to the same code. */
describe("Execution on Kaia", () => {
  it.effect("fails a CALL of a reserved address without a precompile, or with coin, and no other call", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      for (const empty of ["0012", "0020", "03fc"]) {
        assert.deepStrictEqual(yield* answered(chain, calls("f1", empty)), [0n])
        for (const other of ["f2", "f4", "fa"] as const) {
          assert.deepStrictEqual(yield* answered(chain, calls(other, empty)), [1n])
        }
      }
      for (const precompile of ["0001", "0004", "03fe"]) {
        assert.deepStrictEqual(yield* answered(chain, calls("f1", precompile)), [1n])
        assert.deepStrictEqual(yield* answered(chain, calls("f1", precompile, "6001"), { value: 1n }), [0n])
        assert.deepStrictEqual(yield* answered(chain, calls("f2", precompile, "6001"), { value: 1n }), [1n])
      }
      for (const free of ["0000", "0400"]) assert.deepStrictEqual(yield* answered(chain, calls("f1", free)), [1n])
      const { fault } = yield* chain.call({ from: alice.address, to: `0x${"300".padStart(40, "0")}` })
      assert.strictEqual(fault, "reserved address")
    }))

  it.effect("gives 0 for a creation whose code the gas does not pay for, and keeps nothing of it", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      // Stores 1 in slot 0 and returns 20,000 bytes, for which 3,000,000 gas is too little.
      const creates = (create: string) => `6860015f55614e205ff3600052${create}`
      for (const create of ["600960175ff0", "5f600960175ff5"]) {
        const [created] = (yield* answered(chain, word(creates(create)), { gas: 3_000_000n })) as ReadonlyArray<bigint>
        assert.strictEqual(created, 0n, create)
        const [paid] = (yield* answered(chain, word(creates(create)), { gas: 8_000_000n })) as ReadonlyArray<bigint>
        assert.notStrictEqual(paid, 0n, create)
      }
    }))

  it.effect("takes 400 gas for EXTCODEHASH, which warms nothing, and keeps fee payer and proposer warm", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      // GAS, the address, the instruction, and the difference to GAS before.
      const cost = (address: string, instruction: string, before = "") =>
        word(`${before}5a${address}${instruction}505a9003`)
      const other = `73${"11".repeat(20)}`
      const zero = "5f"
      const hash = `${other}3f50`
      const overhead = 7n
      assert.deepStrictEqual(yield* answered(chain, cost(other, "3f", hash)), [400n + overhead])
      assert.deepStrictEqual(yield* answered(chain, cost(other, "31", hash)), [2600n + overhead])
      assert.deepStrictEqual(yield* answered(chain, cost("41", "31")), [100n + overhead - 1n])
      assert.deepStrictEqual(yield* answered(chain, cost(zero, "31")), [2600n + overhead - 1n])
      const { contractAddress: to = "0x" } = yield* chain.execute({
        kind: "deploy",
        from: alice,
        code: `0x6100206100105f395f6100205ff3`
      })
      assert.isAbove(to.length, 2)
      // Reads the balance of bob, who pays the fee or does not.
      const { contractAddress: reader = "0x" } = yield* chain.execute({
        kind: "deploy",
        from: alice,
        code: `0x61001780600a5f395ff373${bob.address.slice(2)}3100`
      })
      const request = { kind: "execute", from: alice, to: reader, data: "0x" } as const
      const own = yield* chain.execute(request)
      const paid = yield* chain.execute({ ...request, feePayer: bob })
      // A fee payer costs 10,000 gas, and its balance 2,500 less.
      assert.strictEqual(paid.gasUsed - own.gasUsed, 10_000n - 2_500n)
    }))

  it.effect("shows the proposer, no gas limit but one that was set, and eight times the base fee for blobs", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const shown = () => answered(chain, "415f52456020524a60405260605ff3")
      assert.deepStrictEqual(yield* shown(), [BigInt(proposer), 0n, 200_000_000_000n])
      yield* chain.setNextBlock({ gasLimit: 60_000_000n })
      yield* chain.mine()
      assert.deepStrictEqual(yield* shown(), [BigInt(proposer), 60_000_000n, 200_000_000_000n])
    }))

  it.effect("makes a contract that no code came of a contract, which takes neither transfers nor executions", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const deploy = (code: Hex) => chain.execute({ kind: "deploy", from: alice, code })
      // The init code is empty; it leaves no code; a contract inside of it leaves none.
      const { contractAddress: outer = "0x" } = yield* deploy("0x5f5f5ff05f5260205ff3")
      const created = [
        (yield* deploy("0x5f5ff3")).contractAddress ?? "0x",
        `0x${(yield* chain.code(outer)).slice(26)}` as const
      ]
      for (const address of created) {
        const account = Option.getOrThrow(yield* chain.account(address))
        assert.deepInclude(account, { isContract: true, nonce: 1n, key: { type: "AccountKeyFail" } })
        const transfer = yield* Effect.flip(chain.execute({ kind: "transfer", from: alice, to: address, value: 1n }))
        assert.strictEqual(transfer.message, "recipient must be an EOA without code")
        const execution = yield* Effect.flip(chain.execute({ kind: "execute", from: alice, to: address, data: "0x" }))
        assert.strictEqual(execution.message, "not a program account (e.g., an account having code and storage)")
      }
    }))

  it("keeps in a storage that an account is a contract without code", () => {
    const contract = { ...emptyAccount, nonce: 1n, key: "0x03c0", isContractWithoutCode: true }
    const again = decodeAccount(encodeAccount(contract))
    assert.isTrue(isContract(again))
    assert.isTrue(sameAccount(again, contract))
    const updated = { ...emptyAccount, nonce: 1n, key: "0x03c0" }
    assert.isFalse(isContract(decodeAccount(encodeAccount(updated))))
    assert.isFalse(sameAccount(updated, contract))
  })

  it.effect("tells code that can't be paid, memory that can't be, and missing data apart from missing gas", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const huge = `7f${"ff".repeat(32)}`
      const faults: ReadonlyArray<readonly [string, number]> = [
        ["6110005ff3", 0x5],
        ["6160015ff3", 0x6],
        [`5f${huge}52`, 0x2],
        [`6001${huge}5f37`, 0],
        [`60015f${huge}37`, 0x2],
        [`5f5f${huge}375f5f`, 0],
        ["60015f5f3e", 0x2],
        ["60015f66ffffffffffffff3e", 0x7],
        ["5f61c0015f5ff5", 0x7],
        [`5f5f6001${huge}5f5f5af1`, 0x2]
      ]
      for (const [code, expected] of faults) {
        const { txError = 0 } = yield* chain.call({ from: alice.address, data: `0x${code}`, gas: 200_000n })
        assert.strictEqual(txError, expected, code)
      }
    }))

  it.effect("comes with the network's roots of transactions and receipts, and those of nothing in an empty block", () =>
    Effect.gen(function*() {
      const { chain, storage } = yield* openChain(options)
      const { blockNumber } = yield* chain.execute({ kind: "transfer", from: alice, to: bob.address, value: 1n })
      const { raw } = yield* Effect.fromNullable(storage.transactionsOf(blockNumber)[0])
      const block = yield* Effect.fromNullable(storage.blockByNumber(blockNumber))
      assert.strictEqual(block.transactionsRoot, fromBytes(keccak_256(bytesOf(raw))))
      const receipt = RLP.encode([Uint8Array.of(1), Uint8Array.of(0x52, 0x08), new Uint8Array(256), []])
      assert.strictEqual(block.receiptsRoot, fromBytes(keccak_256(receipt)))
      yield* chain.mine()
      const empty = yield* Effect.fromNullable(storage.latestBlock())
      const nothing = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
      assert.deepStrictEqual([empty.transactionsRoot, empty.receiptsRoot], [nothing, nothing])
    }))

  it.effect("is not that of a chain whose storage is older, which goes on as on Ethereum", () =>
    Effect.gen(function*() {
      const storage = { ...memory(), rules: () => "offeredPrice", keepRules: () => {} }
      const chain = yield* LocalChain.makeWith(storage, { ...options, chainId: 1001 })
      yield* chain.mine()
      assert.deepStrictEqual(yield* answered(chain, calls("f1", "0012")), [1n])
      assert.deepStrictEqual(yield* answered(chain, "41455f526020525f60405260605ff3"), [500_000_000n, 0n, 0n])
      const { contractAddress = "0x" } = yield* chain.execute({ kind: "deploy", from: alice, code: "0x5f5ff3" })
      const sent = yield* Effect.exit(chain.execute({ kind: "transfer", from: alice, to: contractAddress, value: 1n }))
      assert.isTrue(Exit.isSuccess(sent))
    }))
})
