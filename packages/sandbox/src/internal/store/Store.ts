import { resolve } from "node:path"
import { BlockStore } from "./BlockStore.js"
import { text } from "./Cell.js"
import { ChainReader } from "./ChainReader.js"
import { type Driver, open } from "./Driver.js"
import { LabelStore } from "./LabelStore.js"
import { OwnershipIndex } from "./OwnershipIndex.js"
import { PresetStore } from "./PresetStore.js"
import { type ChainId, claim, configure, migrate, release } from "./Schema.js"
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
    blocks: new BlockStore(driver, chainId, state, new OwnershipIndex(driver, chainId)),
    reader: new ChainReader(driver, chainId),
    transfers: new TransferStore(driver, chainId),
    tokens: new TokenStore(driver, chainId),
    state,
    presets: new PresetStore(driver, chainId),
    labels: new LabelStore(driver, chainId)
  }
}

/** What to do about what SQLite says, by its words. */
const remedies: ReadonlyArray<readonly [said: RegExp, means: string]> = [
  [/database is locked/, "another sandbox or program has it open; stop that one, or name another file"],
  [/file is not a database/, "it is no SQLite database; name a file that is not there yet"],
  [/unable to open/i, "it cannot be opened; see that its folder is there and that you may write to it"],
  [/readonly database/, "it cannot be written; see that you may write to it and to its folder"],
  [/disk is full/, "the disk is full; make room, or name a file elsewhere"]
]

/** A failure of the database that names the file and says what to do. */
class DatabaseError extends Error {}

const explained = (file: string, cause: unknown): DatabaseError => {
  if (cause instanceof DatabaseError) return cause
  const said = cause instanceof Error ? cause.message : "unknown cause"
  return new DatabaseError(`${file}: ${remedies.find(([words]) => words.test(said))?.[1] ?? said}`, { cause })
}

/** A driver whose failures name the file. */
const named = (file: string, openDriver: () => Driver): Driver => {
  const explaining =
    <Arguments extends ReadonlyArray<unknown>, A>(run: (...given: Arguments) => A) => (...given: Arguments): A => {
      try {
        return run(...given)
      } catch (cause) {
        throw explained(file, cause)
      }
    }
  const driver = explaining(openDriver)()
  return {
    name: driver.name,
    exec: explaining(driver.exec),
    prepare: explaining((sql) => {
      const { all, run } = driver.prepare(sql)
      return { all: explaining(all), run: explaining(run) }
    }),
    close: driver.close
  }
}

const close = (driver: Driver): void => {
  // What keeps the file from being read keeps it from being held, too.
  try {
    release(driver)
  } catch { /* it was never held */ }
  driver.close()
}

/** Opens or creates a database, which nobody else may open then; `:memory:` lives and dies with the process. */
export const openStore = (path: string, openDriver: (path: string) => Driver = open): Store => {
  if (path === "") throw new Error("a database needs the name of a file, or :memory:")
  // An absolute path is never taken for an address or an option.
  const driver = named(path, () => openDriver(path === ":memory:" ? path : resolve(path)))
  try {
    claim(driver)
    configure(driver)
    migrate(driver)
  } catch (cause) {
    close(driver)
    throw explained(path, cause)
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
    close: () => close(driver)
  }
}
