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
  watchBlockNumber,
  watchContractEvent,
  writeContract
} from "@wagmi/core"
import { recoverMessageAddress, recoverTypedDataAddress } from "viem"
import { kairos } from "viem/chains"
import { afterAll, assert, beforeAll, describe } from "vitest"
import { abi, args, bytecode } from "../node/contract.js"
import { referee } from "./referee.js"
import { refusal, watching } from "./watching.js"
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

describe("wagmi", () => {
  referee("wagmi core", 9, {
    connect: async () => {
      const { address, chainId, status } = getAccount(config)
      assert.deepStrictEqual([address?.toLowerCase(), chainId, status], [sender(), 1001, "connected"])
    },
    getBalance: async () => {
      const { symbol, value } = await getBalance(config, { address: sender() })
      assert.isAbove(Number(value), 0)
      assert.strictEqual(symbol, "KAIA")
    },
    "sendTransaction, waitForTransactionReceipt": async () => {
      const { value: before } = await getBalance(config, { address: nobody })
      const hash = await sendTransaction(config, { to: nobody, value: 5n })
      assert.strictEqual((await waitForTransactionReceipt(config, { hash })).status, "success")
      assert.strictEqual((await getBalance(config, { address: nobody })).value, before + 5n)
    },
    deployContract: async () => assert.match((await deployed()).address, /^0x/),
    "simulateContract, writeContract": async () => {
      const contract = await deployed()
      const { request } = await simulateContract(config, { ...contract, functionName: "mint", args: [nobody, 12n] })
      await waitForTransactionReceipt(config, { hash: await writeContract(config, request) })
      assert.strictEqual(await readContract(config, { ...contract, functionName: "balanceOf", args: [nobody] }), 12n)
    },
    readContract: async () =>
      assert.strictEqual(await readContract(config, { ...await deployed(), functionName: "symbol" }), args[1]),
    readContracts: async () => {
      const contract = await deployed()
      const contracts = [{ ...contract, functionName: "name" }, { ...contract, functionName: "totalSupply" }] as const
      assert.deepStrictEqual(await readContracts(config, { allowFailure: false, contracts }), [args[0], 0n])
    },
    "the reason of a revert": async () =>
      assert.include(
        await refusal(simulateContract(config, { ...await deployed(), functionName: "transfer", args: [nobody, 1n] })),
        "KIP7: transfer amount exceeds balance"
      ),
    signMessage: async () => {
      const message = "hello"
      const signature = await signMessage(config, { message })
      assert.strictEqual((await recoverMessageAddress({ message, signature })).toLowerCase(), sender())
    },
    signTypedData: async () => {
      const typed = {
        domain: { name: "Shop" },
        types: { Mail: [{ name: "text", type: "string" }] },
        primaryType: "Mail",
        message: { text: "hello" }
      } as const
      const signature = await signTypedData(config, typed)
      assert.strictEqual((await recoverTypedDataAddress({ ...typed, signature })).toLowerCase(), sender())
    },
    watchContractEvent: async () => {
      const contract = await deployed()
      const value = await watching<bigint | undefined>(
        (found, onError) =>
          watchContractEvent(config, {
            ...contract,
            eventName: "Transfer",
            onLogs: ([log]) => found(log?.args.value),
            onError
          }),
        () => writeContract(config, { ...contract, functionName: "mint", args: [nobody, 3n] })
      )
      assert.strictEqual(value, 3n)
    },
    watchBlockNumber: async () => {
      const height = await watching<bigint>(
        (onBlockNumber, onError) => watchBlockNumber(config, { onBlockNumber, onError }),
        () => sendTransaction(config, { to: nobody, value: 1n })
      )
      assert.isAbove(Number(height), 0)
    },
    disconnect: async () => {
      await disconnect(config)
      assert.strictEqual(getAccount(config).status, "disconnected")
    }
  })
})
