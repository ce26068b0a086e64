/**
 * The rows of sends and of requests with a key in a database of `@effect/sql`.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import { bytesOf, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment, Statement } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Metric from "effect/Metric"
import { StoreFailure } from "./CustodyError.js"
import { type HeldLock, heldLock } from "./internal/heldLock.js"
import * as rows from "./internal/rows.js"
import * as forgetting from "./internal/sends/forgetting.js"
import { isOneOf, numberOf, states } from "./internal/sends/states.js"
import * as tables from "./internal/tables.js"
import { type Refusal, type RefusalKind, refusalKinds } from "./SendRefusal.js"
import { endedByOwner, statesBefore } from "./SendStore.js"
import type { KeyedRequest, NewSend, RequestStore, SendState, SendStore, StoredSend } from "./SendStore.js"
import { priceOf } from "./TransactionFields.js"
import * as WalletMetrics from "./WalletMetrics.js"

/** Whether a row may get a state. */
const mayBecome = (sql: SqlClient.SqlClient, state: SendState) => sql.literal(isOneOf(...statesBefore[state]))

const stateOf = (row: rows.Row): SendState => {
  const state = states[rows.number(row, "state")]
  if (state === undefined) throw new TypeError("a stored send has no known state")
  return state
}

const columns =
  "id, account, nonce, hash, sender_hash, raw, state, cancels, attempts, request, created, updated, attempt, price, " +
  "caller, raisable, refused, refusal, refusal_kind, leased, winner, why, payment, credential"

const cancelKinds: ReadonlyArray<StoredSend["cancels"]> = ["none", "own", "global"]

/** The price of a send that was stored without it. */
const priceIn = (raw: Hex): bigint => {
  const read = Transaction.decode(raw)
  return read.ok ? priceOf(read.value) : 0n
}

const refusalKindOf = (row: rows.Row): RefusalKind => {
  const stored = rows.cell(row, "refusal_kind")
  return refusalKinds.find((kind) => kind === stored) ?? "unknown"
}

const optionalNumber = rows.optional(rows.number)
const optionalText = rows.optional(rows.text)
const optionalHex = rows.optional(rows.hex)

const toSend = (row: rows.Row): StoredSend => {
  const id = rows.number(row, "id")
  const raw = rows.hex(row, "raw")
  const since = optionalNumber(row, "refused")
  const paid = optionalText(row, "price")
  return {
    id,
    account: rows.hex(row, "account"),
    nonce: rows.bigint(row, "nonce"),
    hash: rows.hex(row, "hash"),
    senderHash: rows.hex(row, "sender_hash"),
    raw,
    state: stateOf(row),
    cancels: cancelKinds[rows.number(row, "cancels")] ?? "own",
    payment: optionalNumber(row, "payment") ?? id,
    attempt: rows.number(row, "attempt"),
    price: paid === undefined ? priceIn(raw) : BigInt(paid),
    isRaisable: rows.number(row, "raisable") === 1,
    attempts: rows.number(row, "attempts"),
    request: optionalText(row, "request"),
    caller: optionalText(row, "caller"),
    credential: optionalText(row, "credential"),
    refusal: since === undefined ? undefined : { since, text: rows.text(row, "refusal"), kind: refusalKindOf(row) },
    leasedUntil: rows.number(row, "leased"),
    winner: optionalHex(row, "winner"),
    why: optionalText(row, "why"),
    createdAt: rows.number(row, "created"),
    updatedAt: rows.number(row, "updated")
  }
}

/**
 * The rows of sends that can't be read, of a store whose tables are there.
 *
 * @category reading
 */
export const unreadable = (
  sql: SqlClient.SqlClient,
  chain: Chain
): Effect.Effect<ReadonlyArray<{ readonly id: number; readonly why: string }>, StoreFailure> => {
  const from = sql`SELECT ${sql.literal(columns)} FROM ${sql(tables.nameOf("sends", chain))}`
  return rows.unreadable((after, limit) => sql`${from} WHERE id > ${after} ORDER BY id LIMIT ${limit}`, toSend)
}

