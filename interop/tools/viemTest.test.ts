/** viem's test actions, as for anvil and as for Hardhat, and its subscriptions over WebSocket. */
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  http,
  parseEther,
  publicActions,
  toHex,
  webSocket
} from "viem"
import { kairos } from "viem/chains"
import { afterAll, assert, beforeAll, describe } from "vitest"
import { abi, args, bytecode } from "../node/contract.js"
import { type Check, type Checks, type Missing, referee } from "./referee.js"
import { refusal, watching } from "./watching.js"
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
  createTestClient({ chain: kairos, mode, transport: http(world.url), pollingInterval: 20, cacheTime: 0 })
    .extend(publicActions)

type Client = ReturnType<typeof clientOf>

const walletOf = (index = 0) =>
  createWalletClient({
    chain: kairos,
    account: world.accounts[index]?.address ?? assert.fail("no account"),
    transport: http(world.url)
  })

const send = () => walletOf(1).sendTransaction({ to: nobody, value: 1n, gas: 50_000n })

/** With transactions that wait. */
const withoutMining = async (client: Client, use: (hash: `0x${string}`) => Promise<unknown>) => {
  await client.setAutomine(false)
  try {
    await use(await send())
  } finally {
    await client.setAutomine(true)
  }
}

const notServed = (client: Client): Record<string, Missing> => ({
  setMinGasPrice: {
    why: "the base fee is the least gas price",
    check: () => client.setMinGasPrice({ gasPrice: 1n })
  },
  setRpcUrl: { why: "the sandbox never calls another node", check: () => client.setRpcUrl("http://localhost:1") },
  dumpState: {
    why: "a database file keeps the state, and a snapshot brings it back",
    check: () => client.dumpState()
  },
  loadState: {
    why: "a database file keeps the state, and a snapshot brings it back",
    check: () => client.loadState({ state: "0x" })
  }
})

const stateActions = (client: Client): Record<string, Check> => ({
  setBalance: async () => {
    const height = await client.getBlockNumber()
    await client.setBalance({ address: whale, value: parseEther("7") })
    assert.strictEqual(await client.getBalance({ address: whale }), parseEther("7"))
    assert.strictEqual(await client.getBlockNumber(), height)
  },
  setNonce: async () => {
    const nonce = 9 + await client.getTransactionCount({ address: whale })
    await client.setNonce({ address: whale, nonce })
    assert.strictEqual(await client.getTransactionCount({ address: whale }), nonce)
  },
  setCode: async () => {
    await client.setCode({ address: nobody, bytecode: reader })
    assert.strictEqual(await client.getCode({ address: nobody }), reader)
    await client.setCode({ address: nobody, bytecode: "0x" })
  },
  setStorageAt: async () => {
    await client.setCode({ address: whale, bytecode: reader })
    await client.setStorageAt({ address: whale, index: 0, value: toHex(42, { size: 32 }) })
    assert.strictEqual(BigInt((await client.call({ to: whale })).data ?? "0x0"), 42n)
    await client.setCode({ address: whale, bytecode: "0x" })
  },
  impersonateAccount: async () => {
    await client.setBalance({ address: whale, value: parseEther("9") })
    await client.impersonateAccount({ address: whale })
    const hash = await walletOf().sendTransaction({ account: whale, to: nobody, value: 3n })
    assert.deepInclude(await client.waitForTransactionReceipt({ hash }), { status: "success", from: whale })
  },
  stopImpersonatingAccount: async () => {
    await client.impersonateAccount({ address: whale })
    await client.stopImpersonatingAccount({ address: whale })
    await refusal(walletOf().sendTransaction({ account: whale, to: nobody, value: 3n }))
  },
  sendUnsignedTransaction: async () => {
    await client.setBalance({ address: whale, value: parseEther("9") })
    await client.impersonateAccount({ address: whale })
    const hash = await client.sendUnsignedTransaction({ from: whale, to: nobody, value: 4n })
    assert.strictEqual((await client.waitForTransactionReceipt({ hash })).status, "success")
    await client.stopImpersonatingAccount({ address: whale })
  },
  snapshot: async () => {
    const first = Number(await client.snapshot())
    assert.isAbove(Number(await client.snapshot()), first)
  },
  revert: async () => {
    await client.setBalance({ address: whale, value: 5n })
    const id = await client.snapshot()
    await client.setBalance({ address: whale, value: 6n })
    await client.mine({ blocks: 1 })
    await client.revert({ id })
    assert.strictEqual(await client.getBalance({ address: whale }), 5n)
  },
  reset: async () => {
    await client.mine({ blocks: 2 })
    await client.reset()
    assert.strictEqual(await client.getBlockNumber(), 0n)
  }
})

