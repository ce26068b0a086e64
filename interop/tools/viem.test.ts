/** viem's public and wallet actions. */
import {
  createPublicClient,
  createWalletClient,
  encodeAbiParameters,
  encodeFunctionData,
  hashTypedData,
  http,
  keccak256,
  parseAbi,
  parseAbiParameters,
  parseEther,
  parseGwei,
  type PublicClient,
  recoverAddress,
  recoverMessageAddress,
  toHex,
  webSocket
} from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { kairos } from "viem/chains"
import { afterAll, assert, beforeAll, describe } from "vitest"
import { abi, args, bytecode, topicOfTransfer } from "../node/contract.js"
import { referee } from "./referee.js"
import { refusal, watching } from "./watching.js"
import { open, type World } from "./world.js"

let world: World
let client: PublicClient
let token: `0x${string}`
/** The transaction that minted 7 to `nobody`. */
let minted: `0x${string}`

const nobody = "0x8888888888888888888888888888888888888888"
const multicall3 = "0xca11bde05977b3631167028862be2a173976ca11"

const walletOf = (index = 0) =>
  createWalletClient({
    chain: kairos,
    account: world.accounts[index]?.address ?? assert.fail("no account"),
    transport: http(world.url)
  })

beforeAll(async () => {
  world = await open()
  client = createPublicClient({ chain: kairos, transport: http(world.url), pollingInterval: 20, cacheTime: 0 })
  const wallet = walletOf()
  const { contractAddress } = await client.waitForTransactionReceipt({
    hash: await wallet.deployContract({ abi, bytecode, args })
  })
  token = contractAddress ?? assert.fail("no contract")
  minted = await mint(nobody, 7n)
})
afterAll(() => world.close())

const mint = (to: `0x${string}`, amount: bigint, index = 0) =>
  walletOf(index).writeContract({ address: token, abi, functionName: "mint", args: [to, amount] })
const another = () => mint("0x9999999999999999999999999999999999999999", 1n)
const block = async () => (await client.getTransactionReceipt({ hash: minted })).blockNumber

const from = () => world.accounts[0]?.address ?? assert.fail("no account")

const typed = {
  domain: { name: "Shop", version: "1", chainId: 1001, verifyingContract: nobody },
  types: {
    Item: [{ name: "name", type: "string" }, { name: "price", type: "uint256" }],
    Order: [{ name: "buyer", type: "address" }, { name: "items", type: "Item[]" }, { name: "note", type: "bytes" }]
  },
  primaryType: "Order",
  message: { buyer: nobody, items: [{ name: "apple", price: 10n ** 30n }], note: "0x1234" }
} as const

/** A new key with coin. */
const local = async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  await walletOf().sendTransaction({ to: account.address, value: parseEther("1") })
  return createWalletClient({ chain: kairos, account, transport: http(world.url) })
}

/** Sends from a key with a type, and returns the type in the block. */
const sends = async (fields: object) => {
  const before = await client.getBalance({ address: nobody })
  const request = { to: nobody, value: 3n, ...fields } as const
  const hash = await (await local()).sendTransaction(request as never)
  const { status } = await client.waitForTransactionReceipt({ hash })
  assert.deepStrictEqual([status, await client.getBalance({ address: nobody })], ["success", before + 3n])
  return (await client.getTransaction({ hash })).type
}

const domainContract = async () => {
  // Returns the answer of EIP-5267 for the domain "Shop", version "1", chain 1001.
  const answer = encodeAbiParameters(
    parseAbiParameters("bytes1, string, string, uint256, address, bytes32, uint256[]"),
    ["0x0f", "Shop", "1", 1001n, nobody, toHex(0, { size: 32 }), []]
  ).slice(2)
  const size = (answer.length / 2).toString(16).padStart(4, "0")
  const runtime = `61${size}600e60003961${size}6000f3${answer}`
  const length = (runtime.length / 2).toString(16).padStart(4, "0")
  const hash = await walletOf().sendTransaction({ data: `0x61${length}80600c6000396000f3${runtime}` })
  return (await client.waitForTransactionReceipt({ hash })).contractAddress ?? assert.fail("no contract")
}

const noProofs = "state is kept without a trie, so there are no proofs"
const noBlobs = "the chain takes sidecars of version 1, and viem writes those of version 0"
const signsAsNode = "`eth_signTransaction` wants every field, and answers `{ raw, tx }`, as the chain's nodes do"
const noSimulation = "several blocks are not simulated; `call` and `multicall` are served"

