import type { BlockHeader, EmittedLog, ExecutedTransaction } from "@effect-klaytn/transaction/ExecutedTransaction"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { RLP } from "@ethereumjs/rlp"
import { bigIntToUnpaddedBytes, concatBytes, hexToBytes, intToUnpaddedBytes } from "@ethereumjs/util"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { encodeAccount } from "../AccountRecord.js"
import type { StateChange } from "../ChainStorage.js"
import type { BlockEnvironment } from "./Message.js"

const bloomLength = 256
const emptyBloom = new Uint8Array(bloomLength)
const positions = new Map<string, ReadonlyArray<number>>()

/** The three bits of the 2048 that an address or topic sets: from the first three pairs of bytes of its hash. */
const bitsOf = (item: Hex): ReadonlyArray<number> => {
  const known = positions.get(item)
  if (known !== undefined) return known
  const hash = keccak_256(hexToBytes(item))
  const bits = [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047)
  if (positions.size > 50_000) positions.clear()
  positions.set(item, bits)
  return bits
}

/** The bloom filter over addresses and topics of logs, by Ethereum's rules. */
export const bloomOf = (logs: Iterable<Pick<EmittedLog, "address" | "topics">>): Uint8Array => {
  let bloom = emptyBloom
  for (const { address, topics } of logs) {
    if (bloom === emptyBloom) bloom = new Uint8Array(bloomLength)
    for (const item of [address, ...topics]) {
      for (const bit of bitsOf(item)) {
        const at = bloomLength - 1 - (bit >> 3)
        bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7))
      }
    }
  }
  return bloom
}

/** Keccak-256 of the parent's digest and everything the block changed, in the order of its keys. */
const stateDigest = (parent: Hex, changes: ReadonlyArray<StateChange>): Uint8Array => {
  const entries = changes.map(({ address, after, slot }) => ({
    key: address + slot,
    value: after === undefined ? emptyBloom.subarray(0, 0) : after instanceof Uint8Array ? after : encodeAccount(after)
  })).sort((a, b) => (a.key < b.key ? -1 : 1))
  return keccak_256(RLP.encode([hexToBytes(parent), ...entries.flatMap(({ key, value }) => [key, value])]))
}

const receiptsDigest = (transactions: ReadonlyArray<ExecutedTransaction>): Uint8Array =>
  keccak_256(RLP.encode(transactions.map((transaction) => [
    intToUnpaddedBytes(transaction.status === 1 ? 1 : transaction.txError ?? 0),
    bigIntToUnpaddedBytes(transaction.gasUsed),
    transaction.logs.map((log) => [hexToBytes(log.address), log.topics.map((topic) => hexToBytes(topic)), log.data])
  ])))

/** The hash that stands for the parent of the genesis block. */
export const noHash: Hex = fromBytes(new Uint8Array(32))

/** The header of a block: its digests, its bloom filter and its hash. The chain ID keeps the chains' hashes apart. */
export const sealHeader = (
  chainId: number,
  parent: Pick<BlockHeader, "stateRoot"> | undefined,
  environment: BlockEnvironment,
  transactions: ReadonlyArray<ExecutedTransaction>,
  changes: ReadonlyArray<StateChange>
): BlockHeader => {
  const { baseFeePerGas, gasLimit, miner, mixHash, number, parentHash, timestamp } = environment
  const gasUsed = transactions.at(-1)?.cumulativeGasUsed ?? 0n
  const bloom = bloomOf(transactions.flatMap((transaction) => transaction.logs))
  const stateRoot = stateDigest(parent?.stateRoot ?? noHash, changes)
  const transactionsRoot = keccak_256(concatBytes(...transactions.map((transaction) => hexToBytes(transaction.hash))))
  const receiptsRoot = receiptsDigest(transactions)
  const header = RLP.encode([
    intToUnpaddedBytes(chainId),
    hexToBytes(parentHash),
    stateRoot,
    transactionsRoot,
    receiptsRoot,
    bloom,
    intToUnpaddedBytes(number),
    bigIntToUnpaddedBytes(gasUsed),
    intToUnpaddedBytes(timestamp),
    hexToBytes(miner),
    bigIntToUnpaddedBytes(gasLimit),
    bigIntToUnpaddedBytes(baseFeePerGas),
    hexToBytes(mixHash)
  ])
  return {
    ...environment,
    hash: fromBytes(keccak_256(header)),
    gasUsed,
    logsBloom: fromBytes(bloom),
    stateRoot: fromBytes(stateRoot),
    transactionsRoot: fromBytes(transactionsRoot),
    receiptsRoot: fromBytes(receiptsRoot),
    size: transactions.reduce((size, transaction) => size + transaction.raw.length, header.length),
    transactionCount: transactions.length
  }
}