const blockActions = (client: Client): Record<string, Check> => {
  const time = async () => Number((await client.getBlock()).timestamp)
  return {
    mine: async () => {
      const height = await client.getBlockNumber()
      await client.mine({ blocks: 3 })
      assert.strictEqual(await client.getBlockNumber(), height + 3n)
    },
    "mine, with an interval": async () => {
      await client.mine({ blocks: 1 })
      const before = await time()
      await client.mine({ blocks: 3, interval: 60 })
      assert.isAtLeast(await time(), before + 120)
    },
    increaseTime: async () => {
      await client.mine({ blocks: 1 })
      const before = await time()
      await client.increaseTime({ seconds: 1000 })
      await client.mine({ blocks: 1 })
      assert.isAtLeast(await time(), before + 1000)
    },
    setNextBlockTimestamp: async () => {
      const timestamp = BigInt(5000 + await time())
      await client.setNextBlockTimestamp({ timestamp })
      await client.mine({ blocks: 1 })
      assert.strictEqual(BigInt(await time()), timestamp)
    },
    setBlockTimestampInterval: async () => {
      await client.setBlockTimestampInterval({ interval: 7 })
      await client.mine({ blocks: 1 })
      const before = await time()
      await client.mine({ blocks: 2 })
      assert.strictEqual(await time(), before + 14)
    },
    removeBlockTimestampInterval: async () => {
      await client.setBlockTimestampInterval({ interval: 7 })
      await client.removeBlockTimestampInterval()
      await client.mine({ blocks: 1 })
      const before = await time()
      await client.mine({ blocks: 1 })
      assert.strictEqual(await time(), before + 1)
    },
    setCoinbase: async () => {
      await client.setCoinbase({ address: whale })
      await client.mine({ blocks: 1 })
      assert.strictEqual((await client.getBlock()).miner, whale)
    },
    setBlockGasLimit: async () => {
      await client.setBlockGasLimit({ gasLimit: 40_000_000n })
      await client.mine({ blocks: 1 })
      const code = "0x455f5260205ff3"
      await client.setCode({ address: nobody, bytecode: code })
      assert.strictEqual(BigInt((await client.call({ to: nobody })).data ?? "0x0"), 40_000_000n)
      await client.setCode({ address: nobody, bytecode: "0x" })
    },
    setNextBlockBaseFeePerGas: async () => {
      await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 30_000_000_000n })
      await client.mine({ blocks: 1 })
      assert.strictEqual((await client.getBlock()).baseFeePerGas, 30_000_000_000n)
    }
  }
}

const poolActions = (client: Client): Record<string, Check> => ({
  setAutomine: () =>
    withoutMining(client, async (hash) => {
      assert.isNull((await client.getTransaction({ hash })).blockNumber)
      await client.setAutomine(true)
      assert.strictEqual((await client.waitForTransactionReceipt({ hash })).status, "success")
    }),
  getAutomine: async () => {
    assert.isTrue(await client.getAutomine())
    await withoutMining(client, async () => assert.isFalse(await client.getAutomine()))
  },
  getTxpoolStatus: () =>
    withoutMining(
      client,
      async () => assert.deepStrictEqual(await client.getTxpoolStatus(), { pending: 1, queued: 0 })
    ),
  getTxpoolContent: () =>
    withoutMining(client, async (hash) => {
      const { pending } = await client.getTxpoolContent()
      assert.deepStrictEqual(Object.values(pending).flatMap((one) => Object.values(one).map((it) => it.hash)), [hash])
    }),
  inspectTxpool: () =>
    withoutMining(client, async () => assert.lengthOf(Object.values((await client.inspectTxpool()).pending), 1)),
  dropTransaction: () =>
    withoutMining(client, async (hash) => {
      await client.dropTransaction({ hash })
      await client.mine({ blocks: 1 })
      await refusal(client.getTransaction({ hash }))
    }),
  setLoggingEnabled: () => client.setLoggingEnabled(true)
})

/** An interval of a second. */
const interval = (client: Client): Check => async () => {
  await client.setIntervalMining({ interval: 1 })
  try {
    const { status } = await client.waitForTransactionReceipt({ hash: await send(), timeout: 5_000 })
    assert.strictEqual(status, "success")
  } finally {
    await client.setIntervalMining({ interval: 0 })
    await client.setAutomine(true)
  }
}

