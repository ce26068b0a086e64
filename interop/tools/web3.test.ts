import { afterAll, assert, beforeAll, describe } from "vitest"
import { Web3 } from "web3"
import { abi, args, bytecode, topicOfTransfer } from "../node/contract.js"
import { referee } from "./referee.js"
import { open, type World } from "./world.js"

let world: World
let web3: Web3
let socket: Web3

const nobody = "0x8888888888888888888888888888888888888888"

beforeAll(async () => {
  world = await open()
  web3 = new Web3(world.url)
  socket = new Web3(world.url.replace("http", "ws"))
})
afterAll(async () => {
  socket.provider?.disconnect()
  await world.close()
})

const sender = () => world.accounts[0]?.address ?? assert.fail("no account")

const setAutomine = (isOn: boolean) =>
  fetch(world.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "evm_setAutomine", params: [isOn] })
  })

const pay = (value = "5") => web3.eth.sendTransaction({ from: sender(), to: nobody, value })

const deploy = () =>
  new web3.eth.Contract(abi).deploy({ data: bytecode, arguments: [...args] }).send({ from: sender() })

/** What a subscription delivers first, while something happens again and again. */
const first = async <A>(
  subscribe: () => Promise<
    { on: (name: "data", listener: (found: A) => void) => void; unsubscribe: () => Promise<void> }
  >,
  act: () => Promise<unknown>
): Promise<A> => {
  const subscription = await subscribe()
  const found: Array<A> = []
  subscription.on("data", (one) => found.push(one))
  for (let times = 0; found.length === 0; times++) {
    assert.isBelow(times, 50)
    await act()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await subscription.unsubscribe()
  return found[0] ?? assert.fail("nothing came")
}

describe("web3", () => {
  referee("web3 4.16", 19, {
    "getChainId, getBlockNumber": async () => {
      assert.strictEqual(await web3.eth.getChainId(), 1001n)
      assert.isAtLeast(Number(await web3.eth.getBlockNumber()), 0)
    },
    getAccounts: async () =>
      assert.deepStrictEqual(
        (await web3.eth.getAccounts()).map((one) => one.toLowerCase()),
        world.accounts.map(({ address }) => address)
      ),
    "getBalance, sendTransaction": async () => {
      const before = await web3.eth.getBalance(nobody)
      const receipt = await pay()
      assert.strictEqual(receipt.status, 1n)
      assert.strictEqual(await web3.eth.getBalance(nobody), before + 5n)
    },
    getTransaction: async () => {
      const { transactionHash } = await pay()
      assert.strictEqual((await web3.eth.getTransaction(transactionHash)).value, 5n)
    },
    getTransactionReceipt: async () => {
      const { transactionHash } = await pay()
      assert.strictEqual((await web3.eth.getTransactionReceipt(transactionHash)).status, 1n)
    },
    "getBlock, getBlockTransactionCount, getTransactionFromBlock": async () => {
      const { blockNumber, transactionHash } = await pay()
      assert.deepStrictEqual((await web3.eth.getBlock(blockNumber)).transactions, [transactionHash])
      assert.strictEqual(await web3.eth.getBlockTransactionCount(blockNumber), 1n)
      assert.strictEqual((await web3.eth.getTransactionFromBlock(blockNumber, 0))?.hash, transactionHash)
    },
    getTransactionCount: async () => {
      const before = await web3.eth.getTransactionCount(sender())
      await pay()
      assert.strictEqual(await web3.eth.getTransactionCount(sender()), before + 1n)
    },
    "a local account signs, sendSignedTransaction": async () => {
      const account = web3.eth.accounts.create()
      await web3.eth.sendTransaction({ from: sender(), to: account.address, value: web3.utils.toWei("1", "ether") })
      const { rawTransaction } = await account.signTransaction({
        to: nobody,
        value: "7",
        gas: 21_000,
        gasPrice: await web3.eth.getGasPrice(),
        nonce: 0,
        chainId: 1001
      })
      const before = await web3.eth.getBalance(nobody)
      await web3.eth.sendSignedTransaction(rawTransaction)
      assert.strictEqual(await web3.eth.getBalance(nobody), before + 7n)
    },
    "contract: deploy, send, call": async () => {
      const contract = await deploy()
      await contract.methods["mint"]?.(nobody, 7n).send({ from: sender() })
      assert.strictEqual(String(await contract.methods["balanceOf"]?.(nobody).call()), "7")
    },
    "contract: estimateGas, and why a call fails": async () => {
      const contract = await deploy()
      assert.isAbove(Number(await contract.methods["mint"]?.(nobody, 7n).estimateGas({ from: sender() })), 21_000)
      const error = await contract.methods["transfer"]?.(nobody, 1n).call({ from: sender() })
        .then(() => assert.fail("it was answered"), (rejected: unknown) => rejected)
      const cause = error instanceof Error && "cause" in error ? error.cause : undefined
      assert.include(`${String(error)} ${String(cause)}`, "KIP7: transfer amount exceeds balance")
    },
    "contract: getPastEvents": async () => {
      const contract = await deploy()
      await contract.methods["mint"]?.(nobody, 7n).send({ from: sender() })
      const events = await contract.getPastEvents("Transfer", { fromBlock: 0, filter: { to: nobody } })
      assert.deepStrictEqual(events.map((one) => typeof one === "string" ? one : one.returnValues["value"]), [7n])
    },
    getPastLogs: async () => {
      const contract = await deploy()
      await contract.methods["mint"]?.(nobody, 7n).send({ from: sender() })
      const { address } = contract.options
      const logs = await web3.eth.getPastLogs({
        fromBlock: 0,
        topics: [topicOfTransfer],
        ...(address === undefined ? {} : { address })
      })
      assert.lengthOf(logs, 1)
    },
    "getCode, getStorageAt": async () => {
      const { address = "" } = (await deploy()).options
      assert.isAbove((await web3.eth.getCode(address)).length, 100)
      assert.match(await web3.eth.getStorageAt(address, 0), /^0x/)
    },
    "getGasPrice, getFeeHistory, calculateFeeData": async () => {
      assert.isAbove(Number(await web3.eth.getGasPrice()), 0)
      assert.lengthOf((await web3.eth.getFeeHistory(1, "latest", [50])).gasUsedRatio, 1)
      assert.isDefined((await web3.eth.calculateFeeData()).maxFeePerGas)
    },
    "sign and signTypedData": async () => {
      const signature = String(await web3.eth.sign(web3.utils.utf8ToHex("hello"), sender()))
      assert.strictEqual(web3.eth.accounts.recover("hello", signature).toLowerCase(), sender())
    },
    "subscription: newBlockHeaders": async () => {
      const head = await first(() => socket.eth.subscribe("newBlockHeaders"), pay)
      assert.isAbove(Number(head.number), 0)
    },
    "subscription: logs and contract events": async () => {
      const contract = await deploy()
      const { address = "" } = contract.options
      const listening = new socket.eth.Contract(abi, address)
      const event = listening.events["Transfer"] ?? assert.fail("no event")
      const found = await first<{ returnValues: Record<string, unknown> }>(
        () => {
          const subscription = event()
          return Promise.resolve({
            on: (_, listener) => subscription.on("data", (one) => listener(one)),
            unsubscribe: () => subscription.unsubscribe()
          })
        },
        () => contract.methods["mint"]?.(nobody, 7n).send({ from: sender() }) ?? assert.fail("no mint")
      )
      assert.strictEqual(String(found.returnValues["value"]), "7")
    },
    getPendingTransactions: async () => {
      await setAutomine(false)
      const waiting = web3.eth.sendTransaction({ from: sender(), to: nobody, value: "9", gas: 50_000 })
      const hash = await new Promise<string>((resolve) =>
        waiting.once("transactionHash", (found) => resolve(String(found)))
      )
      assert.deepStrictEqual((await web3.eth.getPendingTransactions()).map((one) => one.hash), [hash])
      await setAutomine(true)
      assert.strictEqual((await waiting).status, 1n)
    },
    "getProtocolVersion, getNodeInfo": async () => {
      assert.strictEqual(await web3.eth.getProtocolVersion(), "0x43")
      assert.match(await web3.eth.getNodeInfo(), /^anvil/)
    },
    getCoinbase: async () => assert.match(await web3.eth.getCoinbase(), /^0x[0-9a-f]{40}$/i),
    getProof: {
      why: "state is kept without a trie, so there are no proofs",
      check: () => web3.eth.getProof(nobody, [], "latest")
    }
  })
})
