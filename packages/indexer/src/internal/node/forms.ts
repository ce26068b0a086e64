/**
 * Blocks, transactions and receipts as a node writes them in JSON: in the chain's own form (`klay_` and `kaia_`), or in
 * Ethereum's. A field that the index does not need is not read, so that a type of transaction that came later is no error.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Decoder from "@effect-klaytn/core/Decoder"
import { nullable } from "@effect-klaytn/core/Decoder"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity, HexDataFromWire } from "@effect-klaytn/core/HexEncoding"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { BlockHeader, InternalTransfer, TransactionFacts } from "@effect-klaytn/transaction/ExecutedTransaction"
import { createsContract } from "@effect-klaytn/transaction/TransactionType"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { MinedTransaction } from "../../BlockSource.js"
import { NodeFault } from "../../IndexError.js"

/** A number below a power of two. A greater one is none of a chain, or has no place in the index. */
const below = (bits: number) =>
  BigIntFromQuantity.pipe(
    Schema.filter((number) => number < 1n << BigInt(bits), { identifier: `a number below 2^${bits}` })
  )

/** A count. */
const Count = below(53)

/** An amount of coin or of its parts. */
export const Amount = below(256)

/** A time of a block. A later one would be thousands of years away. */
const UnixSeconds = BigIntFromQuantity.pipe(
  Schema.filter((seconds) => seconds < 2n ** 38n, { message: () => "expected a time of a block" })
)

const Header = Schema.Struct({
  number: Count,
  hash: Hash.FromWire,
  parentHash: Hash.FromWire,
  timestamp: UnixSeconds,
  gasUsed: Count,
  stateRoot: Hash.FromWire,
  transactionsRoot: Hash.FromWire,
  receiptsRoot: Hash.FromWire,
  size: Count,
  logsBloom: nullable(HexDataFromWire),
  baseFeePerGas: nullable(Schema.String)
})

const Transaction = Schema.Struct({
  hash: Hash.FromWire,
  senderTxHash: nullable(Hash.FromWire),
  /** The number of the type in the chain's own form. */
  typeInt: nullable(Schema.Int.pipe(Schema.between(0, 0xffff))),
  /** The type: its name in the chain's own form, its number in Ethereum's. */
  type: nullable(Schema.String),
  from: Address.FromWire,
  to: nullable(Address.FromWire),
  value: nullable(Amount),
  nonce: Count,
  gas: Amount,
  // Read where the receipt has no price.
  gasPrice: nullable(Schema.String),
  maxFeePerGas: nullable(Schema.String),
  maxPriorityFeePerGas: nullable(Schema.String),
  // Only compared.
  blockHash: nullable(Schema.String),
  transactionIndex: nullable(Schema.String),
  input: nullable(Schema.String),
  blobVersionedHashes: nullable(Schema.Array(Schema.String)),
  feePayer: nullable(Address.FromWire),
  feeRatio: nullable(below(8))
})

const Block = Schema.Struct({ ...Header.fields, transactions: Schema.Array(Transaction) })

const Log = Schema.Struct({
  address: Address.FromWire,
  topics: Schema.Array(Hash.FromWire),
  data: HexDataFromWire,
  // What is only compared is not decoded.
  blockHash: nullable(Schema.String),
  transactionHash: nullable(Schema.String),
  logIndex: nullable(Schema.String),
  removed: nullable(Schema.Boolean)
})

const ReceiptForm = Schema.Struct({
  transactionHash: Hash.FromWire,
  blockHash: Hash.FromWire,
  // Only compared.
  transactionIndex: nullable(Schema.String),
  status: BigIntFromQuantity,
  txError: nullable(below(31)),
  gasUsed: Count,
  /** Nodes before v1.9 have no such field. */
  effectiveGasPrice: nullable(Amount),
  gasPrice: nullable(Amount),
  blobGasUsed: nullable(Count),
  blobGasPrice: nullable(Amount),
  contractAddress: nullable(Address.FromWire),
  logs: Schema.Array(Log)
})

export type BlockForm = typeof Block.Type
export type TransactionForm = typeof Transaction.Type
export type ReceiptForm = typeof ReceiptForm.Type

/** Decodes the result of a method. */
export const reader = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Decoder.make(schema)
  return (method: string, value: unknown): Either.Either<A, NodeFault> =>
    Either.mapLeft(decode(value), (error) => {
      // Never a word of the node: an answer may repeat the credential of its request.
      const { actual, expected, path } = ServiceClient.mismatch(error)
      const place = path.length === 0 ? "its result" : path.join(".")
      return new NodeFault({ method, problem: `${place}: expected ${expected}, got ${actual}` })
    })
}

/** Decodes answers, all of the same method. */
export const readAll = <A>(
  answers: ReadonlyArray<Either.Either<unknown, NodeFault>>,
  method: string,
  read: (method: string, value: unknown) => Either.Either<A, NodeFault>
): Either.Either<ReadonlyArray<A>, NodeFault> =>
  Either.all(answers.map((answer) => Either.flatMap(answer, (found) => read(method, found))))

export const readBlock = reader(Block)
export const readHeader = reader(Schema.Struct({ number: Count, hash: Hash.FromWire, timestamp: UnixSeconds }))
export const readReceipt = reader(ReceiptForm)
export const readReceipts = reader(Schema.Array(ReceiptForm))
export const readQuantity = reader(BigIntFromQuantity)
export const readData = reader(HexDataFromWire)

