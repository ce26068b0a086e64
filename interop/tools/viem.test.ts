import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  hashTypedData,
  http,
  keccak256,
  parseAbi,
  parseEther,
  parseGwei,
  publicActions,
  recoverAddress,
  recoverMessageAddress,
  toHex,
  webSocket
} from "viem"
import { kairos } from "viem/chains"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { abi, args, bytecode } from "../node/contract.js"
import { open, type World } from "./world.js"

let world: World
beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

const whale = "0x7777777777777777777777777777777777777777"
const nobody = "0x8888888888888888888888888888888888888888"

/** Returns the value of slot 0: PUSH0 SLOAD PUSH0 MSTORE PUSH1 32 PUSH0 RETURN. */
const reader = "0x5f545f5260205ff3"

const clientOf = (mode: "anvil" | "hardhat") =>
  createTestClient({ chain: kairos, mode, transport: http(world.url), pollingInterval: 20 }).extend(publicActions)

const walletOf = (index = 0) =>
  createWalletClient({
    chain: kairos,
    account: world.accounts[index]?.address ?? assert.fail("no account"),
    transport: http(world.url),
    pollingInterval: 20
  })

describe.each(["anvil", "hardhat"] as const)("viem's test actions, as for %s", (mode) => {
  let client: ReturnType<typeof clientOf>
  beforeEach(() => {
    client = clientOf(mode)
  })
  const blockTime = async () => Number((await client.getBlock()).timestamp)

  it("set balance, nonce, code and storage without a block", async () => {
    const height = await client.getBlockNumber({ cacheTime: 0 })
    await client.setBalance({ address: whale, value: parseEther("7") })
    await client.setNonce({ address: whale, nonce: 9 + Number(await client.getTransactionCount({ address: whale })) })
    await client.setCode({ address: nobody, bytecode: reader })
    await client.setStorageAt({ address: nobody, index: 0, value: toHex(41, { size: 32 }) })
    assert.strictEqual(await client.getBalance({ address: whale }), parseEther("7"))
    assert.isAtLeast(await client.getTransactionCount({ address: whale }), 9)
    assert.strictEqual(await client.getCode({ address: nobody }), reader)
    assert.strictEqual(BigInt((await client.call({ to: nobody })).data ?? "0x0"), 41n)
    await client.setStorageAt({ address: nobody, index: toHex(0, { size: 32 }), value: toHex(42, { size: 32 }) })
    assert.strictEqual(BigInt((await client.getStorageAt({ address: nobody, slot: "0x0" })) ?? "0x0"), 42n)
    assert.strictEqual(await client.getBlockNumber({ cacheTime: 0 }), height)
  })

  it("mine blocks, and move time", async () => {
    const height = await client.getBlockNumber({ cacheTime: 0 })
    await client.mine({ blocks: 3 })
    assert.strictEqual(await client.getBlockNumber({ cacheTime: 0 }), height + 3n)
    const before = await blockTime()
    await client.increaseTime({ seconds: 1000 })
    await client.mine({ blocks: 1 })
    assert.strictEqual(await blockTime(), before + 1001)
    await client.setNextBlockTimestamp({ timestamp: BigInt(before + 5000) })
    await client.mine({ blocks: 1 })
    assert.strictEqual(await blockTime(), before + 5000)
    await client.mine({ blocks: 3, interval: 60 })
    assert.strictEqual(await blockTime(), before + 5001 + 120)
    if (mode === "hardhat") return
    await client.setBlockTimestampInterval({ interval: 7 })
    await client.mine({ blocks: 2 })
    assert.strictEqual(await blockTime(), before + 5121 + 14)
    await client.removeBlockTimestampInterval()
    await client.mine({ blocks: 1 })
    assert.strictEqual(await blockTime(), before + 5121 + 15)
  })

  it("take a snapshot, revert to it, and reset", async () => {
    await client.setBalance({ address: whale, value: 5n })
    const id = await client.snapshot()
    await client.setBalance({ address: whale, value: 6n })
    await client.mine({ blocks: 1 })
    await client.revert({ id })
    assert.strictEqual(await client.getBalance({ address: whale }), 5n)
    await client.reset()
    assert.strictEqual(await client.getBlockNumber({ cacheTime: 0 }), 0n)
    assert.strictEqual(await client.getBalance({ address: whale }), 0n)
  })

  it("send from an address without a key", async () => {
    await client.setBalance({ address: whale, value: parseEther("100") })
    const send = () => walletOf().sendTransaction({ account: whale, to: nobody, value: 3n })
    assert.instanceOf(await send().catch((error: unknown) => error), Error)
    await client.impersonateAccount({ address: whale })
    const before = await client.getBalance({ address: nobody })
    const receipt = await client.waitForTransactionReceipt({ hash: await send() })
    assert.deepInclude(receipt, { status: "success", from: whale })
    assert.strictEqual(await client.getBalance({ address: nobody }), before + 3n)
    await client.stopImpersonatingAccount({ address: whale })
    assert.instanceOf(await send().catch((error: unknown) => error), Error)
    const unsigned = await client.sendUnsignedTransaction({ from: whale, to: nobody, value: 4n })
    assert.strictEqual((await client.waitForTransactionReceipt({ hash: unsigned })).status, "success")
    assert.strictEqual(await client.getBalance({ address: nobody }), before + 7n)
  })

  it("stop mining, look into the pool, drop a transaction, and mine at an interval", async () => {
    assert.isTrue(await client.getAutomine())
    await client.setAutomine(false)
    assert.isFalse(await client.getAutomine())
    const wallet = walletOf(1)
    const first = await wallet.sendTransaction({ to: nobody, value: 1n, gas: 50_000n })
    const second = await wallet.sendTransaction({ to: nobody, value: 2n, gas: 50_000n })
    assert.deepStrictEqual(await client.getTxpoolStatus(), { pending: 2, queued: 0 })
    const content = await client.getTxpoolContent()
    const mine = Object.values(content.pending).flatMap((one) => Object.values(one))
    assert.deepStrictEqual(mine.map(({ hash }) => hash), [first, second])
    assert.lengthOf(Object.values((await client.inspectTxpool()).pending), 1)
    await client.dropTransaction({ hash: second })
    await client.mine({ blocks: 1 })
    assert.strictEqual((await client.getTransactionReceipt({ hash: first })).status, "success")
    assert.instanceOf(await client.getTransaction({ hash: second }).catch((error: unknown) => error), Error)
    if (mode === "anvil") {
      await client.setIntervalMining({ interval: 1 })
      const hash = await wallet.sendTransaction({ to: nobody, value: 1n, gas: 50_000n })
      assert.strictEqual((await client.waitForTransactionReceipt({ hash })).status, "success")
      await client.setIntervalMining({ interval: 0 })
    }
    await client.setAutomine(true)
    assert.isTrue(await client.getAutomine())
    await client.setLoggingEnabled(true)
  })

  it("set receiver, base fee and gas limit of blocks", async () => {
    await client.setCoinbase({ address: whale })
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 7n })
    await client.setBlockGasLimit({ gasLimit: 40_000_000n })
    await client.mine({ blocks: 1 })
    const { baseFeePerGas, gasLimit, miner } = await client.getBlock()
    assert.deepStrictEqual([miner, baseFeePerGas, gasLimit], [whale, 7n, 40_000_000n])
    await client.mine({ blocks: 1 })
    assert.notStrictEqual((await client.getBlock()).baseFeePerGas, 7n)
  })

  it("refuse what this chain does not have", async () => {
    const missing: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
      ["setMinGasPrice", () => client.setMinGasPrice({ gasPrice: 1n })],
      ["setRpcUrl", () => client.setRpcUrl("http://localhost:1")],
      ["dumpState", () => client.dumpState()],
      ["loadState", () => client.loadState({ state: "0x" })]
    ]
    for (const [name, call] of missing) {
      const error = await call().then(() => assert.fail(name), (rejected: unknown) => rejected)
      assert.match(String(error), /does not exist|not available/, name)
    }
  })
})

