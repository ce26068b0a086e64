import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import { close } from "@effect-klaytn/indexer/DatabaseFile"
import type { Driver } from "@effect-klaytn/indexer/Driver"
import type { ChainId } from "@effect-klaytn/indexer/IndexReader"
import * as SqliteIndex from "@effect-klaytn/indexer/SqliteIndex"
import type { TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import type { ChainStorage } from "@effect-klaytn/local-chain/ChainStorage"
import { chainStorage } from "./chainStorage.js"
import { openDatabase } from "./Database.js"
import { meta } from "./Schema.js"
import { StateStore } from "./StateStore.js"

/** What a chain and its index keep in the tables of one chain. */
export interface ChainStore {
  readonly index: SqliteIndex.SqliteIndex
  readonly storage: ChainStorage<{ readonly block: BlockRecord; readonly transaction: TransactionRecord }>
}

/** One database with the tables of both chains. */
export type Store = ReturnType<typeof openStore>

const chainStore = (driver: Driver, chainId: ChainId): ChainStore => {
  const index = SqliteIndex.make(driver, chainId)
  return { index, storage: chainStorage(index, new StateStore(driver, chainId)) }
}

/** Opens or creates a database file and locks it; `:memory:` is a database that ends with the process. */
export const openStore = (file: string, openDriver?: (path: string) => Driver) => {
  const driver = openDatabase(file, openDriver)
  const find = meta.find(driver)
  const put = meta.put(driver)
  const chains = new Map<ChainId, ChainStore>()
  return {
    driver,
    chain: (chainId: ChainId): ChainStore => {
      const known = chains.get(chainId) ?? chainStore(driver, chainId)
      chains.set(chainId, known)
      return known
    },
    meta: (name: string): string | undefined => find({ name })?.value,
    setMeta: (name: string, value: string): void => put({ name, value }),
    close: (): void => close(driver)
  }
}
