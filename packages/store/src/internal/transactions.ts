/** Transactions whose commit fails as an error: `@effect/sql` makes that a defect. */
import type * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The same client; a failed commit of its transactions is a `SqlError`. */
export const failing = <Client extends SqlClient.SqlClient>(client: Client): Client => {
  const withTransaction: SqlClient.SqlClient["withTransaction"] = (effect) =>
    Effect.catchSomeDefect(
      made(effect),
      (defect) => defect instanceof SqlError ? Option.some(Effect.fail(defect)) : Option.none()
    )
  const made = client.withTransaction
  return Object.assign(client, { withTransaction })
}