/** A row if a process still has its lock, which it then keeps until the end of the statement's transaction. */
const heldIn = (sql: SqlClient.SqlClient, chain: Chain, { holder, name }: HeldLock) =>
  sql`(SELECT 1 AS one FROM ${sql(tables.nameOf("locks", chain))} WHERE name = ${name} AND holder = ${holder}
    ${sql.literal(sql.onDialectOrElse({ pg: () => "FOR SHARE", orElse: () => "" }))}) held`

/** A value whose type Postgres can't see. */
const asBytes = (sql: SqlClient.SqlClient, value: Hex | undefined) =>
  sql.onDialectOrElse({
    pg: () => sql`${value === undefined ? null : bytesOf(value)}::bytea`,
    orElse: () => sql`${value === undefined ? null : bytesOf(value)}`
  })

const asText = (sql: SqlClient.SqlClient, value: string | undefined) =>
  sql.onDialectOrElse({ pg: () => sql`${value ?? null}::text`, orElse: () => sql`${value ?? null}` })

const refusedAs = (sql: SqlClient.SqlClient, refusal: Refusal | undefined) =>
  sql`refused = ${refusal?.since ?? null}, refusal = ${refusal?.text ?? null}, refusal_kind = ${refusal?.kind ?? null}`

/** A keyed send is stored where its key is: another database may have taken over since the request began. */
const keyLost = new StoreFailure({
  operation: "take",
  cause: new Error("the key of the request is not in the database: another one may have taken over. Nothing was sent")
})

const lockLost = new StoreFailure({
  operation: "take",
  cause: new Error("this process was held up for so long that another one has taken over the account")
})

/** What is read of sends. */
const reading = (sql: SqlClient.SqlClient, chain: Chain) => {
  const readable = rows.passingOver(tables.nameOf("sends", chain))
  // A column of SQLite takes a value of any type.
  const isWhole = sql.literal(sql.onDialectOrElse({ pg: () => "true", orElse: () => "typeof(nonce) = 'integer'" }))
  const table = sql.literal(tables.nameOf("sends", chain))
  const from = sql`SELECT ${sql.literal(columns)} FROM ${table}`
  return {
    live: (account, nonce) =>
      rows.first(
        "sends",
        sql`${from} WHERE account = ${bytesOf(account)} AND nonce = ${nonce} AND state <= 1 AND cancels = 0
          ORDER BY attempt DESC LIMIT 1`,
        toSend
      ),
    openAt: (account, nonce) =>
      rows.select(
        "sends",
        sql`${from} WHERE account = ${bytesOf(account)} AND nonce = ${nonce} AND state = 0 ORDER BY id`,
        toSend
      ),
    byHash: (hash: Hex) => rows.first("sends", sql`${from} WHERE hash = ${bytesOf(hash)}`, toSend),
    ofRequest: (request, account) =>
      rows.first(
        "sends",
        sql`${from} WHERE request = ${request} AND ${
          account === undefined ? sql`true` : sql`account = ${bytesOf(account)}`
        } ORDER BY id DESC LIMIT 1`,
        toSend
      ),
    takenFrom: (account, nonce) =>
      readable.select(
        "sends",
        sql`SELECT min(id) AS id, nonce FROM ${table} WHERE account = ${bytesOf(account)} AND nonce >= ${nonce}
          AND state <= 1 AND cancels = 0 GROUP BY nonce ORDER BY nonce`,
        (row) => rows.bigint(row, "nonce")
      ),
    firstUnused: (account) =>
      Effect.map(
        rows.first(
          "sends",
          sql`SELECT nonce FROM ${table} WHERE account = ${bytesOf(account)} AND state = 1 AND ${isWhole}
            ORDER BY nonce DESC LIMIT 1`,
          (row) => rows.bigint(row, "nonce")
        ),
        (used) => used === undefined ? 0n : used + 1n
      ),
    stuckBefore: (account, nonce) =>
      rows.first(
        "sends",
        sql`${from} WHERE account = ${bytesOf(account)} AND nonce < ${nonce} AND state = 0
          AND (refused IS NOT NULL OR cancels > 0) ORDER BY nonce, id LIMIT 1`,
        toSend
      )
  } satisfies Partial<SendStore>
}

