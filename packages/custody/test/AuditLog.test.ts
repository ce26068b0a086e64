import type { AuditLog } from "@effect-klaytn/custody/AuditLog"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { make } from "./support/guardedWallet.js"

const ten = (audit: AuditLog) =>
  Effect.forEach(
    Array.from({ length: 10 }, (_, i) => i),
    (i) => audit.append({ event: "signed", what: `transaction ${i}` }),
    { concurrency: "unbounded", discard: true }
  )

/** Ten lines, something that is done to them, and what `verify` finds. */
const found = (
  change: (sql: Effect.Effect.Success<ReturnType<typeof make>>["sql"]) => Effect.Effect<unknown, unknown>
) =>
  Effect.gen(function*() {
    const { audit, sql } = yield* make()
    yield* ten(audit)
    const head = yield* audit.verify()
    assert.strictEqual(head?.number, 10)
    yield* change(sql)
    return { audit, head, verdict: yield* Effect.either(audit.verify()) }
  })

describe("verify", () => {
  it.scoped("passes lines that several fibers have written", () =>
    Effect.gen(function*() {
      const { audit, head, verdict } = yield* found(() => Effect.void)
      assert.strictEqual(verdict._tag, "Right")
      yield* audit.append({ event: "signed", what: "later" })
      assert.strictEqual((yield* audit.verify(head))?.number, 11)
    }))

  it.scoped.each(
    [
      [
        "a changed line",
        4,
        "was changed",
        `UPDATE wallet_audit_1001 SET line = replace(line, 'transaction', 'nothing') WHERE number = 4`
      ],
      ["a forged hash", 4, "was changed", `UPDATE wallet_audit_1001 SET hash = randomblob(32) WHERE number = 4`],
      ["a line that is gone", 4, "is gone", `DELETE FROM wallet_audit_1001 WHERE number = 4`],
      [
        "a replayed line",
        11,
        "was moved or repeated",
        `INSERT INTO wallet_audit_1001 SELECT 11, line, hash FROM wallet_audit_1001 WHERE number = 4`
      ],
      [
        "lines in another order",
        4,
        "was moved or repeated",
        `UPDATE wallet_audit_1001 SET number = CASE number WHEN 4 THEN -5 ELSE -4 END WHERE number IN (4, 5);
         UPDATE wallet_audit_1001 SET number = -number WHERE number < 0`
      ],
      [
        "a line in place of another",
        4,
        "was moved or repeated",
        `UPDATE wallet_audit_1001 SET (line, hash) = (SELECT line, hash FROM wallet_audit_1001 WHERE number = 5) WHERE number = 4`
      ]
    ] as const
  )("finds %s", ([, number, problem, statements]) =>
    Effect.gen(function*() {
      const { verdict } = yield* found((sql) => Effect.forEach(statements.split(";"), (one) => sql.unsafe(one)))
      assert(verdict._tag === "Left" && verdict.left._tag === "AuditLogBroken")
      assert.strictEqual(verdict.left.number, number)
      assert.include(verdict.left.message, problem)
    }))

  it.scoped("finds lines that were cut off, by a head that was kept", () =>
    Effect.gen(function*() {
      const { audit, head, verdict } = yield* found((sql) => sql`DELETE FROM wallet_audit_1001 WHERE number > 7`)
      assert.strictEqual(verdict._tag, "Right")
      const failure = yield* Effect.flip(audit.verify(head))
      assert.include(failure.message, "line 8 of the audit log was cut off")
      yield* ten(audit)
      assert.include((yield* Effect.flip(audit.verify(head))).message, "not the one whose hash you kept")
    }))
})
