import type { EmittedLog, ExecutedTransaction } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { uintAt, uintListAt } from "../../Abi.js"
import type { DraftTransfer } from "../IndexedBlock.js"

/** Keccak-256 of Transfer(address,address,uint256): fungible with two indexed values, non-fungible with three. */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

/** Keccak-256 of TransferSingle(address,address,address,uint256,uint256). */
const transferSingleTopic = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62"

/** Keccak-256 of TransferBatch(address,address,address,uint256[],uint256[]). */
const transferBatchTopic = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb"

/** Whether a log records a transfer of a fungible token: anybody can write a contract whose logs have only its topic. */
export const movesFungible = ({ data, topics }: EmittedLog): boolean =>
  topics[0] === transferTopic && topics.length === 3 && data.length === 32

const party = (topic: Hex): Hex => `0x${topic.slice(26)}`

/**
 * The token transfer that a log records. None for any other log, and none for one that has the topic of a
 * transfer but not its shape: anybody can write such a contract.
 */
const tokenTransferOf = (log: EmittedLog): DraftTransfer | undefined => {
  const [event, first, second, third] = log.topics
  if (event === undefined || first === undefined || second === undefined) return undefined
  if (event === transferTopic) {
    if (third !== undefined) {
      return log.data.length === 0
        ? { kind: "nft", from: party(first), to: party(second), tokenId: BigInt(third), contract: log.address }
        : undefined
    }
    const value = movesFungible(log) ? uintAt(log.data, 0) : undefined
    return value === undefined
      ? undefined
      : { kind: "ft", from: party(first), to: party(second), value, contract: log.address }
  }
  if (third === undefined) return undefined
  const parties = { operator: party(first), from: party(second), to: party(third), contract: log.address }
  if (event === transferSingleTopic) {
    const id = uintAt(log.data, 0)
    const value = uintAt(log.data, 32)
    return id === undefined || value === undefined || log.data.length !== 64
      ? undefined
      : { kind: "mt", ...parties, ids: [id], values: [value] }
  }
  if (event === transferBatchTopic) {
    const ids = uintListAt(log.data, 0)
    const values = uintListAt(log.data, 32)
    return ids === undefined || values === undefined || ids.length !== values.length
      ? undefined
      : { kind: "mt", ...parties, ids, values }
  }
  return undefined
}

/**
 * Transfers of an executed transaction: its coin first, then the coin that contracts moved, as the chain's ingester orders
 * them (`getEntryTx` and `transformToInternalTx` of kaiachain/kaia `datasync/chaindatafetcher/kas/repository_traces.go`),
 * then the tokens of its logs.
 */
export const transfersOf = (
  { carriesValue, contractAddress, from, internalTransfers = [], logs, to, value }: ExecutedTransaction
): ReadonlyArray<DraftTransfer> => {
  const coin: DraftTransfer = { kind: "coin", from, to: to ?? contractAddress ?? from, value }
  const transfers: Array<DraftTransfer> = carriesValue ? [coin] : []
  for (const moved of internalTransfers) transfers.push({ kind: "coin", ...moved })
  for (const log of logs) {
    const transfer = tokenTransferOf(log)
    if (transfer !== undefined) transfers.push(transfer)
  }
  return transfers
}
