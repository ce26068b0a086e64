/**
 * All of the payouts, one namespace per module.
 */
export * as Batch from "./Batch.js"
export * as DayReport from "./DayReport.js"
export * as Limits from "./Limits.js"
export * as Payout from "./Payout.js"
export * as PayoutError from "./PayoutError.js"
export * as Payouts from "./Payouts.js"
export * as PayoutState from "./PayoutState.js"
export * as SqlNonces from "./SqlNonces.js"
export * as SqlSpendPolicy from "./SqlSpendPolicy.js"
export * as TokenPayout from "./TokenPayout.js"
