import type { ExecutedTransaction } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { ScopeFilter } from "../../IndexScope.js"
import type { IndexedTransaction } from "../IndexedBlock.js"
import { transfersOf } from "./TransferReader.js"

/** Whether a scope keeps a transaction, by the rules of `IndexScope`. */
const isKept = ({ accounts, contracts }: ScopeFilter, transaction: IndexedTransaction): boolean => {
  if (accounts === undefined || contracts === undefined) return true
  const { contractAddress, feePayer, from, logs, to, transfers, writes } = transaction
  return accounts.has(from) ||
    (to !== undefined && (accounts.has(to) || contracts.has(to))) ||
    (feePayer !== undefined && accounts.has(feePayer)) ||
    (contractAddress !== undefined && contracts.has(contractAddress)) ||
    transfers.some((transfer) => accounts.has(transfer.from) || accounts.has(transfer.to)) ||
    logs.some(({ address }) => contracts.has(address)) ||
    (writes ?? []).some(({ contract }) => contracts.has(contract))
}

/** The transactions of a block that a scope keeps, with their transfers and their places in the block. */
export const keptOf = (
  filter: ScopeFilter,
  executed: ReadonlyArray<ExecutedTransaction>
): ReadonlyArray<IndexedTransaction> => {
  const kept: Array<IndexedTransaction> = []
  let [logsBefore, transfersBefore] = [0, 0]
  for (const one of executed) {
    const transaction = { ...one, transfers: transfersOf(one), logsBefore, transfersBefore }
    if (isKept(filter, transaction)) kept.push(transaction)
    logsBefore += transaction.logs.length
    transfersBefore += transaction.transfers.length
  }
  return kept
}