/** The checks of a mode. The client is made when a check runs: before that, the sandbox has no address. */
const checksOf = (mode: "anvil" | "hardhat"): Checks => {
  const made = (client: Client): Checks => ({
    ...stateActions(client),
    ...blockActions(client),
    ...poolActions(client),
    setIntervalMining: mode === "anvil" ? interval(client) : {
      why: "both tools use one name with different units; the sandbox takes seconds, as anvil does",
      check: interval(client)
    },
    ...notServed(client)
  })
  // Only names and reasons are read from this one.
  const names = made(createTestClient({ mode, transport: http("http://127.0.0.1:1") }).extend(publicActions) as Client)
  const run = (name: string): Check => async () => {
    const check = made(clientOf(mode))[name] ?? assert.fail(name)
    await (typeof check === "function" ? check() : check.check())
  }
  return Object.fromEntries(
    Object.entries(names).map(([name, check]) => [
      `${name} (${mode})`,
      typeof check === "function" ? run(name) : { why: check.why, check: run(name) }
    ])
  )
}

const socketClient = () =>
  createPublicClient({
    chain: kairos,
    transport: webSocket(world.url.replace("http", "ws"), { reconnect: false })
  })

const overSocket = (use: (client: ReturnType<typeof socketClient>) => Promise<unknown>): Check => async () => {
  const client = socketClient()
  await use(client)
  ;(await client.transport.getRpcClient()).close()
}

const deploy = async () => {
  const client = clientOf("anvil")
  const hash = await walletOf().deployContract({ abi, bytecode, args })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  const address = contractAddress ?? assert.fail("no contract")
  const mint = () => walletOf().writeContract({ address, abi, functionName: "mint", args: [nobody, 7n] })
  return { address, mint }
}

const overWebSocket: Checks = {
  "WebSocket: calls": overSocket(async (client) => assert.strictEqual(await client.getChainId(), 1001)),
  "WebSocket: watchBlockNumber": overSocket((client) =>
    watching<bigint>((onBlockNumber, onError) => client.watchBlockNumber({ onBlockNumber, onError }), send)
  ),
  "WebSocket: watchBlocks": overSocket((client) =>
    watching<unknown>((onBlock, onError) => client.watchBlocks({ onBlock, onError }), send)
  ),
  "WebSocket: watchPendingTransactions": overSocket(async (client) => {
    const sent: Array<string> = []
    const hash = await watching<string>(
      (found, onError) => client.watchPendingTransactions({ onTransactions: ([one]) => found(one ?? ""), onError }),
      async () => sent.push(await send())
    )
    assert.include(sent, hash)
  }),
  "WebSocket: watchEvent": overSocket(async (client) => {
    const { address, mint } = await deploy()
    const found = await watching<string>(
      (found, onError) => client.watchEvent({ address, onLogs: ([log]) => found(log?.address ?? ""), onError }),
      mint
    )
    assert.strictEqual(found, address)
  }),
  "WebSocket: watchContractEvent": overSocket(async (client) => {
    const { address, mint } = await deploy()
    const value = await watching<bigint | undefined>(
      (found, onError) =>
        client.watchContractEvent({
          address,
          abi,
          eventName: "Transfer",
          onLogs: ([log]) => found(log?.args.value),
          onError
        }),
      mint
    )
    assert.strictEqual(value, 7n)
  }),
  "WebSocket: a subscription is ended": overSocket(async (client) => {
    const heads: Array<unknown> = []
    const { unsubscribe } = await client.transport.subscribe({ params: ["newHeads"], onData: (one) => heads.push(one) })
    await watching<unknown>((onBlock, onError) => client.watchBlocks({ onBlock, onError }), send)
    assert.isAtLeast(heads.length, 1)
    await unsubscribe()
    const before = heads.length
    await watching<unknown>((onBlock, onError) => client.watchBlocks({ onBlock, onError }), send)
    assert.strictEqual(heads.length, before)
  }),
  "WebSocket: multicall": overSocket(async (client) => {
    const { address } = await deploy()
    const contracts = [{ address, abi, functionName: "symbol" }] as const
    assert.deepStrictEqual(await client.multicall({ contracts, allowFailure: false }), [args[1]])
  }),
  "WebSocket: an error keeps its code": overSocket(async (client) => {
    assert.match(await refusal(client.request({ method: "eth_nothing" } as never)), /does not exist/)
  })
}

describe("viem", () => {
  referee("viem, test actions and WebSocket", 60, {
    ...checksOf("anvil"),
    ...checksOf("hardhat"),
    ...overWebSocket
  })
})
