/** Looks callers up in the file of a wallet for each request: one that was revoked is refused from the next request on. */
import * as DatabaseFile from "@effect-klaytn/store/DatabaseFile"
import * as Driver from "@effect-klaytn/store/Driver"
import * as Rows from "@effect-klaytn/store/Rows"
import { existsSync } from "node:fs"
import { columns, type Row } from "./callerRights.js"
import type { Finder } from "./managedCallers.js"
import * as WalletCallers from "./WalletCallers.js"

/** A finder over a file. */
export interface Reader extends Finder {
  /** Whether the rights of a caller of this name were ever taken away. */
  readonly wasRevoked: (name: string) => boolean
  readonly close: () => void
}

/** The callers of a wallet's file, which may be made later. */
export const make = (file: string): Reader => {
  let opened: { readonly driver: Driver.Driver; readonly tables: Set<string> } | undefined

  /** The connection, once there is a table. */
  const connection = (table: string): Driver.Driver | undefined => {
    if (opened === undefined) {
      if (!existsSync(file)) return undefined
      const problem = DatabaseFile.problemOf(file)
      if (problem !== undefined) throw new DatabaseFile.DatabaseFileError(file, "Unusable", problem)
      // The library of the wallet's own connection: two in one process end each other's locks.
      const driver = Driver.openLibsql(file)
      driver.prepare("PRAGMA busy_timeout = 1000").all()
      driver.prepare("PRAGMA query_only = ON").all()
      opened = { driver, tables: new Set() }
    }
    const { driver, tables } = opened
    if (!tables.has(table) && DatabaseFile.countTables(driver, `name = '${table}'`) > 0) tables.add(table)
    return tables.has(table) ? driver : undefined
  }

  const find = (condition: string) => (value: string): Row | undefined => {
    const [row] = connection(WalletCallers.table)?.prepare(
      `SELECT ${columns} FROM ${WalletCallers.table} WHERE ${condition}`
    ).named(value) ?? []
    return row && {
      name: Rows.text(row, "name"),
      access_key_id: Rows.text(row, "access_key_id"),
      hash: Rows.text(row, "hash"),
      created: Rows.number(row, "created"),
      rights: Rows.text(row, "rights"),
      pools: Rows.optional(Rows.text)(row, "pools") ?? null,
      limits: Rows.text(row, "limits")
    }
  }

  return {
    ofId: find("access_key_id = ?1"),
    ofName: find("name = ?1"),
    wasRevoked: (name) =>
      (connection(WalletCallers.revocations)?.prepare(`SELECT 1 FROM ${WalletCallers.revocations} WHERE name = ?1`)
        .all(name).length ?? 0) > 0,
    close: () => opened?.driver.close()
  }
}
