/**
 * The presets of a gateway whose index is in a file, in a file beside the index.
 *
 * **Details**
 *
 * A preset names only accounts and contracts that the index keeps: a gateway writes its scope into the
 * file when it starts, and another address is refused from then on. A gateway looks a preset up for each request.
 *
 * **Example** (a preset that is added)
 *
 * ```ts
 * import * as PresetFile from "@effect-klaytn/gateway/PresetFile"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.scoped(Effect.gen(function*() {
 *   const presets = yield* PresetFile.open(PresetFile.beside("index.db"))
 *   const { id } = yield* presets.add({ name: "shops", accounts: ["0x1111111111111111111111111111111111111111"] })
 *   return id
 * }))
 * ```
 */
import { generated, integer, json, nullable, text } from "@effect-klaytn/store/Column"
import * as DatabaseFile from "@effect-klaytn/store/DatabaseFile"
import { atomically } from "@effect-klaytn/store/Driver"
import { expression, select } from "@effect-klaytn/store/Query"
import { table } from "@effect-klaytn/store/Table"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { GatewayError } from "./GatewayError.js"
import * as presetRules from "./internal/presetRules.js"
import * as refusals from "./internal/startRefusals.js"
import type { Presets } from "./Presets.js"

const presets = table("presets", {
  id: generated,
  name: text,
  accounts: json<ReadonlyArray<Hex>>(),
  contracts: json<ReadonlyArray<Hex>>()
}, { primaryKey: ["id"] })

/** What the index keeps: one row; NULL for everything. */
const limits = table("limits", {
  id: integer,
  accounts: nullable(json<ReadonlyArray<Hex>>()),
  contracts: nullable(json<ReadonlyArray<Hex>>())
}, { primaryKey: ["id"] })

const presetFiles: DatabaseFile.Kind = {
  program: "gateway",
  applicationId: 0x6b677073,
  version: 1,
  upgrade: (driver) => {
    presets.ensure(driver)
    limits.ensure(driver)
  },
  isShared: true
}

/**
 * The file of presets that belongs to a database.
 *
 * @category conversions
 */
export const beside = (database: string): string => database === ":memory:" ? database : `${database}.presets`

const make = (file: string) => {
  const driver = DatabaseFile.open(file, presetFiles)
  return {
    driver,
    find: presets.find(driver),
    listed: select(driver, presets.as("p"), "FROM presets p ORDER BY p.id"),
    last: select(driver, { id: expression("last_insert_rowid()", integer) }, ""),
    insert: presets.insert(driver),
    remove: presets.remove(driver),
    limit: limits.find(driver),
    setLimit: limits.put(driver)
  }
}

/**
 * Opens or creates a file of presets, which is closed with the scope. Several processes may have it open at the same time.
 *
 * @category constructors
 */
export const open = (file: string): Effect.Effect<Presets, GatewayError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      refusals.attempt(() => make(file)),
      ({ driver }) => Effect.sync(() => driver.close())
    ),
    ({ driver, find, insert, last, limit, listed, remove, setLimit }): Presets => ({
      add: (preset) =>
        Effect.gen(function*() {
          const row = yield* presetRules.check(
            preset,
            Effect.map(refusals.attempt(() => limit({ id: 1 })), (kept) => ({
              accounts: kept?.accounts && new Set(kept.accounts),
              contracts: kept?.contracts && new Set(kept.contracts)
            }))
          )
          const id = yield* refusals.attempt(() =>
            atomically(driver, () => {
              insert(row)
              return last.first()?.id ?? 0
            })
          )
          return { id, ...row }
        }),
      list: refusals.attempt(() => listed.all()),
      remove: (id) =>
        Effect.gen(function*() {
          const isKnown = yield* refusals.attempt(() =>
            atomically(driver, () => {
              if (find({ id }) === undefined) return false
              remove({ id })
              return true
            })
          )
          if (!isKnown) return yield* presetRules.unknown(id)
        }),
      find: (id) => Effect.map(refusals.attempt(() => find({ id })), (found) => found && { id, ...found }),
      limitTo: ({ accounts, contracts }) =>
        refusals.attempt(() =>
          setLimit({ id: 1, accounts: accounts && [...accounts], contracts: contracts && [...contracts] })
        )
    })
  )
