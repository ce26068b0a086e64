import { encodedKey, logOf, zeroHash } from "@effect-klaytn/custody/TransactionFields"
import type { LogRecord, TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import type { PendingTransaction } from "@effect-klaytn/local-chain/LocalChain"
import { fromBytes, type Hex, lowerCase, quantity, zeroAddress } from "@effect-klaytn/transaction/Hex"
import * as LogsBloom from "@effect-klaytn/transaction/LogsBloom"
import { type Signature, toQuantities } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { isEthereum, typeInt, typeInts, wireName } from "@effect-klaytn/transaction/TransactionType"
import { RLP } from "@ethereumjs/rlp"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as Predicate from "effect/Predicate"
import * as ContractAddress from "ox/ContractAddress"

/** A transaction of a block, or of the pool. */
export type Known = TransactionRecord | PendingTransaction

const isMined = (known: Known): known is TransactionRecord => "blockHash" in known

/** Recently decoded transactions: a hash stands for the same bytes on every chain. */
const decodedLately = new Map<Hex, Transaction.Transaction>()
const maxDecoded = 5_000

/** Decodes a transaction of the chain. */
export const transactionOf = ({ hash, raw }: Known): Transaction.Transaction => {
  const known = decodedLately.get(hash)
  if (known !== undefined) return known
  const decoded = Transaction.decode(raw, { unprotected: true })
  if (!decoded.ok) throw new TypeError(`the stored transaction ${hash} cannot be read: ${decoded.error.message}`)
  if (decodedLately.size >= maxDecoded) decodedLately.clear()
  // What waits has its blobs, which no form shows.
  const signed = Transaction.withoutSidecar(decoded.value)
  decodedLately.set(hash, signed)
  return signed
}

/** The units of blob gas of a transaction. */
const blobGasIn = (transaction: Transaction.Transaction): bigint =>
  "blobVersionedHashes" in transaction ? Transaction.gasPerBlob * BigInt(transaction.blobVersionedHashes.length) : 0n

/** The units of blob gas that transactions of a block used. */
export const blobGasOf = (records: ReadonlyArray<TransactionRecord>): bigint =>
  records.reduce(
    (sum, record) => record.typeInt === typeInts.EthereumBlob ? sum + blobGasIn(transactionOf(record)) : sum,
    0n
  )

/** What the blobs of a transaction cost: what it paid besides its gas. */
const blobsPaid = ({ fee, gasPrice, gasUsed }: TransactionRecord, transaction: Transaction.Transaction) => {
  const blobGasUsed = blobGasIn(transaction)
  return blobGasUsed > 0n &&
    { blobGasUsed: quantity(blobGasUsed), blobGasPrice: quantity((fee - gasUsed * gasPrice) / blobGasUsed) }
}

/** The gas price: that of a dynamic-fee transaction is the price paid, or the most it would pay. */
const gasPriceOf = (transaction: Transaction.Transaction, known: Known): bigint =>
  "gasPrice" in transaction ? transaction.gasPrice : isMined(known) ? known.gasPrice : transaction.maxFeePerGas

const signaturesOf = (signatures: ReadonlyArray<Signature>) => signatures.map(toQuantities)

const authorizationsOf = (transaction: Transaction.Transaction) =>
  "authorizationList" in transaction && {
    authorizationList: transaction.authorizationList.map(({ address, chainId, nonce, r, s, yParity }) => ({
      chainId: quantity(chainId),
      address,
      nonce: quantity(nonce),
      yParity: quantity(yParity),
      r: quantity(r),
      s: quantity(s)
    }))
  }

/** Whether a transaction has a receiver as a node counts it: the zero address is none for a transfer of the chain's own types. */
const hasReceiver = (transaction: Transaction.Transaction): boolean =>
  "to" in transaction && transaction.to !== undefined &&
  (transaction.to !== zeroAddress || transaction.type === "LegacyTransaction" || isEthereum(transaction.type))

/**
 * The address that a receipt names as that of a contract. A node names the one that sender and nonce give for every transaction
 * without a receiver, whether a contract came of it or not.
 */
const contractOf = (
  { contractAddress, from, nonce }: TransactionRecord,
  transaction: Transaction.Transaction
): Hex | null =>
  contractAddress ??
    (hasReceiver(transaction) ? null : lowerCase(ContractAddress.fromCreate({ from, nonce })))

const blobsOf = (transaction: Transaction.Transaction) =>
  "blobVersionedHashes" in transaction && {
    maxFeePerBlobGas: quantity(transaction.maxFeePerBlobGas),
    blobVersionedHashes: transaction.blobVersionedHashes
  }

/** What only some types have. */
const special = (transaction: Transaction.Transaction) => ({
  ...("value" in transaction && { to: transaction.to ?? null, value: quantity(transaction.value) }),
  ...("input" in transaction && { input: transaction.input }),
  ...(transaction.type.includes("ChainDataAnchoring") && "input" in transaction &&
    { inputJSON: anchoringOf(transaction.input) ?? null }),
  ...("key" in transaction && { key: encodedKey(transaction.key) }),
  ...("humanReadable" in transaction &&
    { humanReadable: transaction.humanReadable, codeFormat: quantity(transaction.codeFormat) }),
  ...("accessList" in transaction &&
    { chainId: quantity(transaction.chainId), accessList: transaction.accessList }),
  ...authorizationsOf(transaction),
  ...blobsOf(transaction),
  ...("maxFeePerGas" in transaction && {
    maxFeePerGas: quantity(transaction.maxFeePerGas),
    maxPriorityFeePerGas: quantity(transaction.maxPriorityFeePerGas)
  }),
  ...("feePayerSignatures" in transaction && {
    feePayer: transaction.feePayer ?? null,
    feePayerSignatures: signaturesOf(transaction.feePayerSignatures)
  }),
  ...("feeRatio" in transaction && { feeRatio: quantity(transaction.feeRatio) })
})

/** What a transaction and its receipt both show. */
const common = (transaction: Transaction.Transaction, known: Known) => ({
  senderTxHash: known.senderTxHash,
  type: wireName(transaction.type),
  typeInt: known.typeInt,
  from: known.from,
  nonce: quantity(transaction.nonce),
  gas: quantity(transaction.gas),
  gasPrice: quantity(gasPriceOf(transaction, known)),
  signatures: signaturesOf(transaction.signatures),
  ...special(transaction),
  // A transaction without a block has zeros here.
  blockHash: isMined(known) ? known.blockHash : zeroHash,
  blockNumber: quantity(isMined(known) ? known.blockNumber : 0),
  transactionIndex: quantity(isMined(known) ? known.transactionIndex : 0)
})

/** The hash of the bytes as they are: that of an unsigned transaction changes with its signatures. */
const hashNow = (transaction: Transaction.Transaction): Hex => {
  const encoded = Transaction.encodeBytes(Transaction.withoutSidecar(transaction), { form: "eth" })
  if (!encoded.ok) throw new TypeError(`a transaction cannot be written: ${encoded.error.message}`)
  return fromBytes(keccak_256(encoded.value))
}

/** A transaction that a node has signed but not sent, as `klay` shows it. */
export const klaySigned = (transaction: Transaction.Transaction) => ({
  typeInt: typeInt(transaction.type),
  type: wireName(transaction.type),
  nonce: quantity(transaction.nonce),
  ...("gasPrice" in transaction && { gasPrice: quantity(transaction.gasPrice) }),
  gas: quantity(transaction.gas),
  ...("from" in transaction && { from: transaction.from }),
  ...special(transaction),
  signatures: signaturesOf(transaction.signatures),
  hash: hashNow(transaction)
})

/** A transaction that is not sent, as `eth` shows it; without signatures their values are 0. */
export const ethSigned = (transaction: Transaction.Transaction) => {
  const [{ r, s, v } = { v: 0n, r: 0n, s: 0n }] = transaction.signatures
  return {
    type: ethType(transaction),
    nonce: quantity(transaction.nonce),
    gasPrice: "gasPrice" in transaction ? quantity(transaction.gasPrice) : null,
    maxPriorityFeePerGas: "maxFeePerGas" in transaction ? quantity(transaction.maxPriorityFeePerGas) : null,
    maxFeePerGas: "maxFeePerGas" in transaction ? quantity(transaction.maxFeePerGas) : null,
    gas: quantity(transaction.gas),
    value: quantity("value" in transaction ? transaction.value : 0n),
    input: "input" in transaction ? transaction.input : "0x",
    v: quantity(v),
    r: quantity(r),
    s: quantity(s),
    to: "to" in transaction ? transaction.to ?? null : null,
    ...("accessList" in transaction &&
      { chainId: quantity(transaction.chainId), accessList: transaction.accessList }),
    ...authorizationsOf(transaction),
    ...blobsOf(transaction),
    hash: hashNow(transaction)
  }
}

/** How a namespace writes transactions. */
export interface TransactionForms {
  readonly transaction: (known: Known) => unknown
  readonly receipt: (record: TransactionRecord, logs: ReadonlyArray<LogRecord>) => unknown
  readonly raw: (known: Known) => Hex
}

/** A transaction as `klay` shows it. */
export const klayTransaction = (known: Known) => ({ hash: known.hash, ...common(transactionOf(known), known) })

/** A receipt as `klay` shows it: the transaction with all its fields, and what came of it. */
const klayReceipt = (record: TransactionRecord, logs: ReadonlyArray<LogRecord>) => ({
  transactionHash: record.hash,
  ...common(transactionOf(record), record),
  status: quantity(record.status),
  ...(record.txError !== undefined && { txError: quantity(record.txError) }),
  gasUsed: quantity(record.gasUsed),
  effectiveGasPrice: quantity(record.gasPrice),
  ...blobsPaid(record, transactionOf(record)),
  logsBloom: fromBytes(LogsBloom.of(logs)),
  logs: logs.map(logOf),
  contractAddress: contractOf(record, transactionOf(record))
})

/** Types 0x0 to 0x4; types that Ethereum does not have are shown as legacy. */
const ethType = (transaction: Transaction.Transaction): Hex =>
  isEthereum(transaction.type) ? quantity(typeInt(transaction.type) & 0xff) : "0x0"

/** Updates, cancellations and anchors have no receiver: their sender is shown. */
const ethTo = (transaction: Transaction.Transaction, known: Known): Hex | null =>
  "value" in transaction ? (hasReceiver(transaction) ? transaction.to ?? null : null) : known.from

/** A transaction as `eth` shows it, with the sender's first signature. */
export const ethTransaction = (known: Known) => {
  const transaction = transactionOf(known)
  const [signature = { v: 0n, r: 0n, s: 0n }] = transaction.signatures
  return {
    blockHash: isMined(known) ? known.blockHash : null,
    blockNumber: isMined(known) ? quantity(known.blockNumber) : null,
    from: known.from,
    gas: quantity(transaction.gas),
    gasPrice: quantity(gasPriceOf(transaction, known)),
    ...("maxFeePerGas" in transaction && {
      maxFeePerGas: quantity(transaction.maxFeePerGas),
      maxPriorityFeePerGas: quantity(transaction.maxPriorityFeePerGas)
    }),
    hash: known.hash,
    input: "input" in transaction ? transaction.input : "0x",
    nonce: quantity(transaction.nonce),
    to: ethTo(transaction, known),
    transactionIndex: isMined(known) ? quantity(known.transactionIndex) : null,
    value: quantity("value" in transaction ? transaction.value : 0n),
    type: ethType(transaction),
    ...("accessList" in transaction &&
      { accessList: transaction.accessList, chainId: quantity(transaction.chainId) }),
    ...authorizationsOf(transaction),
    ...blobsOf(transaction),
    v: quantity(signature.v),
    r: quantity(signature.r),
    s: quantity(signature.s)
  }
}

/** A receipt as `eth` shows it. */
const ethReceipt = (record: TransactionRecord, logs: ReadonlyArray<LogRecord>) => {
  const transaction = transactionOf(record)
  return {
    blockHash: record.blockHash,
    blockNumber: quantity(record.blockNumber),
    contractAddress: contractOf(record, transaction),
    cumulativeGasUsed: quantity(record.cumulativeGasUsed),
    effectiveGasPrice: quantity(record.gasPrice),
    ...blobsPaid(record, transaction),
    from: record.from,
    gasUsed: quantity(record.gasUsed),
    logs: logs.map(logOf),
    logsBloom: fromBytes(LogsBloom.of(logs)),
    status: quantity(record.status),
    to: ethTo(transaction, record),
    transactionHash: record.hash,
    transactionIndex: quantity(record.transactionIndex),
    type: ethType(transaction)
  }
}

/** The forms of `klay`. Raw bytes of Ethereum types have the envelope byte in front. */
export const klayForms: TransactionForms = {
  transaction: klayTransaction,
  receipt: klayReceipt,
  raw: ({ raw, typeInt }) => typeInt > 0xff ? `0x78${raw.slice(2)}` : raw
}

/** The forms of `eth`. */
export const ethForms: TransactionForms = { transaction: ethTransaction, receipt: ethReceipt, raw: ({ raw }) => raw }

/** What anchored JSON begins with; a list of digests begins with nothing. */
const jsonForm = 128

const digests = ["blockHash", "transactionsRoot", "parentHash", "receiptsRoot", "stateRoot"] as const
const counts = ["blockNumber", "blockCount", "txCount"] as const

type Anchored = { readonly [field: string]: unknown }

const readDigests = (bytes: Uint8Array): Anchored | undefined => {
  const items = RLP.decode(bytes)
  if (!Array.isArray(items) || items.length !== digests.length + counts.length) return undefined
  const fields: Array<readonly [string, unknown]> = []
  for (const [position, item] of items.entries()) {
    if (!(item instanceof Uint8Array)) return undefined
    const digest = digests[position]
    if (digest !== undefined && item.length !== 32) return undefined
    const count = counts[position - digests.length]
    // A larger count would not be exact as a JSON number.
    if (count !== undefined && item.length > 6) return undefined
    const hex = fromBytes(item)
    fields.push(digest === undefined ? [String(count), hex === "0x" ? 0 : Number(hex)] : [digest, hex])
  }
  return Object.fromEntries(fields)
}

/** The data in the input of an anchoring transaction; undefined if it has neither form. */
export const anchoringOf = (input: Hex): Anchored | undefined => {
  try {
    const [form, data, ...rest] = RLP.decode(input)
    if (!(form instanceof Uint8Array) || !(data instanceof Uint8Array) || rest.length > 0) return undefined
    if (form.length === 0) return readDigests(data)
    const json: unknown = form[0] === jsonForm ? JSON.parse(new TextDecoder().decode(data)) : undefined
    return Predicate.isRecord(json) ? json : undefined
  } catch {
    return undefined
  }
}
