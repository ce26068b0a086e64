/** What else these libraries ask of a node: whole blocks, prices, tags, multicalls, state overrides. */
import { Wallet } from "ethers"
import { privateKeyToAccount } from "viem/accounts"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { methods } from "../../packages/sandbox/src/internal/rpc/methods.js"
import { abi } from "./contract.js"
import * as Ethers from "./ethers.js"
import { everything } from "./facts.js"
import * as Viem from "./viem.js"
import * as Web3rpc from "./web3rpc.js"
import { open, type World } from "./world.js"

let world: World
beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

const poor = "0x1111111111111111111111111111111111111111"

describe.each([["its own transport", Viem.direct], ["the bridge", Viem.bridged]] as const)(
  "viem over %s",
  (_, transportOf) => {
    it("reads blocks with their transactions, by tag too", async () => {
      const client = Viem.clientOf(transportOf(world))
      const { blocks, transactions } = await world.run(everything(world.chain, "eth"))
      const whole = await Promise.all(
        blocks.map(({ number }) => client.getBlock({ blockNumber: number, includeTransactions: true }))
      )
      assert.deepStrictEqual(
        whole.flatMap((block) =>
          block.transactions.map(({ from, hash, nonce, value }) => ({ from, hash, nonce, value }))
        ),
        transactions.map(({ from, hash, nonce, value }) => ({ from, hash, nonce, value }))
      )
      const newest = blocks.at(-1)
      for (const blockTag of ["latest", "safe", "finalized"] as const) {
        assert.strictEqual((await client.getBlock({ blockTag })).hash, newest?.hash)
      }
      const [first] = transactions
      const hash = first?.hash as `0x${string}`
      assert.strictEqual(await client.getTransactionConfirmations({ hash }), BigInt(blocks.length - 1))
    })

    it("estimates fees by the history of prices", async () => {
      const client = Viem.clientOf(transportOf(world))
      const { unitPrice } = world.chain
      const history = await client.getFeeHistory({ blockCount: 4, rewardPercentiles: [25, 75] })
      assert.deepStrictEqual(history.baseFeePerGas, Array.from({ length: 5 }, () => unitPrice))
      const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas()
      assert.isTrue(maxFeePerGas >= unitPrice)
      assert.strictEqual(maxPriorityFeePerGas, 0n)
    })

    it("calls many contracts in one, by code that is nowhere on the chain", async () => {
      const client = Viem.clientOf(transportOf(world))
      const token = { address: world.tokens.ft.address, abi } as const
      const [symbol, balance, refused] = await client.multicall({
        deployless: true,
        contracts: [
          { ...token, functionName: "symbol" },
          { ...token, functionName: "balanceOf", args: [world.busiest.address] },
          { address: world.tokens.mt.address, abi, functionName: "totalSupply" }
        ]
      })
      assert.isString(symbol.result)
      assert.strictEqual(
        balance.result,
        await client.readContract({ ...token, functionName: "balanceOf", args: [world.busiest.address] })
      )
      assert.strictEqual(refused.status, "failure")
    })

    it("calls as if the state were another", async () => {
      const client = Viem.clientOf(transportOf(world))
      const call = { account: poor, to: world.busiest.address, value: 10n ** 18n } as const
      assert.match(
        await client.call(call).then(() => "", ({ details }: { readonly details: string }) => details),
        /insufficient balance/
      )
      await client.call({ ...call, stateOverride: [{ address: poor, balance: 10n ** 19n }] })
    })

    it("verifies a message with the code that it sends along", async () => {
      const client = Viem.clientOf(transportOf(world))
      const { address, privateKey } = await world.funded("message")
      const signature = await privateKeyToAccount(privateKey).signMessage({ message: "apples" })
      assert.isTrue(await client.verifyMessage({ address, message: "apples", signature }))
      assert.isFalse(await client.verifyMessage({ address, message: "pears", signature }))
    })
  }
)

describe.each([["its own provider", Ethers.direct], ["the bridge", Ethers.bridged]] as const)(
  "ethers over %s",
  (_, providerOf) => {
    it("reads blocks with their transactions, and recovers who signed those of Ethereum's types", async () => {
      const provider = providerOf(world)
      const { privateKey } = await world.funded(`signer over ${_}`)
      const wallet = new Wallet(privateKey, provider)
      const sent = await wallet.sendTransaction({ to: poor, value: 1n, type: 2 })
      const { blockNumber } = await provider.waitForTransaction(sent.hash) ?? assert.fail("no receipt")
      const [read] = (await provider.getBlock(blockNumber, true))?.prefetchedTransactions ?? []
      assert.strictEqual(read?.hash, sent.hash)
      assert.strictEqual(read?.from, wallet.address)
      assert.strictEqual(read?.signature.serialized, sent.signature.serialized)
    })

    it("suggests fees, and counts what an account has sent", async () => {
      const provider = providerOf(world)
      const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData()
      assert.strictEqual(gasPrice, world.chain.unitPrice * 110n / 100n)
      assert.isTrue(maxFeePerGas !== null && maxFeePerGas >= world.chain.unitPrice)
      assert.strictEqual(maxPriorityFeePerGas, 0n)
      const { nonce } = await world.state(world.busiest.address)
      assert.strictEqual(await provider.getTransactionCount(world.busiest.address, "pending"), Number(nonce))
    })
  }
)

