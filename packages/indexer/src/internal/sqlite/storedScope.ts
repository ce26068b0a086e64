import type { Driver } from "@effect-klaytn/store/Driver"
import { fromJson, type IndexScope, toJson } from "../../IndexScope.js"
import { scopes } from "../../IndexTables.js"

/** The only row of the table. */
const id = 0

/** The scope that an index was created with; undefined if it was created without one. */
export const find = (driver: Driver, chainId: number): IndexScope | undefined => {
  const row = scopes.of(chainId).find(driver)({ id })
  return row && fromJson(row.scope)
}

/** Stores the scope of a new index. */
export const put = (driver: Driver, chainId: number, scope: IndexScope): void =>
  scopes.of(chainId).insert(driver)({ id, scope: toJson(scope) })
