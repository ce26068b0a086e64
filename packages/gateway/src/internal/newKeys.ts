/**
 * Whether a wallet may take an `Idempotency-Key` that it does not know. In a wallet that was restored, or that is an older copy, such a
 * key may have paid before. The last line of the audit log is kept outside of the database: beside the file of a wallet, in FILE.head. A
 * wallet in Postgres knows the server, the timeline, the database and the table that it was written on.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import type { AuditHead, AuditLog } from "@effect-klaytn/custody/AuditLog"
import { StoreFailure } from "@effect-klaytn/custody/CustodyError"
import * as CustodyTables from "@effect-klaytn/custody/CustodyTables"
import * as SqlSendStore from "@effect-klaytn/custody/SqlSendStore"
import * as DatabaseLog from "@effect-klaytn/store/DatabaseLog"
import * as NewFile from "@effect-klaytn/store/NewFile"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { readFileSync } from "node:fs"
import type { GatewayError } from "../GatewayError.js"
import * as postgres from "./postgres.js"
import * as refusals from "./startRefusals.js"

/** A wallet that is open. */
export interface Opened {
  readonly sql: SqlClient
  readonly audit: Pick<AuditLog, "after" | "last">
  readonly chain: Chain
  /** Its file, or its place in Postgres. */
  readonly file: string
}

type Failing = { readonly message: string }

const refuse = ({ message }: Failing): GatewayError => refusals.wallet(message)

export const headFile = (file: string): string => `${file}.head`

/** Whether a file names the last line of a wallet. */
export const hasHead = (file: string): boolean => !postgres.isAddress(file) && readHead(file) !== undefined

/** What the file beside a wallet names; undefined if there is none. */
const readHead = (file: string): AuditHead | undefined => {
  try {
    const [, number, hash] = /^(\d{1,15}):0x([0-9a-f]{64})\n$/.exec(readFileSync(headFile(file), "utf8")) ?? []
    return number === undefined || hash === undefined ? undefined : { number: Number(number), hash: `0x${hash}` }
  } catch {
    return undefined
  }
}

const writeHead = (file: string, { hash, number }: AuditHead) =>
  refusals.attempt(() => NewFile.replace(headFile(file), `${number}:${hash}\n`))

/** The fact that says where the keys of a wallet are known. */
const fact = "keys are known at"

const factsOf = (sql: SqlClient, chain: Chain) => sql(CustodyTables.nameOf("facts", chain))

const readFact = (sql: SqlClient, chain: Chain) =>
  Effect.map(
    sql<{ readonly value: string }>`SELECT value FROM ${factsOf(sql, chain)} WHERE name = ${fact}`,
    ([row]) => row?.value
  )

const writeFact = (sql: SqlClient, chain: Chain, value: string) =>
  sql`INSERT INTO ${factsOf(sql, chain)} (name, value) VALUES (${fact}, ${value})
    ON CONFLICT (name) DO UPDATE SET value = ${value}`

/**
 * The server and the timeline of a Postgres, and the numbers of the database and of the table of requests: a server that takes over, or is
 * restored, goes on in another timeline, and a dump that is played back makes tables with other numbers. Fails if the role may not ask.
 */
const placeIn = (sql: SqlClient, chain: Chain) =>
  sql`concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
    substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), (SELECT oid FROM pg_database WHERE datname = current_database()),
    to_regclass(${CustodyTables.nameOf("requests", chain)})::oid)`

const askServer = (sql: SqlClient, chain: Chain) =>
  Effect.map(
    sql<{ readonly place: string }>`SELECT ${placeIn(sql, chain)} AS place`,
    ([row]) => row?.place
  )

/** The same; undefined if that can't be told. */
const serverOf = (sql: SqlClient, chain: Chain) => Effect.orElseSucceed(askServer(sql, chain), () => undefined)

/**
 * Whether this place is another one than that where the keys are known. Earlier versions have written the server and the timeline alone, or
 * "" where the server could not be told.
 */
const isElsewhere = (sql: SqlClient, chain: Chain): Fragment =>
  sql`EXISTS (SELECT 1 FROM ${factsOf(sql, chain)}, (SELECT ${placeIn(sql, chain)} AS place) here
    WHERE name = ${fact} AND value <> '' AND place <> value AND place NOT LIKE value || '/%')`

/** The same at once; false if the server does not tell its place. */
const hasMoved = (sql: SqlClient, chain: Chain) =>
  sql<{ readonly moved: boolean }>`SELECT ${isElsewhere(sql, chain)} AS moved`.pipe(
    Effect.match({ onFailure: () => false, onSuccess: ([row]) => row?.moved === true })
  )

/**
 * Whether keys are known at this place, as a condition of the statement that stores a key: a connection may be to another server than the
 * last look was. Undefined for a file, and for a server that does not tell its place.
 */
export const knownPlace = (
  { chain, file, sql }: Pick<Opened, "chain" | "file" | "sql">
): Effect.Effect<Fragment | undefined> =>
  Effect.map(
    postgres.isAddress(file) ? serverOf(sql, chain) : Effect.succeed(undefined),
    (server) => server === undefined ? undefined : sql`NOT ${isElsewhere(sql, chain)}`
  )