describe("viem", () => {
  referee("viem, public and wallet actions", 54, {
    getChainId: async () => assert.strictEqual(await client.getChainId(), 1001),
    getBlockNumber: async () => assert.isAtLeast(Number(await client.getBlockNumber()), Number(await block())),
    getBlock: async () =>
      assert.deepStrictEqual((await client.getBlock({ blockNumber: await block() })).transactions, [minted]),
    getBlockTransactionCount: async () =>
      assert.strictEqual(await client.getBlockTransactionCount({ blockNumber: await block() }), 1),
    getBalance: async () => assert.isAbove(Number(await client.getBalance({ address: from() })), 0),
    getTransactionCount: async () => assert.isAtLeast(await client.getTransactionCount({ address: from() }), 2),
    getCode: async () => assert.isAbove((await client.getCode({ address: token }))?.length ?? 0, 100),
    getStorageAt: async () => assert.match((await client.getStorageAt({ address: token, slot: "0x0" })) ?? "", /^0x/),
    getTransaction: async () => assert.strictEqual((await client.getTransaction({ hash: minted })).from, from()),
    getTransactionReceipt: async () => assert.lengthOf((await client.getTransactionReceipt({ hash: minted })).logs, 1),
    getTransactionConfirmations: async () => {
      const before = await client.getTransactionConfirmations({ hash: minted })
      await another()
      assert.strictEqual(await client.getTransactionConfirmations({ hash: minted }), before + 1n)
    },
    waitForTransactionReceipt: async () =>
      assert.strictEqual((await client.waitForTransactionReceipt({ hash: await another() })).status, "success"),
    call: async () => {
      const data = encodeFunctionData({ abi, functionName: "balanceOf", args: [nobody] })
      assert.strictEqual(BigInt((await client.call({ to: token, data })).data ?? "0x0"), 7n)
    },
    estimateGas: async () =>
      assert.isAtLeast(Number(await client.estimateGas({ account: from(), to: nobody, value: 1n })), 21_000),
    estimateContractGas: async () =>
      assert.isAbove(
        Number(
          await client.estimateContractGas({
            account: from(),
            address: token,
            abi,
            functionName: "mint",
            args: [nobody, 1n]
          })
        ),
        21_000
      ),
    createAccessList: async () => {
      const data = encodeFunctionData({ abi, functionName: "balanceOf", args: [nobody] })
      const { accessList } = await client.createAccessList({ to: token, data, account: from() })
      assert.strictEqual(accessList[0]?.address, token)
    },
    getGasPrice: async () => assert.isAbove(Number(await client.getGasPrice()), 0),
    getFeeHistory: async () =>
      assert.lengthOf(
        (await client.getFeeHistory({ blockCount: 2, rewardPercentiles: [50] })).baseFeePerGas,
        3
      ),
    estimateFeesPerGas: async () => assert.isAbove(Number((await client.estimateFeesPerGas()).maxFeePerGas), 0),
    estimateMaxPriorityFeePerGas: async () => assert.isAtLeast(Number(await client.estimateMaxPriorityFeePerGas()), 0),
    getLogs: async () => {
      const logs = await client.getLogs({ address: token, fromBlock: await block(), toBlock: await block() })
      assert.deepStrictEqual(logs.map(({ topics }) => topics[0]), [topicOfTransfer])
    },
    getContractEvents: async () => {
      const [event] = await client.getContractEvents({
        address: token,
        abi,
        eventName: "Transfer",
        args: { to: nobody },
        fromBlock: 0n
      })
      assert.strictEqual(event?.args.value, 7n)
    },
    "createEventFilter, getFilterLogs": async () => {
      const filter = await client.createEventFilter({ address: token, fromBlock: 0n })
      assert.isAtLeast((await client.getFilterLogs({ filter })).length, 1)
    },
    "createContractEventFilter, getFilterChanges": async () => {
      const filter = await client.createContractEventFilter({ address: token, abi, eventName: "Transfer" })
      await another()
      const [log] = await client.getFilterChanges({ filter })
      assert.strictEqual(log?.args.value, 1n)
    },
    createBlockFilter: async () => {
      const filter = await client.createBlockFilter()
      await another()
      assert.lengthOf(await client.getFilterChanges({ filter }), 1)
    },
    createPendingTransactionFilter: async () => {
      const filter = await client.createPendingTransactionFilter()
      const hash = await another()
      assert.deepStrictEqual(await client.getFilterChanges({ filter }), [hash])
    },
    uninstallFilter: async () => {
      const filter = await client.createBlockFilter()
      assert.isTrue(await client.uninstallFilter({ filter }))
      assert.match(await refusal(client.getFilterChanges({ filter })), /filter/)
    },
    watchBlockNumber: async () => {
      const height = await watching<bigint>(
        (onBlockNumber, onError) => client.watchBlockNumber({ onBlockNumber, onError }),
        another
      )
      assert.isAbove(Number(height), 0)
    },
    watchBlocks: async () => {
      const found = await watching<bigint>(
        (onBlock, onError) => client.watchBlocks({ onBlock: ({ number }) => onBlock(number), onError }),
        another
      )
      assert.isAbove(Number(found), 0)
    },
    watchEvent: async () => {
      const address = await watching<string>(
        (found, onError) =>
          client.watchEvent({ address: token, onLogs: ([log]) => found(log?.address ?? ""), onError }),
        another
      )
      assert.strictEqual(address, token)
    },
    watchContractEvent: async () => {
      const value = await watching<bigint | undefined>(
        (found, onError) =>
          client.watchContractEvent({
            address: token,
            abi,
            eventName: "Transfer",
            onLogs: ([log]) => found(log?.args.value),
            onError
          }),
        another
      )
      assert.strictEqual(value, 1n)
    },
    watchPendingTransactions: async () => {
      const sent: Array<string> = []
      const hash = await watching<string>(
        (found, onError) =>
          client.watchPendingTransactions({ onTransactions: ([first]) => found(first ?? ""), onError }),
        async () => sent.push(await another())
      )
      assert.include(sent, hash)
    },
    "watchBlocks over WebSocket": async () => {
      const transport = webSocket(world.url.replace("http", "ws"), { reconnect: false })
      const socket = createPublicClient({ chain: kairos, transport })
      const number = await watching<bigint>(
        (found, onError) => socket.watchBlocks({ onBlock: (one) => found(one.number), onError }),
        another
      )
      assert.isAbove(Number(number), 0)
      ;(await socket.transport.getRpcClient()).close()
    },
    readContract: async () =>
      assert.strictEqual(
        await client.readContract({ address: token, abi, functionName: "balanceOf", args: [nobody] }),
        7n
      ),
    simulateContract: async () => {
      const { request } = await client.simulateContract({
        account: from(),
        address: token,
        abi,
        functionName: "mint",
        args: [nobody, 0n]
      })
      const { status } = await client.waitForTransactionReceipt({ hash: await walletOf().writeContract(request) })
      assert.strictEqual(status, "success")
    },
    "the reason of a revert": async () =>
      assert.include(
        await refusal(client.simulateContract({
          account: from(),
          address: token,
          abi,
          functionName: "transfer",
          args: [nobody, 10n ** 30n]
        })),
        "KIP7: transfer amount exceeds balance"
      ),
    multicall: async () => {
      const contract = { address: token, abi }
      const contracts = [{ ...contract, functionName: "name" }, { ...contract, functionName: "decimals" }] as const
      assert.deepStrictEqual(await client.multicall({ contracts, allowFailure: false }), [args[0], args[2]])
    },
    "multicall reports a failure in its place": async () => {
      const abi = parseAbi(["function nothing() view returns (uint256)"])
      const [{ status }] = await client.multicall({
        contracts: [{ address: multicall3, abi, functionName: "nothing" }]
      })
      assert.strictEqual(status, "failure")
    },
    verifyMessage: async () => {
      const message = "hello"
      const signature = await walletOf().signMessage({ message })
      assert.isTrue(await client.verifyMessage({ address: from(), message, signature }))
      assert.isFalse(await client.verifyMessage({ address: nobody, message, signature }))
    },
    verifyTypedData: async () => {
      const signature = await walletOf().signTypedData(typed)
      assert.isTrue(await client.verifyTypedData({ ...typed, address: from(), signature }))
    },
    getEip712Domain: async () => {
      const { domain } = await client.getEip712Domain({ address: await domainContract() })
      assert.deepInclude(domain, { name: "Shop", version: "1", chainId: 1001 })
    },
    getProof: { why: noProofs, check: () => client.getProof({ address: token, storageKeys: [] }) },
    "simulateBlocks, simulateCalls": {
      why: noSimulation,
      check: () => client.simulateBlocks({ blocks: [{ calls: [{ account: from(), to: nobody, value: 1n }] }] })
    },
    debug_traceTransaction: async () => {
      const traced = await client.request({ method: "debug_traceTransaction", params: [minted, {}] } as never)
      assert.deepInclude(traced as object, { failed: false })
    },
    "getAddresses, requestAddresses": async () => {
      const addresses = world.accounts.map(({ address }) => address)
      assert.deepStrictEqual((await walletOf().getAddresses()).map((one) => one.toLowerCase()), addresses)
      assert.isAtLeast((await walletOf().requestAddresses()).length, 1)
    },
    sendTransaction: async () => {
      const before = await client.getBalance({ address: nobody })
      await client.waitForTransactionReceipt({ hash: await walletOf().sendTransaction({ to: nobody, value: 5n }) })
      assert.strictEqual(await client.getBalance({ address: nobody }), before + 5n)
    },
    sendTransactionSync: async () =>
      assert.strictEqual((await walletOf().sendTransactionSync({ to: nobody, value: 5n })).status, "success"),
    "a key sends type 0": async () =>
      assert.strictEqual(await sends({ type: "legacy", gasPrice: parseGwei("50") }), "legacy"),
    "a key sends type 1": async () =>
      assert.strictEqual(
        await sends({ type: "eip2930", accessList: [{ address: nobody, storageKeys: [] }], gasPrice: parseGwei("50") }),
        "eip2930"
      ),
    "a key sends type 2": async () => assert.strictEqual(await sends({ type: "eip1559" }), "eip1559"),
    "a key sends type 3": {
      why: noBlobs,
      check: () =>
        sends({
          type: "eip4844",
          maxFeePerBlobGas: 1n,
          blobVersionedHashes: [`0x01${"00".repeat(31)}`],
          sidecars: false
        })
    },
    "a key signs an authorization and sends type 4": async () => {
      const wallet = await local()
      const authorization = await wallet.signAuthorization({ contractAddress: token, executor: "self" })
      const hash = await wallet.sendTransaction({ authorizationList: [authorization], to: nobody })
      assert.deepInclude(await client.waitForTransactionReceipt({ hash }), { status: "success", type: "eip7702" })
      assert.strictEqual(await client.getCode({ address: wallet.account.address }), `0xef0100${token.slice(2)}`)
    },
    signMessage: async () => {
      const message = "hello"
      const signature = await walletOf().signMessage({ message })
      assert.strictEqual((await recoverMessageAddress({ message, signature })).toLowerCase(), from())
    },
    signTypedData: async () => {
      const signature = await walletOf().signTypedData(typed)
      assert.strictEqual((await recoverAddress({ hash: hashTypedData(typed), signature })).toLowerCase(), from())
    },
    "signTransaction by the node": {
      why: signsAsNode,
      check: async () => {
        const raw = await walletOf().signTransaction({
          to: nobody,
          value: 1n,
          gas: 21_000n,
          maxFeePerGas: parseGwei("50")
        })
        assert.strictEqual(await client.sendRawTransaction({ serializedTransaction: raw }), keccak256(raw))
      }
    },
    prepareTransactionRequest: async () => {
      const request = await walletOf().prepareTransactionRequest({ to: nobody, value: 1n })
      assert.deepInclude(request, { type: "eip1559", chainId: 1001 })
    },
    writeContract: async () => {
      const to = "0x9999999999999999999999999999999999999998"
      await client.waitForTransactionReceipt({ hash: await mint(to, 12n) })
      const balance = { address: token, abi, functionName: "balanceOf", args: [to] } as const
      assert.strictEqual(await client.readContract(balance), 12n)
    },
    deployContract: async () => {
      const hash = await walletOf().deployContract({ abi, bytecode, args })
      const { contractAddress } = await client.waitForTransactionReceipt({ hash })
      const address = contractAddress ?? assert.fail("no contract")
      assert.strictEqual(await client.readContract({ address, abi, functionName: "symbol" }), args[1])
    }
  })
})