describe("viem's own actions", () => {
  it("read through Multicall3 at its usual address, with the chain's own definition", async () => {
    const client = createPublicClient({ chain: kairos, transport: http(world.url), batch: { multicall: true } })
    const wallet = walletOf()
    const hash = await wallet.deployContract({ abi, bytecode, args })
    const { contractAddress } = await client.waitForTransactionReceipt({ hash })
    const address = contractAddress ?? assert.fail("no contract")
    const contract = { address, abi }
    assert.deepStrictEqual(
      await client.multicall({
        contracts: [{ ...contract, functionName: "name" }, { ...contract, functionName: "decimals" }],
        allowFailure: false
      }),
      [args[0], args[2]]
    )
  })

  it("sign messages and typed data with the sandbox's accounts", async () => {
    const wallet = walletOf()
    const address = wallet.account.address
    const message = "hello"
    assert.strictEqual(
      (await recoverMessageAddress({ message, signature: await wallet.signMessage({ message }) })).toLowerCase(),
      address
    )
    const typed = {
      domain: { name: "Shop", version: "1", chainId: 1001, verifyingContract: nobody },
      types: {
        Item: [{ name: "name", type: "string" }, { name: "price", type: "uint256" }],
        Order: [{ name: "buyer", type: "address" }, { name: "items", type: "Item[]" }, { name: "note", type: "bytes" }]
      },
      primaryType: "Order",
      message: { buyer: address, items: [{ name: "apple", price: 10n ** 30n }], note: "0x1234" }
    } as const
    const signature = await wallet.signTypedData(typed)
    assert.strictEqual((await recoverAddress({ hash: hashTypedData(typed), signature })).toLowerCase(), address)
    const raw = await wallet.signTransaction({ to: nobody, value: 1n, gas: 21_000n, maxFeePerGas: parseGwei("50") })
    const client = createPublicClient({ chain: kairos, transport: http(world.url) })
    assert.strictEqual(await client.sendRawTransaction({ serializedTransaction: raw }), keccak256(raw))
  })

  it.each(["http", "webSocket"] as const)("watch blocks, events and transactions over %s", async (kind) => {
    const transport = kind === "http" ? http(world.url) : webSocket(world.url.replace("http", "ws"))
    const client = createPublicClient({ chain: kairos, transport, pollingInterval: 20 })
    const wallet = walletOf(2)
    const deployed = await client.waitForTransactionReceipt({
      hash: await wallet.deployContract({ abi, bytecode, args })
    })
    const contract = { address: deployed.contractAddress ?? assert.fail("no contract"), abi }
    const blocks: Array<bigint> = []
    const values: Array<bigint | undefined> = []
    const hashes: Array<string> = []
    const errors: Array<Error> = []
    const onError = (error: Error) => errors.push(error)
    const stops = [
      client.watchBlocks({ onBlock: ({ number }) => blocks.push(number), onError }),
      client.watchContractEvent({
        ...contract,
        eventName: "Transfer",
        onLogs: (logs) => values.push(...logs.map((log) => log.args.value)),
        onError
      }),
      ...(kind === "http"
        ? [client.watchPendingTransactions({ onTransactions: (found) => hashes.push(...found), onError })]
        : [])
    ]
    const sent: Array<string> = []
    // Nothing tells when a watch begins.
    while (values.length < 2 || blocks.length < 2 || (kind === "http" && hashes.length < 2)) {
      const request = encodeFunctionData({ abi, functionName: "mint", args: [wallet.account.address, 7n] })
      sent.push(await wallet.sendTransaction({ to: contract.address, data: request }))
      await new Promise((resolve) => setTimeout(resolve, 40))
      assert.deepStrictEqual(errors, [])
      assert.isBelow(sent.length, 200)
    }
    for (const stop of stops) stop()
    assert.isTrue(values.every((value) => value === 7n))
    assert.isTrue(hashes.every((hash) => sent.includes(hash)))
    if (kind === "webSocket") {
      ;(await (client.transport as unknown as { getSocket: () => Promise<{ close: () => void }> }).getSocket()).close()
    }
  })

  it("decode the errors of contracts", async () => {
    const client = createPublicClient({ chain: kairos, transport: http(world.url) })
    const answer = await client.readContract({
      address: "0xca11bde05977b3631167028862be2a173976ca11",
      abi: parseAbi(["function aggregate((address target, bytes callData)[] calls) returns (uint256, bytes[])"]),
      functionName: "aggregate" as never,
      args: [[{ target: "0xca11bde05977b3631167028862be2a173976ca11", callData: "0xffffffff" }]] as never
    }).then(() => assert.fail("it was answered"), (error: Error) => error.message)
    assert.include(answer, "Multicall3: call failed")
  })
})
