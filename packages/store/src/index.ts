/**
 * All of the store, one namespace per module.
 */
export * as Column from "./Column.js"
export * as Database from "./Database.js"
export * as DatabaseError from "./DatabaseError.js"
export * as DatabaseFault from "./DatabaseFault.js"
export * as DatabaseFile from "./DatabaseFile.js"
export * as DatabaseLog from "./DatabaseLog.js"
export * as DatabaseTime from "./DatabaseTime.js"
export * as Driver from "./Driver.js"
export * as Lease from "./Lease.js"
export * as Locks from "./Locks.js"
export * as Migrations from "./Migrations.js"
export * as NewFile from "./NewFile.js"
export * as Query from "./Query.js"
export * as Rows from "./Rows.js"
export * as StoredJson from "./StoredJson.js"
export * as Table from "./Table.js"
