import * as DatabaseFile from "@effect-klaytn/indexer/DatabaseFile"
import type { Driver } from "@effect-klaytn/indexer/Driver"
import { ensureTables } from "@effect-klaytn/indexer/SqliteIndex"
import { chainIds, chainTables, codes, meta, schemaVersion } from "./Schema.js"

const sandboxFiles: DatabaseFile.Kind = {
  program: "sandbox",
  applicationId: 0x6b6c7962,
  version: schemaVersion,
  upgrade: (driver) => {
    for (const table of [meta, codes]) table.ensure(driver)
    for (const chainId of chainIds) {
      ensureTables(driver, chainId)
      for (const table of chainTables) table.of(chainId).ensure(driver)
    }
  },
  // The first versions did not mark their files.
  ownsUnmarked: (driver) => DatabaseFile.countTables(driver, "name IN ('meta', 'codes', 'blocks_8217')") === 3
}

/** Opens or creates a database file and locks it; `:memory:` is a database that ends with the process. */
export const openDatabase = (file: string, openDriver?: (path: string) => Driver): Driver =>
  DatabaseFile.open(file, sandboxFiles, openDriver)