/** What is read of sends that no block has decided, of one or all accounts. */
const readingOpen = (sql: SqlClient.SqlClient, chain: Chain) => {
  const readable = rows.passingOver(tables.nameOf("sends", chain))
  const table = sql.literal(tables.nameOf("sends", chain))
  const from = sql`SELECT ${sql.literal(columns)} FROM ${table}`
  return {
    open: readable.select("sends", sql`${from} WHERE state = 0 ORDER BY account, nonce, id`, toSend),
    openAccounts: readable.select(
      "sends",
      sql`SELECT id, account, caller FROM (SELECT id, account, caller,
          ROW_NUMBER() OVER (PARTITION BY account ORDER BY nonce, id) AS place FROM ${table} WHERE state = 0) s
        WHERE place = 1 ORDER BY id`,
      (row) => ({ account: rows.hex(row, "account"), caller: optionalText(row, "caller") })
    ),
    openOf: (account, nonces) =>
      readable.select(
        "sends",
        sql`${from} WHERE account = ${bytesOf(account)} AND state = 0 AND nonce <= (SELECT max(nonce) FROM (
            SELECT DISTINCT nonce FROM ${table} WHERE account = ${bytesOf(account)} AND state = 0
              ORDER BY nonce LIMIT ${nonces}
          ) lowest) ORDER BY nonce, id`,
        toSend
      ),
    countOf: (caller, account) =>
      tables.countsOf(
        sql,
        account,
        sql`${table} WHERE caller = ${caller} AND state = 0 AND cancels = 0 AND payment IS NULL`
      ),
    // A row of an impossible time takes its account out of no list.
    openByAccount: readable.select(
      "sends",
      sql`SELECT min(id) AS id, account, count(DISTINCT nonce) AS nonces, min(created) AS since FROM ${table}
        WHERE state = 0 AND created BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER} GROUP BY account ORDER BY since`,
      (row) => ({
        account: rows.hex(row, "account"),
        count: rows.number(row, "nonces"),
        since: rows.number(row, "since")
      })
    )
  } satisfies Partial<SendStore>
}

/** What is written of a send while no block has decided. */
const repairing = (sql: SqlClient.SqlClient, chain: Chain) => {
  const table = sql.literal(tables.nameOf("sends", chain))
  return {
    lease: ({ account, nonce }, now, until) =>
      Effect.map(
        rows.select(
          "lease",
          sql`UPDATE ${table} SET leased = ${until} WHERE account = ${bytesOf(account)} AND nonce = ${nonce}
            AND state = 0 AND leased <= ${now} RETURNING id`,
          rows.exists
        ),
        (leased) => leased.length > 0
      ),
    release: ({ account, nonce }) =>
      rows.change(
        "lease",
        sql`UPDATE ${table} SET leased = 0 WHERE account = ${bytesOf(account)} AND nonce = ${nonce}
          AND state = 0`
      ),
    given: ({ id }, refusal, now) =>
      rows.change(
        "attempt",
        sql`UPDATE ${table} SET attempts = attempts + 1, updated = ${now}, ${
          refusedAs(sql, refusal)
        } WHERE id = ${id} AND state = 0`
      ),
    note: ({ id }, refusal, now) =>
      rows.change(
        "attempt",
        sql`UPDATE ${table} SET updated = ${now}, ${refusedAs(sql, refusal)} WHERE id = ${id} AND state = 0`
      )
  } satisfies Partial<SendStore>
}

const hasRequest = (sql: SqlClient.SqlClient, chain: Chain, request: string) =>
  sql`EXISTS (SELECT 1 FROM ${sql(tables.nameOf("requests", chain))} WHERE id = ${request})`

