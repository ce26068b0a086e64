import {
  Contract,
  ContractFactory,
  JsonRpcProvider,
  parseEther,
  toQuantity,
  verifyMessage,
  verifyTypedData,
  Wallet,
  WebSocketProvider
} from "ethers"
import { afterAll, assert, beforeAll, describe } from "vitest"
import { args, bytecode, signatures, spendBytecode, spendSignatures, topicOfTransfer } from "../node/contract.js"
import { type Check, referee } from "./referee.js"
import { refusal, watching } from "./watching.js"
import { open, type World } from "./world.js"

let world: World
let provider: JsonRpcProvider
let token: Contract
const nobody = "0x8888888888888888888888888888888888888888"

const overHttp = () => {
  const made = new JsonRpcProvider(world.url, undefined, { polling: false, cacheTimeout: -1 })
  made.pollingInterval = 20
  return made
}

const deploy = async () => {
  const deployed = await new ContractFactory([...signatures], bytecode, await provider.getSigner(0)).deploy(...args)
  await deployed.waitForDeployment()
  return new Contract(await deployed.getAddress(), [...signatures], await provider.getSigner(0))
}

beforeAll(async () => {
  world = await open()
  provider = overHttp()
  token = await deploy()
})
afterAll(async () => {
  provider.destroy()
  await world.close()
})

const mint = async (amount = 9n) => {
  const receipt = await (await token.getFunction("mint")(nobody, amount)).wait()
  return receipt ?? assert.fail("no receipt")
}
const pay = async (value = 5n) => {
  const sent = await (await provider.getSigner(0)).sendTransaction({ to: nobody, value })
  return (await sent.wait()) ?? assert.fail("no receipt")
}

/** What a listener hears first. A provider of its own is destroyed when nothing listens any more. */
const hears = async <A>(
  made: JsonRpcProvider | WebSocketProvider,
  start: (found: (one: A) => void) => Promise<unknown>,
  act: () => Promise<unknown>
): Promise<A> => {
  const found = await watching<A>(async (push) => {
    await start(push)
    return () => made.removeAllListeners()
  }, act)
  await made.send("eth_chainId", [])
  await made.destroy()
  return found
}

const both = (
  use: (made: JsonRpcProvider | WebSocketProvider) => Promise<unknown>
): readonly [http: Check, socket: Check] => [
  () => use(overHttp()),
  () => use(new WebSocketProvider(world.url.replace("http", "ws")))
]

const [blocksByFilter, blocksBySocket] = both(async (made) => {
  const height = await hears<number>(made, (found) => made.on("block", found), pay)
  assert.isAbove(height, 0)
})

const [eventsByFilter, eventsBySocket] = both(async (made) => {
  const listening = new Contract(await token.getAddress(), [...signatures], made)
  const value = await hears<bigint>(
    made,
    (found) => listening.on("Transfer", (_from: string, _to: string, amount: bigint) => found(amount)),
    mint
  )
  await listening.removeAllListeners()
  assert.strictEqual(value, 9n)
})

const [logsByFilter, logsBySocket] = both(async (made) => {
  const filter = { address: await token.getAddress(), topics: [topicOfTransfer] }
  const log = await hears<{ topics: ReadonlyArray<string> }>(made, (found) => made.on(filter, found), mint)
  assert.strictEqual(log.topics[0], topicOfTransfer)
})

const [pendingByFilter, pendingBySocket] = both(async (made) => {
  const sent: Array<string> = []
  const hash = await hears<string>(
    made,
    (found) => made.on("pending", found),
    async () => sent.push((await pay()).hash)
  )
  assert.include(sent, hash)
})

const wallet = async () => {
  const made = new Wallet(Wallet.createRandom().privateKey, provider)
  await (await (await provider.getSigner(0)).sendTransaction({ to: made.address, value: parseEther("1") })).wait()
  return made
}

const sends = (type: number): Check => async () => {
  const before = await provider.getBalance(nobody)
  const gasPrice = 50_000_000_000n
  const price = type === 2 ? { maxFeePerGas: gasPrice, maxPriorityFeePerGas: 0n } : { gasPrice }
  const sent = await (await wallet()).sendTransaction({ to: nobody, value: 3n, type, ...price })
  assert.strictEqual((await sent.wait())?.type, type)
  assert.strictEqual(await provider.getBalance(nobody), before + 3n)
}

