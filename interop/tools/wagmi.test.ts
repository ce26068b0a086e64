import {
  connect,
  createConfig,
  deployContract,
  disconnect,
  getAccount,
  getBalance,
  http,
  mock,
  readContract,
  readContracts,
  sendTransaction,
  signMessage,
  signTypedData,
  simulateContract,
  waitForTransactionReceipt,
  watchContractEvent,
  writeContract
} from "@wagmi/core"
import { recoverMessageAddress } from "viem"
import { kairos } from "viem/chains"
import { afterAll, assert, beforeAll, it } from "vitest"
import { abi, args, bytecode } from "../node/contract.js"
import { open, type World } from "./world.js"

let world: World
let config: ReturnType<typeof configOf>
const nobody = "0x8888888888888888888888888888888888888888"

const configOf = ({ accounts, url }: World) => {
  const [first, ...rest] = accounts.map(({ address }) => address)
  // The chain as the library knows it, at another address: the mock connector uses the chain's own.
  const chain = { ...kairos, rpcUrls: { default: { http: [url] } } } as const
  return createConfig({
    chains: [chain],
    pollingInterval: 20,
    connectors: [mock({ accounts: [first ?? assert.fail("no account"), ...rest] })],
    transports: { [chain.id]: http(url) }
  })
}

beforeAll(async () => {
  world = await open()
  config = configOf(world)
  await connect(config, { connector: config.connectors[0] ?? assert.fail("no connector") })
})
afterAll(() => world.close())

const sender = () => world.accounts[0]?.address ?? assert.fail("no account")

const deployed = async () => {
  const hash = await deployContract(config, { abi, bytecode, args })
  const { contractAddress } = await waitForTransactionReceipt(config, { hash })
  return { address: contractAddress ?? assert.fail("no contract"), abi }
}

it("wagmi connects, and knows the accounts and the chain", () => {
  const { address, chainId, status } = getAccount(config)
  assert.deepStrictEqual([address?.toLowerCase(), chainId, status], [sender(), 1001, "connected"])
})

it("wagmi reads balances", async () => {
  const { symbol, value } = await getBalance(config, { address: sender() })
  assert.isAbove(Number(value), 0)
  assert.strictEqual(symbol, "KAIA")
})

it("wagmi sends coin", async () => {
  const { value: before } = await getBalance(config, { address: nobody })
  const hash = await sendTransaction(config, { to: nobody, value: 5n })
  assert.strictEqual((await waitForTransactionReceipt(config, { hash })).status, "success")
  assert.strictEqual((await getBalance(config, { address: nobody })).value, before + 5n)
})

it("wagmi deploys, simulates, writes and reads, one call or many at once", async () => {
  const contract = await deployed()
  const { request } = await simulateContract(config, { ...contract, functionName: "mint", args: [nobody, 12n] })
  await waitForTransactionReceipt(config, { hash: await writeContract(config, request) })
  assert.strictEqual(await readContract(config, { ...contract, functionName: "balanceOf", args: [nobody] }), 12n)
  assert.deepStrictEqual(
    await readContracts(config, {
      allowFailure: false,
      contracts: [{ ...contract, functionName: "name" }, { ...contract, functionName: "totalSupply" }]
    }),
    [args[0], 12n]
  )
})

it("wagmi says why a call fails", async () => {
  const contract = await deployed()
  const message = await simulateContract(config, { ...contract, functionName: "transfer", args: [nobody, 1n] })
    .then(() => assert.fail("it was answered"), (error: Error) => error.message)
  assert.include(message, "KIP7: transfer amount exceeds balance")
})

it("wagmi signs messages and typed data", async () => {
  const message = "hello"
  const signature = await signMessage(config, { message })
  assert.strictEqual((await recoverMessageAddress({ message, signature })).toLowerCase(), sender())
  const typed = await signTypedData(config, {
    domain: { name: "Shop" },
    types: { Mail: [{ name: "text", type: "string" }] },
    primaryType: "Mail",
    message: { text: "hello" }
  })
  assert.match(typed, /^0x[0-9a-f]{130}$/)
})

it("wagmi watches events", async () => {
  const contract = await deployed()
  const values: Array<bigint | undefined> = []
  const stop = watchContractEvent(config, {
    ...contract,
    eventName: "Transfer",
    onLogs: (logs) => values.push(...logs.map((log) => log.args.value))
  })
  for (let sent = 0; values.length === 0; sent++) {
    assert.isBelow(sent, 100)
    await writeContract(config, { ...contract, functionName: "mint", args: [nobody, 3n] })
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  stop()
  assert.isTrue(values.every((value) => value === 3n))
})

it("wagmi disconnects", async () => {
  await disconnect(config)
  assert.strictEqual(getAccount(config).status, "disconnected")
})
