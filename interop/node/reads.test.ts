import * as Effect from "effect/Effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { topicOfTransfer } from "./contract.js"
import * as Ethers from "./ethers.js"
import { everything, type Family, type Reader } from "./facts.js"
import * as Viem from "./viem.js"
import * as Web3rpc from "./web3rpc.js"
import { chainId, open, type World } from "./world.js"

let world: World
beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

/** All at once, so that the libraries can batch. */
const each = <A, B>(values: ReadonlyArray<A>, read: (value: A) => Promise<B>): Promise<ReadonlyArray<B>> =>
  Promise.all(values.map(read))

const clients: ReadonlyArray<readonly [name: string, family: Family, reader: () => Reader]> = [
  ["viem", "eth", () => Viem.readerOf(Viem.clientOf(Viem.direct(world)))],
  ["viem over the bridge", "eth", () => Viem.readerOf(Viem.clientOf(Viem.bridged(world)))],
  ["ethers", "eth", () => Ethers.readerOf(Ethers.direct(world))],
  ["ethers over the bridge", "eth", () => Ethers.readerOf(Ethers.bridged(world))],
  ["web3rpc, by klay", "klay", () => Web3rpc.readerOf(Web3rpc.clientOf(world))],
  ["web3rpc, by kaia", "klay", () => Web3rpc.readerOf(Web3rpc.clientOf(world), "kaia")]
]

describe.each(clients)("%s reads what the chain holds", (_, family, make) => {
  it("every block, by height and by hash", async () => {
    const reader = make()
    const { blocks } = await world.run(everything(world.chain, family))
    assert.isAtLeast(blocks.length, 10)
    assert.strictEqual(await reader.height(), BigInt(blocks.length - 1))
    assert.deepStrictEqual(await each(blocks, ({ number }) => reader.block(Number(number))), blocks)
    assert.deepStrictEqual(await each(blocks, ({ hash }) => reader.block(hash)), blocks)
  })

  it("every transaction and its receipt", async () => {
    const reader = make()
    const { receipts, transactions } = await world.run(everything(world.chain, family))
    assert.isAtLeast(transactions.length, 200)
    assert.isTrue(receipts.some(({ succeeded }) => !succeeded))
    assert.isTrue(receipts.some(({ contract }) => contract !== null))
    assert.deepStrictEqual(await each(transactions, ({ hash }) => reader.transaction(hash)), transactions)
    assert.deepStrictEqual(await each(receipts, ({ hash }) => reader.receipt(hash)), receipts)
  })

  it("logs: all, those of a contract, and those of a topic by its place", async () => {
    const reader = make()
    const { logs } = await world.run(everything(world.chain, family))
    const to = Number(await reader.height())
    const { address } = world.tokens.ft
    const owner = `0x${world.busiest.address.slice(2).padStart(64, "0")}`
    assert.deepStrictEqual(await reader.logs({ from: 0, to }), logs)
    assert.deepStrictEqual(
      await reader.logs({ from: 3, to: to - 2, address }),
      logs.filter((log) => log.address === address && log.block >= 3n && log.block <= BigInt(to - 2))
    )
    const sent = logs.filter(({ topics: [event, from] }) => event === topicOfTransfer && from === owner)
    assert.isAtLeast(sent.length, 3)
    assert.deepStrictEqual(await reader.logs({ from: 0, to, topics: [topicOfTransfer, owner] }), sent)
    assert.deepStrictEqual(
      await reader.logs({ from: 0, to, topics: [null, null, [owner, owner]] }),
      logs.filter(({ topics }) => topics[2] === owner)
    )
  })

  it("accounts: balances of now and of any block, nonces, code and storage", async () => {
    const reader = make()
    for (const { address } of world.accounts) {
      const { balance, nonce } = await world.state(address)
      assert.strictEqual(await reader.balance(address), balance)
      assert.strictEqual(await reader.nonce(address), Number(nonce))
    }
    const { address } = world.busiest
    const height = Number(await reader.height())
    const blocks = Array.from({ length: height + 1 }, (__, number) => number)
    assert.deepStrictEqual(
      await each(blocks, (block) => reader.balance(address, block)),
      await world.run(
        Effect.forEach(blocks, (block) =>
          Effect.map(
            world.chain.account(address, block),
            (found) => found._tag === "Some" ? found.value.balance : 0n
          ))
      )
    )
    const contract = world.tokens.nft.address
    assert.strictEqual(await reader.code(contract), await world.run(world.chain.code(contract)))
    assert.strictEqual(await reader.code(address), "0x")
    for (const slot of [0, 1, 2, 3, 4, 5]) {
      assert.strictEqual(
        await reader.storage(contract, slot),
        await world.run(world.chain.storageAt(contract, BigInt(slot)))
      )
    }
  })

  it("what a contract answers, the price of gas, and the chain's ID", async () => {
    const reader = make()
    assert.strictEqual(await reader.chainId(), chainId)
    assert.strictEqual(await reader.gasPrice(), world.chain.unitPrice * 110n / 100n)
    const { address } = world.tokens.ft
    for (const owner of world.accounts) {
      const data = `0x70a08231${owner.address.slice(2).padStart(64, "0")}` as const
      const { data: expected } = await world.run(world.chain.call({ to: address, data }))
      assert.strictEqual(await reader.call(address, data), expected)
      assert.strictEqual(
        await reader.estimate(owner.address, address, data),
        await world.run(
          Effect.map(
            world.chain.estimateGas({ from: owner.address, to: address, data }),
            (estimate) => estimate.kind === "enough" ? estimate.gas : 0n
          )
        )
      )
    }
  })
})
