import { assert, describe, it } from "@effect/vitest"
import { Common, Hardfork, Mainnet } from "@ethereumjs/common"
import type { StateManagerInterface } from "@ethereumjs/common"
import { createEVM } from "@ethereumjs/evm"
import { MerkleStateManager } from "@ethereumjs/statemanager"
import { Account, Address, bytesToHex, hexToBytes } from "@ethereumjs/util"
import { encodeArguments, encodeCall } from "../../indexer/src/Abi.js"
import { artifacts } from "../../sandbox/src/internal/contracts/artifacts.generated.js"
import { JournalState } from "../src/internal/JournalState.js"

const address = (n: number): Address => new Address(hexToBytes(`0x${n.toString(16).padStart(40, "1")}`))
const text = (a: Address): string => a.toString()
const people = Array.from({ length: 6 }, (_, i) => address(i + 1))
const common = new Common({ chain: Mainnet, hardfork: Hardfork.Cancun })

/** Deterministic numbers: the same run on both state managers. */
const generator = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

const creation = (name: keyof typeof artifacts, signature: string, values: ReadonlyArray<string | bigint>) =>
  hexToBytes(`0x${artifacts[name].bytecode.slice(2)}${bytesToHex(encodeArguments(signature, values)).slice(2)}`)

/** Runs the same random deploys, mints, transfers and failing calls, and writes down everything observable. */
const observe = async (state: StateManagerInterface, seed: number): Promise<Array<string>> => {
  const random = generator(seed)
  const pick = <A>(list: ReadonlyArray<A>): A => list[Math.floor(random() * list.length)] ?? list[0] as A
  const evm = await createEVM({ common, stateManager: state })
  for (const person of people) await state.putAccount(person, new Account(0n, 10n ** 20n))
  const contracts: Array<{ readonly kind: 7 | 17 | 37; readonly at: Address }> = []
  const seen: Array<string> = []
  for (let step = 0; step < 120; step++) {
    const caller = pick(people)
    const other = text(pick(people))
    const contract = random() < 0.08 || contracts.length === 0 ? undefined : pick(contracts)
    let data: Uint8Array
    let value = 0n
    let kind: 7 | 17 | 37 = 7
    if (contract === undefined) {
      kind = pick([7, 17, 37] as const)
      data = kind === 7
        ? creation("OpenKIP7", "(string,string,uint8)", ["A", "B", 18n])
        : kind === 17
        ? creation("OpenKIP17", "(string,string)", ["A", "B"])
        : creation("OpenKIP37", "(string)", ["u"])
    } else {
      const id = BigInt(Math.floor(random() * 9))
      const calls = contract.kind === 7
        ? [
          encodeCall("mint(address,uint256)", [other, id * 100n]),
          encodeCall("transfer(address,uint256)", [other, id * 40n]),
          encodeCall("burn(address,uint256)", [other, id * 30n])
        ]
        : contract.kind === 17
        ? [
          encodeCall("mint(address,uint256,string)", [other, id, "ipfs://somewhere/long/enough/for/two/slots/of/it"]),
          encodeCall("transferFrom(address,address,uint256)", [text(caller), other, id]),
          encodeCall("burn(uint256)", [id])
        ]
        : [
          encodeCall("mintBatch(address,uint256[],uint256[])", [other, [id, id + 1n], [5n, 6n]]),
          encodeCall("burn(address,uint256,uint256)", [other, id, 2n])
        ]
      data = pick(calls)
      if (random() < 0.05) value = 1n
    }
    const plain = contract !== undefined && random() < 0.2
    const result = await evm.runCall({
      caller,
      origin: caller,
      data: plain ? new Uint8Array() : data,
      value: plain ? 12345n : value,
      gasLimit: random() < 0.1 ? 30_000n : 5_000_000n,
      ...(plain ? { to: address(50 + Math.floor(random() * 3)) } : contract && { to: contract.at })
    })
    await evm.journal.cleanup()
    state.originalStorageCache.clear()
    if (contract === undefined && result.createdAddress !== undefined && !result.execResult.exceptionError) {
      contracts.push({ kind, at: result.createdAddress })
    }
    const balances = await Promise.all(people.map(async (p) => {
      const account = await state.getAccount(p)
      return `${account?.balance}/${account?.nonce}`
    }))
    seen.push([
      result.execResult.executionGasUsed,
      result.execResult.gasRefund ?? 0n,
      result.execResult.exceptionError?.error ?? "ok",
      bytesToHex(result.execResult.returnValue),
      (result.execResult.logs ?? []).map((log) => [log[0], ...log[1], log[2]].map(bytesToHex).join(",")).join(";"),
      balances.join(" "),
      result.createdAddress?.toString() ?? ""
    ].join("|"))
  }
  for (const { at } of contracts) {
    for (let slot = 0; slot < 12; slot++) {
      const value = await state.getStorage(at, hexToBytes(`0x${slot.toString(16).padStart(64, "0")}`))
      seen.push(`${at.toString()} ${slot} ${bytesToHex(value)}`)
    }
  }
  return seen
}

describe("JournalState", () => {
  for (const seed of [1, 2, 3]) {
    it(`gives the same gas, errors, logs, data and balances as the Merkle state manager (seed ${seed})`, async () => {
      const [ours, theirs] = [await observe(new JournalState(), seed), await observe(new MerkleStateManager(), seed)]
      assert.isTrue(theirs.some((line) => line.includes("revert")), "the run must contain reverts")
      assert.isTrue(theirs.some((line) => line.includes("|ok|")), "the run must contain successes")
      assert.deepStrictEqual(ours, theirs)
    })
  }

  it("takes a key update back when its checkpoint is reverted", async () => {
    const state = new JournalState()
    state.update("0x11", { balance: 5n })
    await state.checkpoint()
    state.update("0x11", { key: "0x03c0" })
    await state.revert()
    assert.strictEqual(state.accountOrEmpty("0x11").key, "0x01c0")
    assert.strictEqual(state.accountOrEmpty("0x11").balance, 5n)
  })

  it("keeps the account key when the EVM writes the account", async () => {
    const state = new JournalState()
    const person = address(9)
    state.update(text(person), { key: "0x02a1" })
    await state.putAccount(person, new Account(3n, 4n))
    assert.strictEqual(state.accountOrEmpty(text(person)).key, "0x02a1")
    assert.strictEqual(state.accountOrEmpty(text(person)).nonce, 3n)
  })

  it("lists only what differs at the end of the block, with the value before it", async () => {
    const state = new JournalState()
    state.update("0x11", { balance: 5n })
    state.seal()
    state.update("0x11", { balance: 6n })
    state.update("0x22", { balance: 1n })
    state.update("0x11", { balance: 5n })
    const changes = state.changes()
    assert.deepStrictEqual(changes.map(({ address, before }) => [address, before]), [["0x22", undefined]])
  })

  it("drops a block as if it never was, its fresh code included", async () => {
    const state = new JournalState()
    const contract = address(7)
    state.update(text(contract), { balance: 5n })
    state.seal()
    await state.putCode(contract, new Uint8Array([1, 2, 3]))
    await state.putStorage(contract, new Uint8Array(32), new Uint8Array([9]))
    state.discard()
    assert.deepStrictEqual(await state.getCode(contract), new Uint8Array(0))
    assert.deepStrictEqual(await state.getStorage(contract, new Uint8Array(32)), new Uint8Array(0))
    assert.strictEqual(state.accountOrEmpty(text(contract)).balance, 5n)
    await state.putCode(contract, new Uint8Array([1, 2, 3]))
    assert.strictEqual(state.freshCodes().size, 1)
  })
})