/** Whether a send may be stored: no other payment has its nonce, no block has a send of it, and its owner has not ended the payment. */
const isFree = (
  sql: SqlClient.SqlClient,
  chain: Chain,
  { account, cancels, nonce, payment, repairs, request }: NewSend
) => {
  const table = sql.literal(tables.nameOf("sends", chain))
  const there = sql`SELECT 1 FROM ${table} o WHERE o.account = ${bytesOf(account)} AND o.nonce = ${nonce}`
  const isMined = sql`EXISTS (${there} AND o.state = 1)`
  // Who cancels by the nonce alone learns from the node that it is used.
  if (cancels !== "none") return repairs === undefined ? sql`true` : sql`NOT ${isMined}`
  const hasKey = request === undefined ? sql`true` : hasRequest(sql, chain, request)
  if (payment === undefined) {
    return sql`NOT EXISTS (${there} AND o.state <= 1 AND o.cancels = 0) AND NOT ${isMined} AND ${hasKey}`
  }
  const isOther = sql`o.state <= 1 AND o.cancels = 0 AND COALESCE(o.payment, o.id) <> ${payment}`
  return sql`NOT EXISTS (${there} AND ${isOther}) AND NOT ${
    repairs === undefined
      // The bytes of a payment that its owner has ended are not stored, though a block has them: they would be under way again.
      ? sql`EXISTS (SELECT 1 FROM ${table} p WHERE p.id = ${payment} AND p.why = ${endedByOwner})`
      : isMined
  }`
}

/** The open row that a repair is for, which stays open until the end of the statement's transaction. */
const repairedIn = (sql: SqlClient.SqlClient, chain: Chain, { id }: Pick<StoredSend, "id">) =>
  sql`(SELECT 1 AS one FROM ${sql(tables.nameOf("sends", chain))} WHERE id = ${id} AND state = 0
    ${sql.literal(sql.onDialectOrElse({ pg: () => "FOR SHARE", orElse: () => "" }))}) repaired`

/** How a nonce is taken. */
const taking = (sql: SqlClient.SqlClient, chain: Chain) => {
  const table = sql.literal(tables.nameOf("sends", chain))
  return {
    take: (send, now) =>
      Effect.gen(function*() {
        const { account, attempt = 0, cancels, hash, nonce, raw, repairs, request, senderHash, ...life } = send
        const lock = yield* FiberRef.get(heldLock)
        const held = lock === undefined ? sql`(SELECT 1) held` : heldIn(sql, chain, lock)
        const repaired = repairs === undefined ? sql`(SELECT 1) repaired` : repairedIn(sql, chain, repairs)
        const [row] = yield* rows.select(
          "take",
          sql`INSERT INTO ${table}
            (account, nonce, hash, sender_hash, raw, state, cancels, attempts, request, created, updated, attempt, price,
              caller, raisable, leased, why, payment, credential)
            SELECT ${bytesOf(account)}, ${nonce}, ${bytesOf(hash)}, ${bytesOf(senderHash)}, ${bytesOf(raw)}, 0,
              ${cancelKinds.indexOf(cancels)}, 0, ${request ?? null}, ${now}, ${now}, ${attempt}, ${`${life.price}`},
              ${life.caller ?? null}, ${life.isRaisable ? 1 : 0}, ${life.leasedUntil}, ${life.why ?? null},
              ${life.payment ?? null}, ${life.credential ?? null} FROM ${held}, ${repaired} WHERE ${
            isFree(sql, chain, send)
          }
            ON CONFLICT DO NOTHING RETURNING ${sql.literal(columns)}`,
          toSend
        )
        if (row !== undefined) return row
        if (request !== undefined) {
          const key = yield* rows.first(
            "take",
            sql`SELECT 1 AS one WHERE ${hasRequest(sql, chain, request)}`,
            rows.exists
          )
          if (key === undefined) return yield* keyLost
        }
        if (lock === undefined) return undefined
        const mine = yield* rows.first("take", sql`SELECT one FROM ${heldIn(sql, chain, lock)}`, rows.exists)
        return mine === undefined ? yield* lockLost : undefined
      })
  } satisfies Partial<SendStore>
}

