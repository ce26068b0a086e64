/**
 * All of history, one namespace per module.
 *
 * @since 0.1.0
 */
export * as HistoryApi from "./HistoryApi.js"
export * as Kind from "./Kind.js"
export * as Movement from "./Movement.js"
export * as PresetId from "./PresetId.js"
export * as Range from "./Range.js"
export * as Transactions from "./Transactions.js"
export * as Transfer from "./Transfer.js"
export * as TransferHistory from "./TransferHistory.js"
