import { BrowserProvider, FetchRequest, type JsonRpcApiProvider, JsonRpcProvider, type Log, Network } from "ethers"
import type { LogFact, Reader } from "./facts.js"
import { chainId, type World } from "./world.js"

const settings = { staticNetwork: true, pollingInterval: 20, cacheTimeout: -1 } as const

/** The library's own transport, with its batching. */
export const direct = ({ node }: World): JsonRpcApiProvider => {
  const request = new FetchRequest(node.url)
  for (const [name, value] of Object.entries(node.headers)) request.setHeader(name, value)
  return new JsonRpcProvider(request, Network.from(chainId), settings)
}

/** Through the SDK's client. */
export const bridged = ({ bridge }: World): JsonRpcApiProvider =>
  new BrowserProvider(bridge, Network.from(chainId), settings)

const lower = (address: string | null): string | null => address?.toLowerCase() ?? null

const logOf = (log: Log): LogFact => ({
  address: log.address.toLowerCase(),
  topics: log.topics,
  data: log.data,
  block: BigInt(log.blockNumber),
  blockHash: log.blockHash,
  hash: log.transactionHash,
  transaction: log.transactionIndex,
  index: log.index
})

const found = <A>(value: A | null): A => {
  if (value === null) throw new Error("ethers found nothing")
  return value
}

export const readerOf = (provider: JsonRpcApiProvider): Reader => ({
  chainId: async () => Number(await provider.send("eth_chainId", [])),
  height: async () => BigInt(await provider.getBlockNumber()),
  block: async (at) => {
    const block = found(await provider.getBlock(at))
    return {
      number: BigInt(block.number),
      hash: found(block.hash),
      parentHash: block.parentHash,
      timestamp: BigInt(block.timestamp),
      gasUsed: block.gasUsed,
      baseFee: found(block.baseFeePerGas),
      stateRoot: found(block.stateRoot),
      receiptsRoot: found(block.receiptsRoot),
      transactions: block.transactions
    }
  },
  transaction: async (hash) => {
    const one = found(await provider.getTransaction(hash))
    return {
      hash: one.hash,
      block: BigInt(found(one.blockNumber)),
      blockHash: found(one.blockHash),
      index: one.index,
      from: one.from.toLowerCase(),
      to: lower(one.to),
      value: one.value,
      input: one.data,
      nonce: one.nonce,
      gas: one.gasLimit,
      gasPrice: one.gasPrice
    }
  },
  receipt: async (hash) => {
    const receipt = found(await provider.getTransactionReceipt(hash))
    return {
      hash: receipt.hash,
      block: BigInt(receipt.blockNumber),
      blockHash: receipt.blockHash,
      index: receipt.index,
      from: receipt.from.toLowerCase(),
      to: lower(receipt.to),
      contract: lower(receipt.contractAddress),
      succeeded: receipt.status === 1,
      gasUsed: receipt.gasUsed,
      gasPrice: receipt.gasPrice,
      logs: receipt.logs.map(logOf)
    }
  },
  logs: async ({ address, from, to, topics }) =>
    (await provider.getLogs({
      fromBlock: from,
      toBlock: to,
      ...(address !== undefined && { address }),
      ...(topics !== undefined && {
        topics: topics.map((topic) => typeof topic === "string" || topic === null ? topic : [...topic])
      })
    })).map(logOf),
  balance: (address, block) => provider.getBalance(address, block),
  nonce: (address) => provider.getTransactionCount(address),
  code: (address) => provider.getCode(address),
  storage: (address, slot) => provider.getStorage(address, slot),
  gasPrice: async () => BigInt(await provider.send("eth_gasPrice", [])),
  call: (to, data) => provider.call({ to, data }),
  estimate: (from, to, data) => provider.estimateGas({ from, to, data })
})