/** Tells, at the start, that a takeover is not seen. */
const tellUnseen = (sql: SqlClient, chain: Chain) =>
  Effect.catchAll(Effect.asVoid(askServer(sql, chain)), ({ cause }) =>
    Effect.logWarning(
      "the server of Postgres can't be told: after a takeover or a restore of it, run klaytn gateway wallet accept-keys only when you " +
        "have compared what was paid, and stop the gateway until then; or let its role execute pg_control_system()",
      cause
    ))

const database = <A, E extends { readonly cause?: unknown }>(effect: Effect.Effect<A, E>) =>
  Effect.mapError(effect, ({ cause }) => refusals.database(cause))

/** Why new keys are refused at this place; undefined if they are not. */
const problemOf = ({ audit, chain, file, sql }: Opened): Effect.Effect<string | undefined, GatewayError> =>
  Effect.gen(function*() {
    const known = yield* database(readFact(sql, chain))
    if (postgres.isAddress(file)) {
      return (yield* hasMoved(sql, chain))
        ? "the database is a copy, or another server has taken it over: it may lack the last keys"
        : undefined
    }
    const head = readHead(file)
    if (head === undefined) {
      return known === undefined ? undefined : `there is no ${headFile(file)}: the wallet is a copy, maybe an older one`
    }
    const [line] = yield* Effect.mapError(audit.after(head.number - 1), refuse)
    return line?.number === head.number && line.hash === head.hash
      ? undefined
      : `the wallet is an older copy: it lacks line ${head.number} of its audit log, which ${headFile(file)} names`
  })

/** Remembers this place as the one where all keys are known. */
const remember = ({ audit, chain, file, sql }: Opened): Effect.Effect<void, GatewayError> =>
  Effect.gen(function*() {
    const isFile = !postgres.isAddress(file)
    const last = yield* Effect.mapError(audit.last, refuse)
    if (isFile && last !== undefined) yield* writeHead(file, last)
    const place = isFile ? last && "FILE.head" : yield* serverOf(sql, chain)
    if (place !== undefined) yield* database(writeFact(sql, chain, place))
  })

/** What the log says where this place can't be remembered. */
export const unkept = (file: string, why: string): string =>
  postgres.isAddress(file)
    ? `it is not known whether the wallet is an older copy: ${why}`
    : `the last line of the audit log is not kept in ${
      headFile(file)
    }: an older copy of the wallet would not be noticed: ${why}`

/** How long the file beside a wallet is behind at most. */
const every = "1 second"

/**
 * Looks whether the wallet is a copy, and refuses new keys from then on if so; goes on looking, and remembering the last line, for the
 * time of a scope.
 */
export const watch = (opened: Opened): Effect.Effect<void, GatewayError, Scope.Scope> =>
  Effect.gen(function*() {
    if (opened.file === ":memory:") return
    const requests = SqlSendStore.requests(opened.sql, opened.chain)
    if (postgres.isAddress(opened.file)) yield* tellUnseen(opened.sql, opened.chain)
    let written = 0
    const look = Effect.gen(function*() {
      const problem = yield* problemOf(opened)
      if (problem !== undefined) yield* Effect.mapError(requests.refuseNew(problem), refuse)
      return (yield* Effect.mapError(requests.refusal, refuse)) === undefined
    })
    const turn = Effect.gen(function*() {
      const last = yield* Effect.mapError(opened.audit.last, refuse)
      if (last?.number === written && !postgres.isAddress(opened.file)) return
      if (!(yield* look)) return
      if (!postgres.isAddress(opened.file)) yield* remember(opened)
      written = last?.number ?? 0
    })
    if (yield* look) yield* remember(opened)
    const why = yield* Effect.mapError(requests.refusal, refuse)
    if (why !== undefined) {
      yield* Effect.logWarning(
        `each Idempotency-Key that the wallet does not know is refused until its owner runs klaytn gateway wallet accept-keys: ${why}`
      )
    }
    yield* Effect.addFinalizer(() => Effect.ignore(turn))
    let told = ""
    /** The file of a wallet may be refused each second, until somebody does something about it: the log says it once. */
    const tell = ({ message }: GatewayError) => {
      const text = unkept(opened.file, message)
      return DatabaseLog.waiting(text).pipe(
        Effect.unless(() => text === told),
        Effect.zipRight(Effect.sync(() => told = text))
      )
    }
    const kept = Effect.zipRight(turn, Effect.sync(() => told = ""))
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.sleep(every), Effect.catchAll(kept, tell))))
  })

/** What a restored wallet knows of keys: nothing of later requests, and no place where all are known. */
export const forgetPlace = (sql: SqlClient, chain: Chain): Effect.Effect<void, StoreFailure> =>
  Effect.zipRight(
    SqlSendStore.requests(sql, chain).refuseNew(
      "the wallet was restored from a backup, which lacks the keys of later requests"
    ),
    sql`DELETE FROM ${factsOf(sql, chain)} WHERE name = ${fact}`.pipe(
      Effect.mapError((cause) => new StoreFailure({ operation: "restore", cause })),
      Effect.asVoid
    )
  )

/** Accepts keys that the wallet does not know, from this place on. */
export const accept = (opened: Opened): Effect.Effect<void, GatewayError> =>
  Effect.zipRight(
    remember(opened),
    Effect.mapError(SqlSendStore.requests(opened.sql, opened.chain).acceptNew, refuse)
  )
