import { BlockStore } from "./BlockStore.js"
import { text } from "./Cell.js"
import { ChainReader } from "./ChainReader.js"
import { type Driver, open } from "./Driver.js"
import { LabelStore } from "./LabelStore.js"
import { PresetStore } from "./PresetStore.js"
import { type ChainId, configure, migrate } from "./Schema.js"
import { StateStore } from "./StateStore.js"
import { TokenLedger } from "./TokenLedger.js"
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
  readonly labels: LabelStore
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
    blocks: new BlockStore(driver, chainId, state, new TokenLedger(driver, chainId)),
    reader: new ChainReader(driver, chainId),
    transfers: new TransferStore(driver, chainId),
    tokens: new TokenStore(driver, chainId),
    state,
    presets: new PresetStore(driver, chainId),
    labels: new LabelStore(driver, chainId)
  }
}

/** Opens or creates a database; `:memory:` lives and dies with the process. */
export const openStore = (path: string, openDriver: (path: string) => Driver = open): Store => {
  const driver = openDriver(path)
  try {
    configure(driver)
    migrate(driver)
  } catch (cause) {
    driver.close()
    throw cause
  }
  const readMeta = driver.prepare("SELECT value FROM meta WHERE name = ?1")
  const writeMeta = driver.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)")
  const chains = new Map<ChainId, ChainStore>()
  return {
    driver,
    chain: (chainId) => {
      const known = chains.get(chainId) ?? chainStore(driver, chainId)
      chains.set(chainId, known)
      return known
    },
    meta: (name) => {
      const row = readMeta.all(name)[0]
      return row && text(row, 0)
    },
    setMeta: (name, value) => writeMeta.run(name, value),
    close: () => driver.close()
  }
}
