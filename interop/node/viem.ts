import {
  type Address,
  createPublicClient,
  custom,
  type Hex,
  http,
  type Log,
  type PublicClient,
  type Transport
} from "viem"
import { kairos } from "viem/chains"
import type { LogFact, Reader } from "./facts.js"
import type { World } from "./world.js"

/** The library's own transport, with its batching. */
export const direct = ({ node }: World): Transport =>
  http(node.url, { batch: true, retryCount: 0, fetchOptions: { headers: node.headers } })

/** Through the SDK's client. */
export const bridged = ({ bridge }: World): Transport => custom(bridge, { retryCount: 0 })

export const chain = kairos

export const clientOf = (transport: Transport): PublicClient =>
  // Its type would name this chain.
  createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 }) as PublicClient

const lower = (address: string | null | undefined): string | null => address?.toLowerCase() ?? null

const logOf = (log: Log<bigint, number, false>): LogFact => ({
  address: log.address,
  topics: log.topics,
  data: log.data,
  block: log.blockNumber,
  blockHash: log.blockHash,
  hash: log.transactionHash,
  transaction: log.transactionIndex,
  index: log.logIndex
})

export const readerOf = (client: PublicClient): Reader => ({
  chainId: () => client.getChainId(),
  height: () => client.getBlockNumber(),
  block: async (at) => {
    const block = await client.getBlock(
      typeof at === "number" ? { blockNumber: BigInt(at) } : { blockHash: at as Hex }
    )
    return {
      number: block.number,
      hash: block.hash,
      parentHash: block.parentHash,
      timestamp: block.timestamp,
      gasUsed: block.gasUsed,
      baseFee: block.baseFeePerGas ?? 0n,
      stateRoot: block.stateRoot,
      receiptsRoot: block.receiptsRoot,
      transactions: block.transactions
    }
  },
  transaction: async (hash) => {
    const found = await client.getTransaction({ hash: hash as Hex })
    return {
      hash: found.hash,
      block: found.blockNumber,
      blockHash: found.blockHash,
      index: found.transactionIndex,
      from: found.from,
      to: found.to,
      value: found.value,
      input: found.input,
      nonce: found.nonce,
      gas: found.gas,
      gasPrice: found.gasPrice ?? 0n
    }
  },
  receipt: async (hash) => {
    const receipt = await client.getTransactionReceipt({ hash: hash as Hex })
    return {
      hash: receipt.transactionHash,
      block: receipt.blockNumber,
      blockHash: receipt.blockHash,
      index: receipt.transactionIndex,
      from: receipt.from,
      to: lower(receipt.to),
      contract: lower(receipt.contractAddress),
      succeeded: receipt.status === "success",
      gasUsed: receipt.gasUsed,
      gasPrice: receipt.effectiveGasPrice,
      logs: receipt.logs.map(logOf)
    }
  },
  logs: async ({ address, from, to, topics }) =>
    // `getLogs` takes events by their ABI; its request takes topics as they are.
    (await client.request({
      method: "eth_getLogs",
      params: [{
        fromBlock: `0x${from.toString(16)}`,
        toBlock: `0x${to.toString(16)}`,
        ...(address !== undefined && { address: address as Address }),
        ...(topics !== undefined && { topics: topics as Array<Hex> })
      }]
    })).map((log) => ({
      address: log.address,
      topics: log.topics,
      data: log.data,
      block: BigInt(log.blockNumber ?? 0),
      blockHash: log.blockHash ?? "",
      hash: log.transactionHash ?? "",
      transaction: Number(log.transactionIndex),
      index: Number(log.logIndex)
    })),
  balance: (address, block) =>
    client.getBalance({
      address: address as Address,
      ...(block !== undefined && { blockNumber: BigInt(block) })
    }),
  nonce: (address) => client.getTransactionCount({ address: address as Address }),
  code: async (address) => await client.getCode({ address: address as Address }) ?? "0x",
  storage: async (address, slot) =>
    await client.getStorageAt({ address: address as Address, slot: `0x${slot.toString(16)}` }) ?? "0x",
  gasPrice: () => client.getGasPrice(),
  call: async (to, data) => (await client.call({ to: to as Address, data: data as Hex })).data ?? "0x",
  estimate: (from, to, data) => client.estimateGas({ account: from as Address, to: to as Address, data: data as Hex })
})
