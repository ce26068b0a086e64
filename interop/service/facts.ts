import type { Transfer } from "../../packages/history/src/Transfer.js"
import type { TransferRecord } from "../../packages/indexer/src/TransferRecord.js"
import type { Record } from "./caver.js"

/** What everybody has to agree on of a transfer, whoever tells it. */
export interface Fact {
  readonly kind: string
  readonly from: string
  readonly to: string
  /** Amounts in the smallest unit, `#` before the ID of a token. */
  readonly what: string
  readonly contract: string
  readonly hash: string
  readonly sender: string
  readonly block: number | undefined
  readonly seconds: number | undefined
  readonly fee: bigint
  readonly payer: string
  readonly ratio: number
}

const pieces = (ids: ReadonlyArray<bigint>, values: ReadonlyArray<bigint>): string =>
  ids.map((id, i) => `${values[i]} of #${id}`).join(", ")

/** By the service's own client. */
export const ofCaver = (record: Record): Fact => {
  const transaction = record.transferType === "klay" ? record : record.transaction
  const fact = (what: string, contract: string): Fact => ({
    kind: record.transferType === "klay" ? "coin" : record.transferType,
    from: record.from,
    to: record.to,
    what,
    contract,
    hash: transaction.transactionHash,
    sender: transaction.from,
    block: transaction.blockNumber,
    seconds: transaction.timestamp,
    fee: BigInt(transaction.fee),
    payer: transaction.feePayer,
    ratio: transaction.feeRatio
  })
  switch (record.transferType) {
    case "klay":
      return fact(`${BigInt(record.value)}`, "")
    case "ft":
      return fact(`${BigInt(record.value)}`, record.contract.address)
    case "nft":
      return fact(`#${BigInt(record.tokenId)}`, record.contract.address)
    case "mt":
      return fact(pieces(record.ids.map(BigInt), record.values.map(BigInt)), record.contract.address)
  }
}

/** By the SDK. */
export const ofSdk = (transfer: Transfer): Fact => {
  if (transfer._tag === "UnknownTransfer") throw new Error(`the SDK does not know a ${transfer.transferType}`)
  const transaction = transfer._tag === "CoinTransfer" ? transfer : transfer.transaction
  const fact = (kind: string, what: string, contract: string): Fact => ({
    kind,
    from: transfer.from,
    to: transfer.to,
    what,
    contract,
    hash: transaction.transactionHash,
    sender: transaction.from,
    block: transaction.blockNumber,
    seconds: transaction.timestamp,
    fee: transaction.fee,
    payer: transaction.feePayer ?? "",
    ratio: transaction.feeRatio
  })
  switch (transfer._tag) {
    case "CoinTransfer":
      return fact("coin", `${transfer.value}`, "")
    case "FtTransfer":
      return fact("ft", `${transfer.value}`, transfer.contract.address)
    case "NftTransfer":
      return fact("nft", `#${transfer.tokenId}`, transfer.contract.address)
    case "MtTransfer":
      return fact("mt", pieces(transfer.ids, transfer.values), transfer.contract.address)
  }
}

/** By the chain itself. */
export const ofChain = (record: TransferRecord): Fact => {
  const { transaction } = record
  const fact = (what: string, contract: string): Fact => ({
    kind: record.kind,
    from: record.from,
    to: record.to,
    what,
    contract,
    hash: transaction.transactionHash,
    sender: transaction.from,
    block: transaction.blockNumber,
    seconds: transaction.timestamp,
    fee: transaction.fee,
    payer: transaction.feePayer ?? "",
    ratio: transaction.feeRatio ?? 0
  })
  switch (record.kind) {
    case "coin":
      return fact(`${record.value}`, "")
    case "ft":
      return fact(`${record.value}`, record.contract.address)
    case "nft":
      return fact(`#${record.tokenId}`, record.contract.address)
    case "mt":
      return fact(pieces(record.ids, record.values), record.contract.address)
  }
}