/** What ends that a send has its nonce, and what gives the nonce back to it. */
const settling = (sql: SqlClient.SqlClient, chain: Chain) => {
  const table = sql.literal(tables.nameOf("sends", chain))
  /** Writes states, and counts them. */
  const write = (statement: Statement<object>) =>
    Effect.tap(rows.select("settle", statement, stateOf), (settled) =>
      Effect.forEach(
        settled,
        (one) => Metric.update(WalletMetrics.sends.pipe(Metric.tagged("state", one)), 1),
        { discard: true }
      ))
  return {
    settle: ({ account, hash, id, nonce, senderHash }, state, now, { why, winner } = {}) => {
      const here = sql`account = ${bytesOf(account)} AND nonce = ${nonce} AND id <> ${id}`
      const others = sql`${here} AND state = 0 AND sender_hash <> ${bytesOf(senderHash)}`
      const mine = sql`UPDATE ${table} SET state = ${numberOf(state)}, updated = ${now},
        winner = ${asBytes(sql, winner)}, why = COALESCE(${asText(sql, why)}, why)
        WHERE id = ${id} AND ${mayBecome(sql, state)}`
      if (state !== "mined") return Effect.asVoid(write(sql`${mine} RETURNING state`))
      // Who had given the nonce back takes it again after whoever had it meanwhile has lost it. One of a nonce is in a block: the first
      // that was seen in one, whatever is seen in another branch.
      const isFirst = sql`NOT EXISTS (SELECT 1 FROM ${table} WHERE ${here} AND state = 1)`
      const replaceOthers = write(sql`UPDATE ${table} SET state = 2, updated = ${now}, winner = ${asBytes(sql, hash)}
        WHERE ${others} RETURNING state`)
      // Most are alone at their nonce, and need one statement.
      const isAlone = sql`NOT EXISTS (SELECT 1 FROM ${table} WHERE ${others})`
      return Effect.flatMap(
        write(sql`${mine} AND ${isFirst} AND ${isAlone} RETURNING state`),
        ({ length }) =>
          length > 0
            ? Effect.void
            : Effect.asVoid(Effect.zipRight(replaceOthers, write(sql`${mine} AND ${isFirst} RETURNING state`)))
      )
    },
    refuse: ({ attempts, id, leasedUntil }, now, why) =>
      Effect.map(
        write(sql`UPDATE ${table} SET state = ${numberOf("refused")}, updated = ${now}, why = ${why}
          WHERE id = ${id} AND ${
          mayBecome(sql, "refused")
        } AND attempts = ${attempts} AND leased = ${leasedUntil} RETURNING state`),
        (written) => written.length > 0
      ),
    retake: ({ account, cancels, id, nonce }, now, leasedUntil) =>
      Effect.map(
        rows.select(
          "take",
          sql`UPDATE ${table} SET state = 0, updated = ${now}, leased = ${leasedUntil}
            WHERE id = ${id} AND ${mayBecome(sql, "open")} AND (why IS NULL OR why <> ${endedByOwner}) AND NOT EXISTS (
              SELECT 1 FROM ${table} o WHERE o.account = ${bytesOf(account)} AND o.nonce = ${nonce}
                AND ${cancels === "none" ? sql`o.state <= 1 AND o.cancels = 0` : sql`o.state = 1`} AND o.id <> ${id}
            ) RETURNING id`,
          rows.exists
        ),
        (found) => found.length > 0
      )
  } satisfies Partial<SendStore>
}

/**
 * The sends of one chain. The tables are there already.
 *
 * @category constructors
 */
export const make = (sql: SqlClient.SqlClient, chain: Chain): SendStore => ({
  ...taking(sql, chain),
  ...settling(sql, chain),
  ...reading(sql, chain),
  ...readingOpen(sql, chain),
  ...repairing(sql, chain)
})

const toRequest = (row: rows.Row): KeyedRequest => {
  const status = optionalNumber(row, "status")
  return {
    digest: rows.hex(row, "digest"),
    answer: status === undefined ? undefined : { status, body: rows.text(row, "answer") },
    isRepeated: true
  }
}

/** The fact that says why new keys are refused. */
const refused = "new keys are refused"

/** The facts about which keys a store takes. */
const keysPart = (sql: SqlClient.SqlClient, chain: Chain) => {
  const facts = sql.literal(tables.nameOf("facts", chain))
  return {
    isAccepting: sql`NOT EXISTS (SELECT 1 FROM ${facts} WHERE name = ${refused})`,
    refusal: rows.first(
      "keys",
      sql`SELECT value FROM ${facts} WHERE name = ${refused}`,
      (row) => rows.text(row, "value")
    ),
    refuseNew: (why: string) =>
      rows.change("keys", sql`INSERT INTO ${facts} (name, value) VALUES (${refused}, ${why}) ON CONFLICT DO NOTHING`),
    acceptNew: rows.change("keys", sql`DELETE FROM ${facts} WHERE name = ${refused}`)
  }
}

