import { text } from "../../Column.js"
import type { Driver } from "../../Driver.js"
import { indexTables } from "../../IndexTables.js"
import { expression, select } from "../../Query.js"
import { recountOwnings } from "./OwnershipStore.js"

export const ensureTables = (driver: Driver, chainId: number): void => {
  const named = select(driver, { name: expression("name", text) }, "FROM sqlite_schema WHERE name = ?1")
  const has = (table: string): boolean => named.first(`${table}_${chainId}`) !== undefined
  // Version 5 gave this table its name.
  if (has("ledger_undo")) driver.exec(`ALTER TABLE ledger_undo_${chainId} RENAME TO ownership_undo_${chainId}`)
  // Version 4 introduced the sums of what holders own.
  const lacksSums = has("contracts") && !has("ownings")
  for (const table of indexTables) table.of(chainId).ensure(driver)
  if (lacksSums) recountOwnings(driver, chainId)
}
