/** Three clients replace a transaction that waits, cancel it, and speed the cancellation up: what the pool says, and what is executed. */
import { JsonRpcProvider, parseUnits, toQuantity, Wallet } from "ethers"
import { createRequire } from "node:module"
import { createPublicClient, createWalletClient, custom, http, parseGwei } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { kairos } from "viem/chains"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { result } from "./anvil.js"
import { refusal } from "./watching.js"
import { open, type World } from "./world.js"

type Hex = `0x${string}`

const nobody = "0x8888888888888888888888888888888888888888"
const taken = "there is another tx which has the same nonce in the tx pool"

let world: World
beforeAll(async () => {
  world = await open()
  await result(world.url, "evm_setAutomine", false)
})
afterAll(() => world.close())

/** A key with coin. */
const funded = async () => {
  const key = generatePrivateKey()
  const { address } = privateKeyToAccount(key)
  await result(world.url, "anvil_setBalance", address, toQuantity(10n ** 20n))
  return { key, address }
}

const mine = () => result(world.url, "evm_mine")

/** Only one of the hashes is in a block, and the node knows nothing of the others. */
const assertWinner = async (hashes: ReadonlyArray<string>, winner: string) => {
  for (const hash of hashes) {
    const receipt = await result(world.url, "eth_getTransactionReceipt", hash)
    if (hash === winner) assert.deepInclude(receipt, { status: "0x1" })
    else {
      assert.isNull(receipt)
      assert.isNull(await result(world.url, "eth_getTransactionByHash", hash))
    }
  }
}

describe("ethers", () => {
  it("replaces a payment at a higher price only, cancels it, and speeds the cancellation up", async () => {
    const provider = new JsonRpcProvider(world.url, undefined, { cacheTimeout: -1 })
    provider.pollingInterval = 20
    try {
      const { address, key } = await funded()
      const wallet = new Wallet(key, provider)
      const pay = (gwei: string, value: bigint, to: string = nobody) =>
        wallet.sendTransaction({ to, value, nonce: 0, gasLimit: 100_000n, gasPrice: parseUnits(gwei, "gwei"), type: 0 })
      const first = await pay("50", 1n)
      assert.include(await refusal(pay("50", 2n)), taken)
      assert.include(await refusal(pay("49.999999999", 2n)), taken)
      const second = await pay("50.000000001", 2n)
      assert.isNull(await provider.getTransaction(first.hash))
      const cancelled = await pay("51", 0n, address)
      assert.include(await refusal(pay("51", 3n)), taken)
      const spedUp = await pay("52", 0n, address)
      const ends = [first, second, cancelled].map((one) =>
        one.wait().then(() => assert.fail("it ran"), (error) => error)
      )
      await mine()
      for (const error of await Promise.all(ends)) {
        assert.deepInclude(error, { code: "TRANSACTION_REPLACED" })
        assert.strictEqual(error.replacement.hash, spedUp.hash)
      }
      await assertWinner([first, second, cancelled, spedUp].map(({ hash }) => hash), spedUp.hash)
    } finally {
      provider.destroy()
    }
  })
})

describe("viem", () => {
  it("compares caps whatever the tips, and tells what replaced a transaction and how", async () => {
    const { address, key } = await funded()
    const wallet = createWalletClient({ chain: kairos, account: privateKeyToAccount(key), transport: http(world.url) })
    const pay = (cap: string, tip: string, value: bigint, to: Hex = nobody) =>
      wallet.sendTransaction({
        to,
        value,
        nonce: 0,
        gas: 100_000n,
        maxFeePerGas: parseGwei(cap),
        maxPriorityFeePerGas: parseGwei(tip)
      })
    /** Begins to wait for a transaction that will be replaced: its client has to have seen it, and looked for it in a block, before. */
    const follow = (hash: Hex) =>
      new Promise<{ readonly outcome: Promise<unknown> }>((resolve) => {
        const request = async (
          { method, params = [] }: { readonly method: string; readonly params?: Array<unknown> }
        ) => {
          const answer = await result(world.url, method, ...params)
          if (method === "eth_getBlockByNumber") resolve({ outcome })
          return answer
        }
        const transport = custom({ request })
        const client = createPublicClient({ chain: kairos, transport, pollingInterval: 20, cacheTime: 0 })
        const reasons: Array<string> = []
        const outcome = client.waitForTransactionReceipt({ hash, onReplaced: ({ reason }) => reasons.push(reason) })
          .then(({ transactionHash }) => ({ reasons, transactionHash }))
      })
    const first = await pay("50", "1", 1n)
    const waited = await follow(first)
    assert.include(await refusal(pay("50", "20", 2n)), taken)
    assert.include(await refusal(pay("49", "49", 2n)), taken)
    const cancelled = await pay("50.000000001", "0", 0n, address)
    const waitedToo = await follow(cancelled)
    const spedUp = await pay("60", "0", 0n, address)
    await mine()
    assert.deepStrictEqual(await waited.outcome, { reasons: ["cancelled"], transactionHash: spedUp })
    assert.deepStrictEqual(await waitedToo.outcome, { reasons: ["repriced"], transactionHash: spedUp })
    await assertWinner([first, cancelled, spedUp], spedUp)
  })
})

interface Signed {
  readonly sign: (keyring: object) => Promise<Signed>
  readonly getRLPEncoding: () => Hex
  readonly getTransactionHash: () => Hex
}

interface CaverJs {
  readonly transaction: Record<
    "valueTransfer" | "cancel",
    { readonly create: (fields: Record<string, unknown>) => Signed }
  >
  readonly wallet: { readonly keyring: { readonly create: (address: string, key: string) => object } }
}

// A CommonJS package whose own types leave most of this out.
const Caver: new() => CaverJs = createRequire(import.meta.url)("caver-js")

describe("caver-js", () => {
  it("cancels at any price, and loses a cancellation to a dearer payment", async () => {
    const { address, key } = await funded()
    const caver = new Caver()
    const send = async (type: "valueTransfer" | "cancel", price: bigint, fields: Record<string, unknown> = {}) => {
      const transaction = caver.transaction[type].create({
        from: address,
        nonce: "0x0",
        gas: "0x186a0",
        gasPrice: toQuantity(price),
        chainId: "0x3e9",
        ...fields
      })
      await transaction.sign(caver.wallet.keyring.create(address, key))
      await result(world.url, "klay_sendRawTransaction", transaction.getRLPEncoding())
      return transaction.getTransactionHash()
    }
    const pay = (price: bigint, value = "0x1") => send("valueTransfer", price, { to: nobody, value })
    const gpeb = 10n ** 9n
    const first = await pay(50n * gpeb)
    const cheap = await send("cancel", 25n * gpeb)
    assert.include(await refusal(pay(25n * gpeb)), taken)
    assert.include(await refusal(send("cancel", 25n * gpeb)), `known transaction: ${cheap.slice(2)}`)
    const paid = await pay(25n * gpeb + 1n, "0x2")
    const dearer = await send("cancel", 30n * gpeb)
    // The very same payment as at first, sent again, takes its nonce back.
    assert.strictEqual(await pay(50n * gpeb), first)
    const last = await send("cancel", 26n * gpeb)
    await mine()
    await assertWinner([first, cheap, paid, dearer, last], last)
  })
})
