import * as AuditLog from "@effect-klaytn/custody/AuditLog"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chain, make } from "./support/guardedWallet.js"
import { happeningBefore } from "./support/statements.js"

const ten = (audit: AuditLog.AuditLog) =>
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

  it.scoped("passes lines that two processes write at the same time", () =>
    Effect.gen(function*() {
      const { audit, keyring, sql } = yield* make()
      const late = happeningBefore(sql, "INSERT INTO ? (number, line, hash)", ten(audit))
      const other = yield* AuditLog.open(late, chain, keyring)
      yield* other.append({ event: "signed", what: "at the same time" })
      assert.strictEqual((yield* audit.verify())?.number, 11)
    }))

  it.scoped("finds a line that another wallet has written", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* make(), yield* make()]
      yield* other.audit.append({ event: "signed", what: "transaction" })
      for (const { hash, line, number } of yield* other.audit.after(0)) {
        yield* one.sql`INSERT INTO wallet_audit_1001 (number, line, hash)
          VALUES (${number}, ${line}, ${Buffer.from(hash.slice(2), "hex")})`
      }
      assert.include((yield* Effect.flip(one.audit.verify())).message, "was not written by this wallet")
    }))

  it.scoped("finds a line of what the log was before it was set back", () =>
    Effect.gen(function*() {
      const { audit, sql } = yield* make()
      yield* ten(audit)
      yield* sql`CREATE TABLE before AS SELECT * FROM wallet_audit_1001`
      yield* sql`DELETE FROM wallet_audit_1001 WHERE number > 7`
      yield* ten(audit)
      assert.strictEqual((yield* audit.verify())?.number, 17)
      yield* sql`UPDATE wallet_audit_1001 SET (line, hash) = (SELECT line, hash FROM before WHERE number = 9) WHERE number = 9`
      assert.include((yield* Effect.flip(audit.verify())).message, "line 9 of the audit log was moved or repeated")
    }))

  it.scoped("finds what was changed behind the first thousand lines", () =>
    Effect.gen(function*() {
      const { audit, sql } = yield* make()
      for (let i = 0; i < 101; i++) yield* ten(audit)
      yield* sql`UPDATE wallet_audit_1001 SET line = replace(line, 'transaction', 'nothing') WHERE number = 1003`
      assert.include((yield* Effect.flip(audit.verify())).message, "line 1003 of the audit log was changed")
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
