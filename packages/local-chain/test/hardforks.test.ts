import type { Hardfork } from "@effect-klaytn/transaction/Hardfork"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { getContractAddress } from "viem"
import * as DevAccount from "../src/DevAccount.js"
import type { LocalChain } from "../src/LocalChain.js"
import { openChain } from "./support/openChain.js"

const options = { clock: { start: 1_600_000_000, step: 1 } } as const
const seed = "hard forks"
const alice = DevAccount.derive(seed, "alice")
const bob = DevAccount.derive(seed, "bob")
const klay = 10n ** 18n

const withWorld = (hardfork?: Hardfork) =>
  Effect.gen(function*() {
    const opened = yield* openChain({ ...options, ...(hardfork !== undefined && { hardfork }) })
    yield* opened.chain.fund(alice.address, 1000n * klay)
    return opened
  })

const withChain = (hardfork?: Hardfork) => Effect.map(withWorld(hardfork), ({ chain }) => chain)

const memo = (bytes: number): Hex => `0x${"ff".repeat(bytes)}`

/** The contract of EIP-2935 and the transaction that creates it on any chain, as the EIP prints both. */
const history = {
  address: "0x0000f90827f1c53a10cb7a02335b175320002935",
  created: {
    type: "LegacyTransaction",
    nonce: 0n,
    gas: 0x3d090n,
    gasPrice: 0xe8d4a51000n,
    value: 0n,
    input:
      "0x60538060095f395ff33373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500",
    signatures: [{ v: 0x1bn, r: 0x539n, s: 0xaa12693182426612186309f02cfe8a80a0000n }]
  }
} as const satisfies { readonly address: Hex; readonly created: Transaction.Of<"LegacyTransaction"> }

describe("The gas of data", () => {
  it.scoped("is 16 and 4 a byte with a floor of 40 and 10, or 100 a byte before Prague", () =>
    Effect.gen(function*() {
      const gasOf = (hardfork: Hardfork | undefined, bytes: number) =>
        Effect.gen(function*() {
          const chain = yield* withChain(hardfork)
          const request = { kind: "transfer", from: alice, to: bob.address, value: 1n, memo: memo(bytes) } as const
          return (yield* chain.execute(request)).gasUsed
        })
      assert.strictEqual(yield* gasOf(undefined, 100), 25_000n)
      assert.strictEqual(yield* gasOf("prague", 100), 25_000n)
      assert.strictEqual(yield* gasOf("cancun", 100), 31_000n)
    }))

  it.scoped("is charged in place of a floor where execution uses more, and estimates know both", () =>
    Effect.gen(function*() {
      const chain = yield* withChain()
      // Returns at once, or writes 1 to slot 0 if the first byte of the data is not zero.
      const code: Hex = "0x600f8060093d393df35f35805f1a600957005b60015f5500"
      const { contractAddress: to = "0x" } = yield* chain.execute({ kind: "deploy", from: alice, code })
      for (const [data, gasUsed] of [["0x00ff", 21_050n], ["0xff00", undefined]] as const) {
        const found = yield* chain.estimateGas({ from: alice.address, to, data })
        const gas = found.kind === "enough" ? found.gas : assert.fail(found.kind)
        if (gasUsed !== undefined) assert.strictEqual(gas, gasUsed)
        const { gasUsed: used } = yield* chain.execute({ kind: "execute", from: alice, to, data, gas })
        assert.strictEqual(used, gas)
        const refused = yield* Effect.flip(chain.execute({ kind: "execute", from: alice, to, data, gas: 21_020n }))
        if (gasUsed !== undefined) {
          assert.strictEqual(
            refused.message,
            "insufficient gas for floor data gas cost: gas 21020, minimum needed 21050"
          )
        }
      }
    }))
})

describe("The contract of EIP-2935", () => {
  it("has the code that its published transaction creates at its published address", () => {
    const senders = Transaction.recoverSenders(history.created, { chainId: 1001, curve: noble, unprotected: true })
    const [sender] = senders.ok ? senders.value : []
    assert.strictEqual(
      getContractAddress({ from: sender?.address ?? "0x", nonce: 0n }).toLowerCase(),
      history.address
    )
  })

  it.scoped("answers the hash of each earlier block, and only from Prague on", () =>
    Effect.gen(function*() {
      const { chain, storage } = yield* withWorld()
      assert.strictEqual(yield* chain.code(history.address), `0x${history.created.input.slice(2 + 9 * 2)}`)
      yield* chain.mine(4)
      const head = yield* chain.head
      const word = (height: number): Hex => `0x${height.toString(16).padStart(64, "0")}`
      for (let height = 0; height < head.number; height++) {
        const { data } = yield* chain.call({ to: history.address, data: word(height) })
        assert.strictEqual(data, storage.blockByNumber(height)?.hash)
      }
      assert.isDefined((yield* chain.call({ to: history.address, data: word(head.number) })).fault)
      assert.strictEqual(yield* (yield* withChain("cancun")).code(history.address), "0x")
    }))
})

/** Creates a contract that answers what code with one instruction leaves on the stack. */
const answerOf = (chain: LocalChain, code: string) =>
  Effect.map(chain.call({ data: `0x${code}5f5260205ff3` }), ({ data, fault }) => fault ?? BigInt(data))

describe("Instructions and precompiles", () => {
  it.scoped("are those of the hard fork", () =>
    Effect.gen(function*() {
      const found = yield* Effect.forEach(["cancun", "prague", "osaka"] as const, (hardfork) =>
        Effect.gen(function*() {
          const chain = yield* withChain(hardfork)
          const size = (address: string, input: Hex) =>
            Effect.map(
              chain.call({ to: `0x${address.padStart(40, "0")}`, data: input }),
              ({ data, fault }) => fault ?? data.length / 2 - 1
            )
          return [
            yield* answerOf(chain, "60011e"),
            yield* size("b", `0x${"00".repeat(256)}`),
            yield* size("11", `0x${"00".repeat(128)}`),
            yield* size("100", p256Example)
          ]
        }))
      assert.deepStrictEqual(found, [
        ["invalid opcode", "reserved address", "reserved address", "reserved address"],
        ["invalid opcode", 128, 256, "reserved address"],
        [255n, 128, 256, 32]
      ])
    }))
})

/** A digest, its signature and the key: the first example of the wycheproof suite for P-256 that EIP-7951 names. */
const p256Example: Hex =
  "0xbb5a52f42f9c9261ed4361f59422a1e30036e7c32b270c8807a419feca6050232ba3a8be6b94d5ec80a6d9d1190a436effe50d85a1eee859b8cc6af9bd5c2e184cd60b855d442f5b3c7b11eb6c4e0ae7525fe710fab9aa7c77a67f79e6fadd762927b10512bae3eddcfe467828128bad2903269919f7086069c8c4df6c732838c7787964eaac00e5921fb1498a60f4606766b3d9685001558d1a974e7341513e"
