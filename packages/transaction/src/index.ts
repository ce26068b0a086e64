/**
 * All modules of the package by name. Prefer to import the module you need, such as
 * `@effect-klaytn/transaction/Transaction`.
 */
export * as AccountKey from "./AccountKey.js"
export * as Authorization from "./Authorization.js"
export * as ExecutedTransaction from "./ExecutedTransaction.js"
export * as Hardfork from "./Hardfork.js"
export * as Hex from "./Hex.js"
export * as LogsBloom from "./LogsBloom.js"
export * as PrivateKey from "./PrivateKey.js"
export * as PublicKey from "./PublicKey.js"
export * as Result from "./Result.js"
export * as Secp256k1 from "./Secp256k1.js"
export * as Signature from "./Signature.js"
export * as Transaction from "./Transaction.js"
export * as TransactionBody from "./TransactionBody.js"
export * as TransactionError from "./TransactionError.js"
export * as TransactionType from "./TransactionType.js"
export * as TransactionView from "./TransactionView.js"
