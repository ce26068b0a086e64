/** An index in a file of a temporary folder, as a service would keep it. */
import * as DatabaseFile from "@effect-klaytn/store/DatabaseFile"
import type { Driver } from "@effect-klaytn/store/Driver"
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { indexVersion } from "../src/IndexTables.js"
import * as SqliteIndex from "../src/SqliteIndex.js"

export const chainId = 1001

const kind: DatabaseFile.Kind = {
  program: "bench",
  applicationId: 1,
  version: indexVersion,
  upgrade: (driver) => SqliteIndex.ensureTables(driver, chainId)
}

export interface IndexFile extends SqliteIndex.SqliteIndex {
  readonly driver: Driver
  /** The size of the file, in bytes, with everything written to it. */
  readonly size: () => number
  readonly remove: () => void
}

export const open = (): IndexFile => {
  const directory = mkdtempSync(join(tmpdir(), "bench-"))
  const driver = DatabaseFile.open(join(directory, "index.db"), kind)
  return {
    driver,
    ...SqliteIndex.make(driver, chainId),
    size: () => {
      driver.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all()
      return readdirSync(directory).reduce((size, name) => size + statSync(join(directory, name)).size, 0)
    },
    remove: () => {
      DatabaseFile.close(driver)
      rmSync(directory, { recursive: true })
    }
  }
}
