/**
 * Tables as data on SQLite, synchronous: connections, columns, tables and queries. The index is stored with this, and a
 * program can keep tables of its own beside it in the same file.
 */
export * from "./internal/sqlite/Column.js"
export {
  type Driver,
  open,
  openLibsql,
  openNodeSqlite,
  type SqlValue,
  type Statement
} from "./internal/sqlite/Driver.js"
export * from "./internal/sqlite/Query.js"
export { type Fields, type NewRow, type Row, Table, table } from "./internal/sqlite/Table.js"
export { atomically } from "./internal/sqlite/transaction.js"
