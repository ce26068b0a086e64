/**
 * All of the payouts, one namespace per module.
 *
 * @since 0.1.0
 */
export * as Batch from "./Batch.js"
export * as Payout from "./Payout.js"
export * as PayoutError from "./PayoutError.js"
export * as Payouts from "./Payouts.js"
export * as PayoutState from "./PayoutState.js"
export * as SqlStore from "./SqlStore.js"
export * as Token from "./Token.js"
