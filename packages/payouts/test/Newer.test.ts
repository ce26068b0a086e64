import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { databases } from "../../engine/test/support/databases.js"
import * as stores from "../src/internal/store.js"
import { Content } from "../src/Payout.js"
import * as Backend from "./support/backend.js"

const content = Schema.decodeSync(Content)({
  chain: 1001,
  request: {
    _tag: "Value",
    from: "0x3ab0212a7b094f496ab8d45c79a9db0ad3770a8e",
    to: "0xdddddddddddddddddddddddddddddddddddddddd",
    value: "5",
    memo: `a memo that says "version":7`
  },
  payer: { _tag: "ServiceFeePayer" }
})

/** A store with two payouts, the first of which a newer program has changed by a statement. */
const changed = (statement: string) =>
  Effect.gen(function*() {
    const store = yield* Effect.flatMap(SqlClient.SqlClient, (sql) => stores.make(sql, "klaytn"))
    for (const key of ["a", "b"]) yield* store.insert(key, content, null)
    yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement))
    return store
  })

const problemOf = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

const list = { size: 10, cursor: undefined, from: undefined, states: undefined }

describe.each(databases)("JSON of a newer program on %s", (_, open) => {
  const at = (
    statement: string,
    test: (
      store: Effect.Effect.Success<ReturnType<typeof changed>>
    ) => Effect.Effect<void, unknown, SqlClient.SqlClient>
  ) => Effect.flatMap(open, ({ layer }) => Effect.provide(Effect.flatMap(changed(statement), test), layer))

  for (
    const [column, text, why] of [
      [
        "state",
        `{"version":2,"_tag":"Planned"}`,
        "the state of a payout has version 2, and this program reads version 1"
      ],
      ["content", `{"version":3,"chain":1001,"request":{}}`, "the content of a payout has version 3"],
      ["state", `{"version":1,"_tag":"Paused"}`, "Paused"]
    ] as const
  ) {
    it.scopedLive(`is refused in words in the ${column} of a payout, and the other payouts go on: ${why}`, () =>
      at(`UPDATE klaytn_payouts SET ${column} = '${text}' WHERE id = 'a'`, (store) =>
        Effect.gen(function*() {
          for (const message of [yield* problemOf(store.find("a")), yield* problemOf(store.list(list))]) {
            assert.include(message, "payout a can't be read: ")
            assert.include(message, why)
          }
          assert.isTrue((yield* store.find("b"))._tag === "Some")
          yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE klaytn_payouts SET worked_at = 1`)
          const { lines, use } = Backend.errorLines()
          const idle = use(store.findIdle(Duration.seconds(1)))
          assert.deepStrictEqual((yield* idle).map(({ key }) => key), ["b"])
          yield* idle
          assert.strictEqual(lines.filter((line) => line.includes("payout a can't be read")).length, 1)
        })))
  }

  it.scopedLive("is refused in the changes of a payout, its limits and the nonces of an account", () =>
    at(
      "INSERT INTO klaytn_payout_changes (payout, version, at, event, state) VALUES ('a', 1, 1, '{\"version\":2}', '{}')",
      (store) =>
        Effect.gen(function*() {
          assert.include(
            yield* problemOf(store.history("a", 0)),
            "a change of payout a can't be read: the event of a payout has version 2"
          )
          assert.include(yield* problemOf(store.changesAfter(0, 10)), "the event of a payout has version 2")
          const sql = yield* SqlClient.SqlClient
          const { from } = content.request
          yield* sql`INSERT INTO klaytn_values (id, value) VALUES ('limits x', ${`{"version":2}`}),
          ('limits y', ${`{"approveAbove":null,"policy":null,"hourly":"5"}`}), (${`nonces 1001 ${from}`}, ${`{"version":2}`}),
          (${`opening 1001 ${from}`}, ${`{"version":2}`})`
          assert.include(yield* problemOf(store.limitsOf("x")), "the limits of payouts has version 2")
          assert.include(yield* problemOf(store.limitsOf("y")), "is unexpected")
          assert.include(yield* problemOf(store.book(1001, from)), "the nonces of an account can't be read")
          assert.include(yield* problemOf(store.endOpening(1001, from)), "the opening of an account has version 2")
        })
    ))
})
