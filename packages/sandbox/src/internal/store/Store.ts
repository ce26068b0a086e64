import { BlockStore } from "./BlockStore.js"
import { ChainReader } from "./ChainReader.js"
import { close, openDatabase } from "./Database.js"
import type { Driver } from "./Driver.js"
import { OwnershipIndex } from "./OwnershipIndex.js"
import { PresetStore } from "./PresetStore.js"
import { type ChainId, meta } from "./Schema.js"
import { StateStore } from "./StateStore.js"
import { TokenStore } from "./TokenStore.js"
import { TransferStore } from "./TransferStore.js"

/** The tables of one chain. */
export interface ChainStore {
  readonly blocks: BlockStore
  readonly reader: ChainReader
  readonly transfers: TransferStore
  readonly tokens: TokenStore
  readonly state: StateStore
  readonly presets: PresetStore
}

/** One database with the tables of both chains. */
export interface Store {
  readonly driver: Driver
  readonly chain: (chainId: ChainId) => ChainStore
  readonly meta: (name: string) => string | undefined
  readonly setMeta: (name: string, value: string) => void
  readonly close: () => void
}

const chainStore = (driver: Driver, chainId: ChainId): ChainStore => {
  const state = new StateStore(driver, chainId)
  return {
    blocks: new BlockStore(driver, chainId, state, new OwnershipIndex(driver, chainId)),
    reader: new ChainReader(driver, chainId),
    transfers: new TransferStore(driver, chainId),
    tokens: new TokenStore(driver, chainId),
    state,
    presets: new PresetStore(driver, chainId)
  }
}

/** Opens or creates a database file and locks it; `:memory:` is a database that ends with the process. */
export const openStore = (file: string, openDriver?: (path: string) => Driver): Store => {
  const driver = openDatabase(file, openDriver)
  const find = meta.find(driver)
  const put = meta.put(driver)
  const chains = new Map<ChainId, ChainStore>()
  return {
    driver,
    chain: (chainId) => {
      const known = chains.get(chainId) ?? chainStore(driver, chainId)
      chains.set(chainId, known)
      return known
    },
    meta: (name) => find({ name })?.value,
    setMeta: (name, value) => put({ name, value }),
    close: () => close(driver)
  }
}
