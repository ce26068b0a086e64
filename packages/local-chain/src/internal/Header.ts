import type { BlockHeader, ExecutedTransaction } from "@effect-klaytn/transaction/ExecutedTransaction"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as LogsBloom from "@effect-klaytn/transaction/LogsBloom"
import { RLP } from "@ethereumjs/rlp"
import { bigIntToUnpaddedBytes, concatBytes, hexToBytes, intToUnpaddedBytes } from "@ethereumjs/util"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { encodeAccount } from "../AccountRecord.js"
import type { StateChange } from "../ChainStorage.js"
import type { BlockEnvironment } from "./Message.js"

const noBytes = new Uint8Array(0)

/** Keccak-256 of the parent's digest and everything the block changed, in the order of its keys. */
const stateDigest = (parent: Hex, changes: ReadonlyArray<StateChange>): Uint8Array => {
  const entries = changes.map(({ address, after, slot }) => ({
    key: address + slot,
    value: after === undefined ? noBytes : after instanceof Uint8Array ? after : encodeAccount(after)
  })).sort((a, b) => (a.key < b.key ? -1 : 1))
  return keccak_256(RLP.encode([hexToBytes(parent), ...entries.flatMap(({ key, value }) => [key, value])]))
}

/** What the chain keeps in front of the encoding of an Ethereum type. */
const envelope = Uint8Array.of(0x78)

/** The digest of all transactions as the chain keeps them, one after the other: the kind of root that the network has. */
const transactionsDigest = (transactions: ReadonlyArray<ExecutedTransaction>): Uint8Array =>
  keccak_256(concatBytes(...transactions.flatMap(({ raw, typeInt }) => typeInt > 0xff ? [envelope, raw] : [raw])))

/** The same of the receipts. A failed transaction has its code in place of a status. */
const receiptsDigest = (transactions: ReadonlyArray<ExecutedTransaction>): Uint8Array =>
  keccak_256(concatBytes(...transactions.map(({ gasUsed, logs, status, txError = 0 }) =>
    RLP.encode([
      intToUnpaddedBytes(status === 1 ? 1 : txError),
      bigIntToUnpaddedBytes(gasUsed),
      LogsBloom.of(logs),
      logs.map((log) => [hexToBytes(log.address), log.topics.map((topic) => hexToBytes(topic)), log.data])
    ])
  )))

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
  const bloom = LogsBloom.of(transactions.flatMap((transaction) => transaction.logs))
  const stateRoot = stateDigest(parent?.stateRoot ?? noHash, changes)
  const transactionsRoot = transactionsDigest(transactions)
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
