/** The database of a gateway: the index of one chain. */
import type { Chain } from "@effect-klaytn/core/Chain"
import { attempt } from "@effect-klaytn/indexer/IndexError"
import { indexVersion } from "@effect-klaytn/indexer/IndexTables"
import * as SqliteIndex from "@effect-klaytn/indexer/SqliteIndex"
import { text } from "@effect-klaytn/store/Column"
import * as DatabaseFile from "@effect-klaytn/store/DatabaseFile"
import { atomically, type Driver } from "@effect-klaytn/store/Driver"
import { table } from "@effect-klaytn/store/Table"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import * as CallerFile from "../CallerFile.js"
import type { GatewayError } from "../GatewayError.js"
import type { IndexHome, OpenIndex } from "./IndexHome.js"
import * as managedCallers from "./managedCallers.js"
import * as refusals from "./startRefusals.js"

/** The version of the table below. Raise it with every change. */
const ownVersion = 1

/** Facts about the file as a whole. */
const facts = table("gateway", { name: text, value: text }, { primaryKey: ["name"], withoutRowid: true })

const indexFiles: DatabaseFile.Kind = {
  program: "gateway",
  applicationId: 0x6b676974,
  // Both parts only rise, so an older gateway has a lower sum and refuses the file.
  version: ownVersion + indexVersion,
  upgrade: (driver) => {
    facts.ensure(driver)
    const chain = chainIn(driver)
    if (chain !== undefined) SqliteIndex.ensureTables(driver, chain)
  }
}

const chainIn = (driver: Driver): Chain | undefined => {
  const kept = facts.find(driver)({ name: "chain" })?.value
  return kept === "8217" ? 8217 : kept === "1001" ? 1001 : undefined
}

const make = (file: string, driver: Driver): IndexHome => {
  const find = facts.find(driver)
  const put = facts.put(driver)
  const chain = chainIn(driver)
  const held = chain === undefined ? undefined : find({ name: "traced" }) !== undefined
  return {
    chain,
    scope: chain === undefined ? undefined : SqliteIndex.make(driver, chain).reader.scope,
    isTraced: held,
    open: (chain, scope, isTraced) =>
      Effect.gen(function*() {
        if (held !== undefined && held !== isTraced) {
          return yield* refusals.otherTrace(held)
        }
        const index = yield* Effect.mapError(
          SqliteIndex.open(driver, chain, scope),
          (failure) =>
            failure._tag === "ScopeMismatch" ? refusals.start(failure.message) : refusals.database(failure.cause)
        )
        return yield* refusals.attempt(() => {
          atomically(driver, () => {
            put({ name: "chain", value: `${chain}` })
            if (isTraced) put({ name: "traced", value: "yes" })
            if (find({ name: "cursors" }) === undefined) {
              put({ name: "cursors", value: randomBytes(32).toString("hex") })
            }
          })
          const opened: OpenIndex = {
            store: index,
            watched: { newest: index.newest, isSettled: index.reader.isSettled },
            transactionsPaidBy: (query) => attempt("fees", () => index.rows.transactionsPaidBy(query)),
            isTraced,
            facts: {
              get: (name) => attempt("fact", () => Option.fromNullable(find({ name })?.value)),
              keep: (name, value) =>
                attempt("fact", () =>
                  atomically(driver, () => {
                    const known = find({ name })?.value
                    if (known === undefined) put({ name, value })
                    return known ?? value
                  }))
            },
            cursorKey: Buffer.from(find({ name: "cursors" })?.value ?? "", "hex"),
            isComplete: Effect.sync(() => find({ name: "complete" }) !== undefined),
            setComplete: attempt("complete", () => put({ name: "complete", value: "yes" })),
            // The file is locked: no other process follows.
            leading: (_, use) => use({ store: index, fold: () => Effect.void }),
            load: () => Effect.succeed(0),
            backfill: Effect.succeed(undefined)
          }
          return opened
        })
      }),
    callers: Effect.tap(
      CallerFile.open(CallerFile.beside(file)),
      ({ movable }) =>
        Effect.flatMap(movable, ({ callers }) => {
          const told = managedCallers.unmoved(callers.map(({ name }) => name))
          return told === undefined ? Effect.void : Effect.logWarning(told)
        })
    )
  }
}

/** Opens or creates the file and locks it for the time of a scope. */
export const open = (file: string): Effect.Effect<IndexHome, GatewayError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      refusals.attempt(() => DatabaseFile.open(file, indexFiles)),
      (driver) => Effect.sync(() => DatabaseFile.close(driver))
    ),
    (driver) => make(file, driver)
  )
