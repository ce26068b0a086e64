/**
 * All modules of the package by name. Prefer to import the module you need, such as
 * `@effect-klaytn/indexer/SqliteIndex`.
 */
export * as Abi from "./Abi.js"
export * as BlockKey from "./BlockKey.js"
export * as BlockRecord from "./BlockRecord.js"
export * as BlockSource from "./BlockSource.js"
export * as CatchUp from "./CatchUp.js"
export * as Cursors from "./Cursors.js"
export * as DataChain from "./DataChain.js"
export * as DataService from "./DataService.js"
export * as IndexError from "./IndexError.js"
export * as IndexReader from "./IndexReader.js"
export * as IndexWriter from "./IndexWriter.js"
export * as Ownership from "./Ownership.js"
export * as Sqlite from "./Sqlite.js"
export * as SqliteIndex from "./SqliteIndex.js"
export * as TokenRecord from "./TokenRecord.js"
export * as TransactionRecord from "./TransactionRecord.js"
export * as TransferRecord from "./TransferRecord.js"
export * as Viewer from "./Viewer.js"
