/** The callers of a database, a file or a Postgres, as commands manage them. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as CallerFile from "../CallerFile.js"
import type { GatewayError } from "../GatewayError.js"
import * as CallerTable from "./CallerTable.js"
import * as managedCallers from "./managedCallers.js"
import * as postgres from "./postgres.js"
import * as walletFile from "./walletFile.js"

/** What commands do with callers. */
export interface ManagedCallers extends Pick<CallerFile.CallerFile, "add" | "list" | "revoke" | "movable" | "move"> {}

/** Opens the callers of a database. */
export const managedIn = (
  database: string,
  schema: string | undefined
): Effect.Effect<ManagedCallers, GatewayError, Scope.Scope> =>
  Effect.gen(function*() {
    if (!postgres.isAddress(database)) return yield* CallerFile.open(CallerFile.beside(database))
    const name = yield* postgres.schemaOf(schema)
    const sql = yield* postgres.client(database, postgres.answering(4))
    return managedCallers.make({
      index: CallerTable.index(sql, name),
      wallet: walletFile.openDatabase(walletFile.beside(database, name)),
      hasWallet: () => true
    })
  })
