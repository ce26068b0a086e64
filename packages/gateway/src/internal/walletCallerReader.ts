/** Looks callers up in the file of a wallet for each request: one that was revoked is refused from the next request on. */
import { countTables } from "@effect-klaytn/indexer/DatabaseFile"
import * as Driver from "@effect-klaytn/indexer/Driver"
import { existsSync } from "node:fs"
import { columns, type Row } from "./callerRights.js"
import type { Finder } from "./managedCallers.js"
import * as WalletCallers from "./WalletCallers.js"

const text = (cell: unknown): string => {
  if (typeof cell !== "string") throw new TypeError("a stored caller has a cell that is no text")
  return cell
}

/** A finder over a file. */
export interface Reader extends Finder {
  readonly close: () => void
}

/** The callers of a wallet's file, which may be made later. */
export const make = (file: string): Reader => {
  let opened: { readonly driver: Driver.Driver; hasTable: boolean } | undefined

  /** The connection, once there is the table. */
  const connection = (): Driver.Driver | undefined => {
    if (opened === undefined) {
      if (!existsSync(file)) return undefined
      // The library of the wallet's own connection: two in one process end each other's locks.
      const driver = Driver.openLibsql(file)
      driver.prepare("PRAGMA busy_timeout = 1000").all()
      driver.prepare("PRAGMA query_only = ON").all()
      opened = { driver, hasTable: false }
    }
    opened.hasTable ||= countTables(opened.driver, `name = '${WalletCallers.table}'`) > 0
    return opened.hasTable ? opened.driver : undefined
  }

  const find = (condition: string) => (value: string): Row | undefined => {
    const [row] = connection()?.prepare(
      `SELECT ${columns} FROM ${WalletCallers.table} WHERE ${condition}`
    ).all(value) ?? []
    if (row === undefined) return undefined
    const [name, accessKeyId, hash, created, rights, pools, limits] = row
    return {
      name: text(name),
      access_key_id: text(accessKeyId),
      hash: text(hash),
      created: Number(created),
      rights: text(rights),
      pools: pools === null ? null : text(pools),
      limits: text(limits)
    }
  }

  return { ofId: find("access_key_id = ?1"), ofName: find("name = ?1"), close: () => opened?.driver.close() }
}
