import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import type { ChainId } from "@effect-klaytn/indexer/IndexReader"
import * as SqliteIndex from "@effect-klaytn/indexer/SqliteIndex"
import type { TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import type { ChainStorage } from "@effect-klaytn/local-chain/ChainStorage"
import * as DatabaseFile from "@effect-klaytn/store/DatabaseFile"
import type { Driver } from "@effect-klaytn/store/Driver"
import { BlobStore } from "./BlobStore.js"
import { chainStorage } from "./chainStorage.js"
import { chainIds, chainTables, codes, meta, schemaVersion } from "./Schema.js"
import { StateStore } from "./StateStore.js"
import { WaitingStore } from "./WaitingStore.js"

/** What a chain and its index keep in the tables of one chain. */
export interface ChainStore {
  readonly index: SqliteIndex.SqliteIndex
  readonly storage: ChainStorage<{ readonly block: BlockRecord; readonly transaction: TransactionRecord }>
}

/** One database with the tables of both chains. */
export type Store = ReturnType<typeof openStore>

/** Texts that the file keeps, by names. */
interface Kept {
  readonly meta: (name: string) => string | undefined
  readonly setMeta: (name: string, value: string) => void
}

const chainStore = (driver: Driver, chainId: ChainId, { meta, setMeta }: Kept): ChainStore => {
  const index = SqliteIndex.make(driver, chainId)
  const name = `rules ${chainId}`
  const rules = { rules: () => meta(name), keepRules: (rules: string) => setMeta(name, rules) }
  return {
    index,
    storage: chainStorage(index, {
      state: new StateStore(driver, chainId),
      blobs: new BlobStore(driver, chainId),
      waiting: new WaitingStore(driver, chainId)
    }, rules)
  }
}

const sandboxFiles: DatabaseFile.Kind = {
  program: "sandbox",
  applicationId: 0x6b6c7962,
  version: schemaVersion,
  upgrade: (driver) => {
    for (const table of [meta, codes]) table.ensure(driver)
    for (const chainId of chainIds) {
      SqliteIndex.ensureTables(driver, chainId)
      for (const table of chainTables) table.of(chainId).ensure(driver)
    }
  },
  // The first versions did not mark their files.
  ownsUnmarked: (driver) => DatabaseFile.countTables(driver, "name IN ('meta', 'codes', 'blocks_8217')") === 3
}

/** Opens or creates a database file and locks it; `:memory:` is a database that ends with the process. */
export const openStore = (file: string) => {
  const driver = DatabaseFile.open(file, sandboxFiles)
  const find = meta.find(driver)
  const put = meta.put(driver)
  const kept: Kept = {
    meta: (name) => find({ name })?.value,
    setMeta: (name, value) => put({ name, value })
  }
  const chains = { 8217: chainStore(driver, 8217, kept), 1001: chainStore(driver, 1001, kept) }
  return {
    driver,
    chain: (chainId: ChainId): ChainStore => chains[chainId],
    ...kept,
    close: (): void => DatabaseFile.close(driver)
  }
}
