/**
 * The commands of a wallet's owner, one at a time: of two that are started together, one is done, and the other says so.
 *
 * **When to use**
 *
 * In a program, around `Keyring.rekey`, `WalletBackup.make` and `restore`, and `KeyTransfer.importAccount`. `klaytn gateway wallet`
 * does so.
 *
 * **Details**
 *
 * The lock is a row that the command moves on, as those of `SqlLocks`: a command that was killed lets go after 15 seconds. Callers of
 * the wallet do not wait for it. A command that was frozen for longer, and wakes up beside another one, changes nothing that the other
 * one has changed: each looks again, in the transaction in which it writes.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import type { StoreFailure } from "./CustodyError.js"
import * as lockRows from "./internal/lockRows.js"

/**
 * Another command of the owner is under way. Nothing was done.
 *
 * @category errors
 */
export class OwnerBusy extends Data.TaggedError("OwnerBusy")<{
  /** The command that was not done, such as `backup`. */
  readonly command: string
  /** The command that is under way. */
  readonly other: string
}> {
  override get message(): string {
    return `${this.command} is not done: another command of the owner, ${this.other}, is under way. Try again when it has ended; ` +
      `one that was killed lets go after ${lockRows.seconds} seconds`
  }
}

const name = "owner"

/**
 * Runs a command if no other one runs in any process that has the wallet open; fails at once with {@link OwnerBusy} otherwise. The
 * tables (`GuardTables`) are there already. `command` is its name, in one word.
 *
 * @category changes
 */
export const take =
  (sql: SqlClient.SqlClient, chain: Chain, command: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | OwnerBusy | StoreFailure, R> => {
    const { ask, holderOf, keep } = lockRows.make(sql, chain)
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        const holder = `${command} ${randomUUID()}`
        if (!(yield* ask(name, holder))) {
          const [other = "a command"] = (yield* holderOf(name))?.split(" ") ?? []
          return yield* new OwnerBusy({ command, other })
        }
        return yield* keep(name, holder)(restore(effect))
      })
    )
  }