/** The bytes of a hex text. */
export const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.slice(2), "hex"))

/** In the first byte of a raw Ethereum transaction; its type is the second. */
const ethereumEnvelope = 0x7800

/** The number of a type, as in the table of the service's API document: Ethereum's type 2 is 0x7802. */
export const typeIntOf = ({ type = "", typeInt }: TransactionForm): number | undefined => {
  if (typeInt !== undefined) return typeInt
  if (!/^0x[0-9a-f]{1,4}$/i.test(type)) return undefined
  const number = Number(type)
  return number === 0 || number >= ethereumEnvelope ? number : ethereumEnvelope + number
}

const mostGas = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * The fields of a transaction of any type. A type that is not known transfers coin if the node lists a `value`.
 */
const factsOf = (form: TransactionForm, typeInt: number): TransactionFacts => ({
  hash: form.hash,
  senderTxHash: form.senderTxHash ?? form.hash,
  typeInt,
  from: form.from,
  to: form.to,
  // Types without a value move none: cancellations, updates of accounts, anchored data.
  value: form.value ?? 0n,
  nonce: form.nonce,
  // A limit is a number of 64 bits, and no chain has as much gas as the highest one that has a place in the index.
  gas: form.gas > mostGas ? mostGas : form.gas,
  feePayer: form.feePayer,
  feeRatio: form.feeRatio === undefined ? undefined : Number(form.feeRatio),
  carriesValue: form.value !== undefined
})

/** The number of a quantity that was not decoded. */
const numberOf = (text: string | undefined): bigint | undefined =>
  text !== undefined && /^0x[0-9a-f]{1,64}$/i.test(text) ? BigInt(text) : undefined

/**
 * What a unit of gas cost, in peb. A receipt without it is from a node before v1.9, whose chain has no base fee, or from one of
 * another program: then the transaction or the block has it (`EffectiveGasTip` of kaiachain/kaia `blockchain/types/transaction.go`).
 */
const gasPriceOf = (
  { baseFeePerGas }: Pick<BlockForm, "baseFeePerGas">,
  form: TransactionForm,
  { effectiveGasPrice, gasPrice }: ReceiptForm
): bigint | undefined => {
  if (effectiveGasPrice !== undefined) return effectiveGasPrice
  const [base, cap, tip] = [baseFeePerGas, form.maxFeePerGas, form.maxPriorityFeePerGas].map(numberOf)
  if (base !== undefined && cap !== undefined && tip !== undefined) return base + tip < cap ? base + tip : cap
  return gasPrice ?? numberOf(form.gasPrice)
}

/** What a transaction paid for blobs, in peb: none without blobs, undefined if the receipt does not say it. */
const blobFeeOf = (form: TransactionForm, { blobGasPrice, blobGasUsed }: ReceiptForm): bigint | undefined => {
  if (blobGasUsed !== undefined && blobGasPrice !== undefined) return blobGasUsed * blobGasPrice
  return blobGasUsed === undefined && (form.blobVersionedHashes ?? []).length === 0 ? 0n : undefined
}

/** The header of a block, without the number of its transactions. */
export const headerOf = (block: BlockForm): Omit<BlockHeader, "transactionCount"> => ({
  number: Number(block.number),
  hash: block.hash,
  parentHash: block.parentHash,
  timestamp: Number(block.timestamp),
  gasUsed: block.gasUsed,
  // A quarter of the row, and nothing that is served is read from it: the node answers calls about its blocks itself.
  logsBloom: "0x",
  stateRoot: block.stateRoot,
  transactionsRoot: block.transactionsRoot,
  receiptsRoot: block.receiptsRoot,
  size: Number(block.size)
})

/** A transaction with its receipt, which was compared with it, and the coin that contracts moved in it; or what is missing. */
export const minedOf = (
  block: Pick<BlockForm, "baseFeePerGas">,
  form: TransactionForm,
  receipt: ReceiptForm,
  internalTransfers: ReadonlyArray<InternalTransfer> | undefined
): Either.Either<MinedTransaction, string> => {
  const typeInt = typeIntOf(form)
  const [gasPrice, blobFee] = [gasPriceOf(block, form, receipt), blobFeeOf(form, receipt)]
  if (typeInt === undefined) return Either.left("has neither typeInt nor a number as its type")
  if (gasPrice === undefined) return Either.left("has no price of gas, in its receipt or itself")
  if (blobFee === undefined) return Either.left("has blobs, and its receipt does not say what they cost")
  const isDone = receipt.status === 1n
  return Either.right({
    facts: factsOf(form, typeInt),
    receipt: {
      status: isDone ? 1 : 0,
      txError: receipt.txError === undefined ? undefined : Number(receipt.txError),
      gasUsed: receipt.gasUsed,
      gasPrice,
      blobFee,
      contractAddress: isDone && createsContract(typeInt, form.to) ? receipt.contractAddress : undefined,
      logs: receipt.logs.map(({ address, data, topics }) => ({ address, topics, data: bytes(data) })),
      writes: undefined,
      internalTransfers: isDone ? internalTransfers : undefined
    }
  })
}
