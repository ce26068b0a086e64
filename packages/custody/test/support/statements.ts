import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** A connection on which something else happens, once, just before the first statement that has a text. */
export const happeningBefore = (
  sql: SqlClient.SqlClient,
  text: string,
  happening: Effect.Effect<unknown, unknown>
): SqlClient.SqlClient => {
  let isDone = false
  return new Proxy(sql, {
    apply: (target, self, words) => {
      const statement = Reflect.apply(target, self, words)
      if (isDone || !Array.isArray(words[0]) || !words[0].join("?").replaceAll(/\s+/g, " ").includes(text)) {
        return statement
      }
      isDone = true
      return Effect.zipRight(Effect.orDie(happening), statement)
    }
  })
}
