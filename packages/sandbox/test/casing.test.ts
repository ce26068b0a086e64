import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Chains from "../src/Chains.js"
import * as TokenContract from "../src/TokenContract.js"
import { checksum } from "./support/checksum.js"
import { contractOf } from "./support/nodeWorld.js"

const chains = Chains.layer({ seed: "casing", clock: { start: 1_600_000_000, step: 1 }, mining: "manual" })

const upper = (hex: Hex): Hex => `0x${hex.slice(2).toUpperCase()}`

layer(chains, { excludeTestServices: true })("A chain takes addresses and hashes in any case", (it) => {
  it.effect("when it reads and when it runs code", () =>
    Effect.gen(function*() {
      const { account, chain: chainOf } = yield* Chains.Chains
      const chain = chainOf(1001)
      const [alice, bob] = [account("alice"), account("bob")]
      const money = 10n ** 18n
      const ofBob = checksum(bob.address)
      assert.notStrictEqual(ofBob, bob.address)
      yield* chain.fund(checksum(alice.address), money)
      yield* chain.fund(ofBob, money)
      // Slot 1 is written by whoever calls with data, and returned to whoever does not.
      const code = contractOf("3615600c57600035600155005b60015460005260206000f3")
      const { contractAddress: contract = "0x" } = yield* chain.execute({ kind: "deploy", from: alice, code })
      yield* chain.execute({
        kind: "execute",
        from: alice,
        to: upper(contract),
        data: `0x${"05".padStart(64, "0")}`,
        feePayer: bob
      })
      const hash = yield* chain.send({ kind: "transfer", from: bob, to: checksum(alice.address), value: 1n })

      for (const write of [(hex: Hex) => hex, checksum, upper]) {
        const found = Option.getOrThrow(yield* chain.account(write(bob.address)))
        assert.strictEqual(found.address, bob.address)
        assert.isTrue(found.balance > 0n)
        assert.isTrue(Option.isSome(yield* chain.account(write(alice.address), 2)))
        assert.strictEqual(yield* chain.pendingNonce(write(bob.address)), 1n)
        assert.strictEqual(yield* chain.code(write(contract)), yield* chain.code(contract))
        assert.notStrictEqual(yield* chain.code(write(contract)), "0x")
        assert.strictEqual(yield* chain.storageAt(write(contract), 1n), `0x${"05".padStart(64, "0")}`)
        assert.strictEqual(Option.getOrThrow(yield* chain.pendingTransaction(upper(hash))).hash, hash)
        assert.strictEqual((yield* chain.transfers({ accounts: [write(alice.address)], limit: 9 })).length, 3)

        const slot = `0x${"1".padStart(64, "0")}` as const
        const call = { from: write(alice.address), to: write(contract) }
        const announced = { ...call, accessList: [{ address: write(contract), storageKeys: [slot] }] }
        assert.strictEqual((yield* chain.call(call)).data, `0x${"05".padStart(64, "0")}`)
        const overrides = new Map([[write(contract), {
          stateDiff: new Map([[slot, `0x${"07".repeat(32)}`] as const])
        }]])
        assert.strictEqual((yield* chain.call({ ...call, overrides })).data, `0x${"07".repeat(32)}`)
        const cold = yield* chain.call(call)
        assert.strictEqual(cold.gasUsed - (yield* chain.call(announced)).gasUsed, 2_000n)
        const access = yield* chain.accessList(call)
        assert(access.kind === "listed")
        assert.deepStrictEqual(access.accessList, [{ address: contract, storageKeys: [slot] }])
        assert.deepStrictEqual(yield* chain.accessList(announced), access)
        assert.deepStrictEqual(yield* chain.estimateGas(call), { kind: "enough", gas: 21_000n + cold.gasUsed })
      }
    }))

  it.effect("when it is asked for tokens", () =>
    Effect.gen(function*() {
      const { account, chain: chainOf } = yield* Chains.Chains
      const chain = chainOf(8217)
      const alice = account("alice")
      yield* chain.fund(upper(alice.address), 10n ** 18n)
      const token = yield* TokenContract.deploy(chain, alice, { kind: "nft", name: "Card", symbol: "CRD" })
      yield* TokenContract.mint(chain, alice, token, { kind: "nft", to: checksum(alice.address), tokenId: 1n, uri: "" })
      const contract = checksum(token.address)
      assert.strictEqual(Option.getOrThrow(yield* chain.contract(contract)).address, token.address)
      const { owner } = Option.getOrThrow(yield* chain.token(contract, 1n))
      assert.strictEqual(owner, alice.address)
      assert.isTrue(Option.isSome(yield* chain.holding(contract, checksum(alice.address), 1n)))
      assert.strictEqual(yield* chain.holderCount(upper(token.address)), 1)
    }))
})