describe("ethers", () => {
  referee("ethers 6", 25, {
    "getNetwork, getBlockNumber": async () => {
      assert.strictEqual((await provider.getNetwork()).chainId, 1001n)
      assert.isAbove(await provider.getBlockNumber(), 0)
    },
    "listAccounts, getSigner": async () =>
      assert.deepStrictEqual(
        (await provider.listAccounts()).map(({ address }) => address.toLowerCase()),
        world.accounts.map(({ address }) => address)
      ),
    "getBalance, sendTransaction, wait": async () => {
      const before = await provider.getBalance(nobody)
      assert.strictEqual((await pay()).status, 1)
      assert.strictEqual(await provider.getBalance(nobody), before + 5n)
    },
    "wait for three confirmations": {
      why: "a block is made for each transaction: `evm_setIntervalMining` makes further ones",
      check: async () => {
        const sent = await (await provider.getSigner(0)).sendTransaction({ to: nobody, value: 1n })
        await sent.wait(3, 2_000)
      }
    },
    "wait for three confirmations, with an interval": async () => {
      await provider.send("evm_setIntervalMining", [1])
      const sent = await (await provider.getSigner(0)).sendTransaction({ to: nobody, value: 1n })
      assert.strictEqual((await sent.wait(3, 10_000))?.status, 1)
      await provider.send("evm_setIntervalMining", [0])
      await provider.send("evm_setAutomine", [true])
    },
    getTransaction: async () => assert.strictEqual((await provider.getTransaction((await pay()).hash))?.value, 5n),
    getBlock: async () => {
      const { blockNumber, hash } = await pay()
      assert.deepStrictEqual((await provider.getBlock(blockNumber))?.transactions, [hash])
    },
    getTransactionCount: async () => {
      const address = world.accounts[0]?.address ?? assert.fail("no account")
      const before = await provider.getTransactionCount(address)
      await pay()
      assert.strictEqual(await provider.getTransactionCount(address), before + 1)
    },
    "getCode, getStorage": async () => {
      assert.isAbove((await provider.getCode(await token.getAddress())).length, 100)
      assert.match(await provider.getStorage(await token.getAddress(), 0), /^0x/)
    },
    getFeeData: async () => assert.isAbove(Number((await provider.getFeeData()).maxFeePerGas), 0),
    estimateGas: async () => assert.isAtLeast(Number(await provider.estimateGas({ to: nobody })), 21_000),
    getLogs: async () => {
      const { blockNumber } = await mint()
      const logs = await provider.getLogs({ fromBlock: blockNumber, toBlock: blockNumber })
      assert.deepStrictEqual(logs.map(({ topics }) => topics[0]), [topicOfTransfer])
    },
    "ContractFactory.deploy": async () => assert.strictEqual(await (await deploy()).getFunction("symbol")(), args[1]),
    "contract: write and read": async () => {
      const balanceOf = token.getFunction("balanceOf")
      const before = BigInt(await balanceOf(nobody))
      await mint()
      assert.strictEqual(await balanceOf(nobody), before + 9n)
    },
    "contract: staticCall and estimateGas": async () => {
      assert.isAbove(Number(await token.getFunction("mint").estimateGas(nobody, 1n)), 21_000)
      await token.getFunction("mint").staticCall(nobody, 1n)
    },
    "contract: queryFilter": async () => {
      const { blockNumber } = await mint()
      const events = await token.queryFilter(token.getEvent("Transfer")(null, nobody), blockNumber)
      assert.lengthOf(events, 1)
    },
    "the reason of a revert": async () =>
      assert.include(
        await refusal(token.getFunction("transfer")(nobody, 10n ** 30n)),
        "KIP7: transfer amount exceeds balance"
      ),
    "a custom error": async () => {
      const factory = new ContractFactory([...spendSignatures], spendBytecode, await provider.getSigner(0))
      const deployed = await factory.deploy()
      await deployed.waitForDeployment()
      const spend = new Contract(await deployed.getAddress(), [...spendSignatures], provider)
      assert.include(await refusal(spend.getFunction("spend")(5n, nobody)), "NotEnough")
    },
    signMessage: async () => {
      const signer = await provider.getSigner(0)
      assert.strictEqual(verifyMessage("hello", await signer.signMessage("hello")), signer.address)
    },
    signTypedData: async () => {
      const signer = await provider.getSigner(0)
      const types = { Mail: [{ name: "text", type: "string" }] }
      const signature = await signer.signTypedData({ name: "Shop" }, types, { text: "hello" })
      assert.strictEqual(verifyTypedData({ name: "Shop" }, types, { text: "hello" }, signature), signer.address)
    },
    "a key sends type 0": sends(0),
    "a key sends type 1": sends(1),
    "a key sends type 2": sends(2),
    "a key signs an authorization and sends type 4": async () => {
      const made = await wallet()
      const auth = await made.authorize({ address: await token.getAddress(), nonce: 1 })
      const sent = await made.sendTransaction({ type: 4, to: nobody, authorizationList: [auth] })
      assert.strictEqual((await sent.wait())?.status, 1)
      assert.match(await provider.getCode(made.address), /^0xef0100/)
    },
    "blocks, by polled filters": blocksByFilter,
    "events, by polled filters": eventsByFilter,
    "logs, by polled filters": logsByFilter,
    "pending transactions, by polled filters": pendingByFilter,
    "blocks, over WebSocket": blocksBySocket,
    "events, over WebSocket": eventsBySocket,
    "logs, over WebSocket": logsBySocket,
    "pending transactions, over WebSocket": pendingBySocket,
    "send: a raw call": async () =>
      assert.strictEqual(
        await provider.send("eth_getBalance", [nobody, "latest"]),
        toQuantity(await provider.getBalance(nobody))
      )
  })
})