describe("web3rpc", () => {
  it("has an answer for every function, and the same by klay and kaia", async () => {
    const { kaia, klay } = Web3rpc.clientOf(world)
    const [block] = (await world.run(everything(world.chain, "klay"))).blocks.slice(5)
    const { address } = world.busiest
    const [hash, transaction] = [block?.hash, block?.transactions[0]]
    const signer = new Wallet((await world.funded("signer of web3rpc")).privateKey)
    const raw = await signer.signTransaction({ to: poor, chainId: 1001, type: 0, gasLimit: 21_000, gasPrice: 1 })
    const given: Record<string, ReadonlyArray<unknown>> = {
      accountCreated: [address, "latest"],
      call: [{ to: world.tokens.ft.address, input: "0x18160ddd" }, "latest"],
      createAccessList: [{ from: address, to: world.tokens.ft.address, input: "0x18160ddd" }],
      decodeAccountKey: ["0x01c0"],
      encodeAccountKey: [{ keyType: 1, key: {} }],
      estimateComputationCost: [{ to: world.tokens.ft.address, input: "0x18160ddd" }, "latest"],
      estimateGas: [{ from: address, to: poor, value: "0x1" }],
      feeHistory: ["0x5", "latest", [20, 50]],
      getAccount: [address, "latest"],
      getAccountKey: [address, "latest"],
      getBalance: [address, "latest"],
      getBlockByHash: [hash, true],
      getBlockByNumber: ["0x5", true],
      getBlockReceipts: [hash],
      getBlockTransactionCountByHash: [hash],
      getBlockTransactionCountByNumber: ["0x5"],
      getBlockWithConsensusInfoByHash: [hash],
      getBlockWithConsensusInfoByNumber: ["0x5"],
      getCode: [address, "latest"],
      getCommittee: ["0x5"],
      getCommitteeSize: ["0x5"],
      getCouncil: ["0x5"],
      getCouncilSize: ["0x5"],
      getHeaderByHash: [hash],
      getHeaderByNumber: ["0x5"],
      getLogs: [{ fromBlock: "0x1", toBlock: "latest" }],
      getRawTransactionByBlockHashAndIndex: [hash, "0x0"],
      getRawTransactionByBlockNumberAndIndex: ["0x5", "0x0"],
      getRawTransactionByHash: [transaction],
      getStorageAt: [address, "0x0", "latest"],
      getTransactionByBlockHashAndIndex: [hash, "0x0"],
      getTransactionByBlockNumberAndIndex: ["0x5", "0x0"],
      getTransactionByHash: [transaction],
      getTransactionBySenderTxHash: [transaction],
      getTransactionCount: [address, "latest"],
      getTransactionReceipt: [transaction],
      getTransactionReceiptBySenderTxHash: [transaction],
      isContractAccount: [address, "latest"],
      recoverFromMessage: [signer.address, "0x6869", await signer.signMessage("hi")],
      recoverFromTransaction: [raw],
      sha3: ["0x11"]
    }
    const elsewhere = new Set([
      // Raw transactions and anchoring are sent in other tests.
      "sendRawTransaction",
      "getDecodedAnchoringTransactionByHash",
      // Subscriptions don't work over HTTP.
      "subscribe"
    ])
    let [answered, unknown] = [0, 0]
    for (const [name, length] of Web3rpc.klayFunctions) {
      if (elsewhere.has(name)) continue
      const ask = (group: typeof klay, parameters: number) => {
        const args = Array.from({ length: parameters }, (_, place) => given[name]?.[place] ?? "0x1")
        // A parameter of one group is an option of the other.
        const options = name === "feeHistory" && parameters === 2 ? { rewardPercentiles: [20, 50] } : {}
        return group<unknown>(name, ...args, options).then(
          (result) => ({ result }),
          ({ code }: Web3rpc.Refused) => ({ code })
        )
      }
      const byKlay = await ask(klay, length)
      const other = Web3rpc.kaiaFunctions.get(name)
      if (other !== undefined) assert.deepStrictEqual(await ask(kaia, other), byKlay, name)
      if (methods.has(`klay_${name}`)) {
        assert.property(byKlay, "result", `${name} was refused`)
        answered++
      } else {
        assert.deepStrictEqual(byKlay, { code: -32601 }, name)
        unknown++
      }
    }
    assert.isAtLeast(answered, 40)
    assert.isAtLeast(unknown, 10)
  })
})
