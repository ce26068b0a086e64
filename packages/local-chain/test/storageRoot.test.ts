import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import { MerkleStateManager } from "@ethereumjs/statemanager"
import { Account, Address, bytesToHex, hexToBytes } from "@ethereumjs/util"
import * as Effect from "effect/Effect"
import * as LocalChain from "../src/LocalChain.js"

const contract: Hex = `0x${"c0".repeat(20)}`

/** The root that another program computes. */
const rootOf = async (slots: ReadonlyArray<readonly [bigint, bigint]>): Promise<string> => {
  const state = new MerkleStateManager()
  const address = new Address(hexToBytes(contract))
  await state.putAccount(address, new Account(1n))
  for (const [slot, value] of slots) {
    const digits = value.toString(16)
    await state.putStorage(
      address,
      hexToBytes(`0x${slot.toString(16).padStart(64, "0")}`),
      hexToBytes(`0x${digits.padStart(digits.length + digits.length % 2, "0")}`)
    )
  }
  await state.flush()
  return bytesToHex((await state.getAccount(address))?.storageRoot ?? new Uint8Array())
}

describe("The root of a storage", () => {
  it.effect("is that of its trie, now and at an earlier block", () =>
    Effect.gen(function*() {
      const chain = yield* LocalChain.make({ chainId: 1001, clock: { start: 1_600_000_000, step: 1 } })
      const set = (slots: ReadonlyArray<readonly [bigint, bigint]>) =>
        Effect.zipRight(chain.edit(contract, { code: "0x00", storage: new Map(slots) }), chain.mine())
      const first = [[0n, 1n], [1n, 2n ** 255n], [2n ** 256n - 1n, 0x80n], [77n, 0x7fn]] as const
      yield* set(first)
      const { number } = yield* chain.head
      assert.strictEqual(yield* chain.storageRoot(contract), yield* Effect.promise(() => rootOf(first)))
      yield* set([[1n, 0n], [5n, 5n]])
      const second = [[0n, 1n], [2n ** 256n - 1n, 0x80n], [77n, 0x7fn], [5n, 5n]] as const
      assert.strictEqual(yield* chain.storageRoot(contract), yield* Effect.promise(() => rootOf(second)))
      assert.strictEqual(yield* chain.storageRoot(contract, number), yield* Effect.promise(() => rootOf(first)))
      assert.strictEqual(
        yield* chain.storageRoot(`0x${"0".repeat(40)}`),
        "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
      )
    }))
})