/** Finds requests of version 1 of the tables, by the IDs that they had. */
const formerPart = (sql: SqlClient.SqlClient, chain: Chain) => {
  const table = sql.literal(tables.nameOf("requests", chain))
  const sends = sql.literal(tables.nameOf("sends", chain))

  /** Gives a request of version 1 its ID of today. */
  const rename = (former: string, id: string) =>
    tables.atomically(sql, "request")(
      Effect.gen(function*() {
        const renamed = yield* rows.select(
          "request",
          sql`UPDATE ${table} SET id = ${id} WHERE id = ${former} RETURNING id`,
          rows.exists
        )
        if (renamed.length > 0) {
          yield* rows.change("request", sql`UPDATE ${sends} SET request = ${id} WHERE request = ${former}`)
        }
        return renamed.length > 0
      })
    )

  /** IDs of version 1 have a blank. No new ones are written: one look is enough for a process that finds none. */
  let hasFormer = true
  const lookForFormer = Effect.map(
    rows.first("request", sql`SELECT 1 AS one FROM ${table} WHERE id LIKE '% %' LIMIT 1`, rows.exists),
    (row) => {
      hasFormer = row !== undefined
      return hasFormer
    }
  )

  /** Whether there was one of this ID, which has the ID of today then. */
  const renamed = (former: string, id: string) =>
    Effect.gen(function*() {
      return hasFormer && (yield* lookForFormer) && (yield* rename(former, id))
    })

  return { renamed }
}

/**
 * The requests with a key of one chain. The tables are there already. `isKnownPlace` is a condition of a statement: a new key is stored only where
 * it holds, however the database was changed a moment ago. Default: it always does.
 *
 * @category constructors
 */
export const requests = (sql: SqlClient.SqlClient, chain: Chain, isKnownPlace?: Fragment): RequestStore => {
  const table = sql.literal(tables.nameOf("requests", chain))
  const sends = sql.literal(tables.nameOf("sends", chain))
  const effects = sql.literal(tables.nameOf("effects", chain))
  const { isAccepting, ...keys } = keysPart(sql, chain)
  const { renamed } = formerPart(sql, chain)
  const find = (id: string) =>
    rows.first("request", sql`SELECT digest, status, answer FROM ${table} WHERE id = ${id}`, toRequest)

  /** A copy that has the key, and nothing of what its request did, does not know the request: it may have paid after the copy was made. */
  const refusalOfTraceless = (id: string) =>
    Effect.gen(function*() {
      const why = yield* keys.refusal
      const trace = why === undefined ? undefined : yield* rows.first(
        "request",
        sql`SELECT 1 AS one FROM ${sends} WHERE request = ${id} UNION ALL SELECT 1 FROM ${effects} WHERE request = ${id} LIMIT 1`,
        rows.exists
      )
      return trace === undefined ? why : undefined
    })

  const insert = (id: string, digest: Hex, now: number) =>
    rows.select(
      "request",
      sql`INSERT INTO ${table} (id, digest, created) SELECT ${id}, ${bytesOf(digest)}, ${now} WHERE ${isAccepting}
        AND ${isKnownPlace ?? sql`true`} ON CONFLICT DO NOTHING RETURNING id`,
      rows.exists
    )

  return {
    ...keys,
    begin: (id, digest, now, former) =>
      Effect.gen(function*() {
        const known = yield* find(id)
        if (known !== undefined) {
          return (known.answer === undefined ? yield* refusalOfTraceless(id) : undefined) ?? known
        }
        const isRenamed = former !== undefined && (yield* renamed(former, id))
        if (!isRenamed && (yield* insert(id, digest, now)).length > 0) {
          return { digest, answer: undefined, isRepeated: false }
        }
        const elsewhere = isKnownPlace && "the database is another one than a moment ago"
        return (yield* find(id)) ?? (yield* keys.refusal) ?? elsewhere ?? (yield* new StoreFailure({
          operation: "request",
          cause: new Error("a row that was just written is not there")
        }))
      }),
    answer: (id, { body, status }) =>
      rows.change(
        "request",
        sql`UPDATE ${table} SET status = ${status}, answer = ${body} WHERE id = ${id} AND kept = 0`
      ),
    free: forgetting.freeIn(sql, chain),
    forget: forgetting.forgetIn(sql, chain)
  }
}
