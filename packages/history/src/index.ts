/**
 * All of history, one namespace per module.
 */
export * as BalanceChange from "./BalanceChange.js"
export * as HistoryApi from "./HistoryApi.js"
export * as Kind from "./Kind.js"
export * as PresetId from "./PresetId.js"
export * as Range from "./Range.js"
export * as TransactionGrouping from "./TransactionGrouping.js"
export * as Transfer from "./Transfer.js"
export * as TransferHistory from "./TransferHistory.js"
