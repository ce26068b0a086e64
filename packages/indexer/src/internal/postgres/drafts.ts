/** What the fold of a piece needs of its blocks, as JSON in which numbers of any size and bytes are hex. */
import type { EmittedLog } from "@effect-klaytn/transaction/ExecutedTransaction"
import { bytesOf, fromBytes, type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import type { DraftTransfer, TokenTransaction } from "../IndexedBlock.js"
import type { TokenBlock } from "../tokens/tokenIndex.js"
import { movesFungible } from "../tokens/TransferReader.js"

type Write<T> = T extends bigint | Uint8Array ? Hex
  : T extends ReadonlyArray<infer A> ? ReadonlyArray<Write<A>>
  : T extends object ? { readonly [N in keyof T]: Write<T[N]> }
  : T

/** The fields of a transaction in a draft; the number of its block is that of the draft's block. */
type Slim = Omit<TokenTransaction, "blockNumber">

/** A block in a draft. */
interface Draft {
  readonly number: number
  readonly hash: Hex
  readonly parentHash: Hex
  readonly gasUsed: Hex
  readonly touched: ReadonlyArray<Hex>
  readonly transactions: ReadonlyArray<Write<Slim>>
}

// A function for each kind of value: with a replacer and a reviver of JSON, both ways take three times as long.

const writeTransfer = (transfer: DraftTransfer): Write<DraftTransfer> =>
  transfer.kind === "mt"
    ? { ...transfer, ids: transfer.ids.map(quantity), values: transfer.values.map(quantity) }
    : transfer.kind === "nft"
    ? { ...transfer, tokenId: quantity(transfer.tokenId) }
    : { ...transfer, value: quantity(transfer.value) }

const readTransfer = (transfer: Write<DraftTransfer>): DraftTransfer =>
  transfer.kind === "mt"
    ? { ...transfer, ids: transfer.ids.map(BigInt), values: transfer.values.map(BigInt) }
    : transfer.kind === "nft"
    ? { ...transfer, tokenId: BigInt(transfer.tokenId) }
    : { ...transfer, value: BigInt(transfer.value) }

const writeLog = ({ address, data, topics }: EmittedLog): Write<EmittedLog> => ({
  address,
  data: fromBytes(data),
  topics
})

const writeTransaction = (one: TokenTransaction): Write<Slim> => ({
  contractAddress: one.contractAddress,
  from: one.from,
  // The transfer of a fungible token says what its log says. Without these logs the benchmark's drafts are a seventh smaller.
  logs: one.logs.filter((log) => !movesFungible(log)).map(writeLog),
  logsBefore: one.logsBefore,
  status: one.status,
  to: one.to,
  transactionIndex: one.transactionIndex,
  transfers: one.transfers.map(writeTransfer),
  transfersBefore: one.transfersBefore,
  writes: one.writes?.map(({ contract, keys }) => ({ contract, keys: keys.map((key) => key.map(quantity)) }))
})

const readTransaction = (one: Write<Slim>): Slim => ({
  ...one,
  logs: one.logs.map((log) => ({ ...log, data: bytesOf(log.data) })),
  transfers: one.transfers.map(readTransfer),
  writes: one.writes?.map(({ contract, keys }) => ({ contract, keys: keys.map((key) => key.map(BigInt)) }))
})

export const encode = (blocks: ReadonlyArray<TokenBlock>): string =>
  JSON.stringify(blocks.map(({ gasUsed, header: { hash, number, parentHash }, touched, transactions }): Draft => ({
    number,
    hash,
    parentHash,
    gasUsed: quantity(gasUsed),
    touched,
    transactions: transactions.map(writeTransaction)
  })))

/** Reads what {@link encode} wrote. */
export const decode = (text: string): ReadonlyArray<TokenBlock> => {
  const blocks: ReadonlyArray<Draft> = JSON.parse(text)
  return blocks.map(({ gasUsed, hash, number, parentHash, touched, transactions }) => ({
    header: { number, hash, parentHash },
    gasUsed: BigInt(gasUsed),
    touched,
    transactions: transactions.map((one) => ({ blockNumber: number, ...readTransaction(one) }))
  }))
}
