/** A pool of sessions of Postgres. One that is silent, that was left in the middle of something, or that leads to a server that is not the primary any more is ended, and never used again. */
import type { EventEmitter } from "node:events"
import { createRequire } from "node:module"
import type { Outage } from "./outages.js"

/** What is used of a client of `pg`, whose types come from another package. */
interface Session extends EventEmitter {
  query: (...values: ReadonlyArray<unknown>) => unknown
  readonly end: () => unknown
  readonly getTransactionStatus: () => string | null
  readonly connection: EventEmitter & {
    readonly stream: EventEmitter & { readonly destroy: (cause: Error) => void }
  }
}

/** What `pg` calls with a session, or with why there is none. */
type Connected = (error: Error | undefined, ...given: ReadonlyArray<unknown>) => void

/** What is used of a pool of `pg`. */
export interface Pool extends EventEmitter {
  connect: (given?: Connected) => unknown
  readonly query: (sql: string) => Promise<{ readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>> }>
  end: () => Promise<void>
}

/** Is told what the sessions meet, too. */
export interface Options extends Outage {
  /** The database by name: its pools tell each other when its sessions have to be made anew. */
  readonly database: string
  readonly url: string
  readonly applicationName: string
  readonly maxConnections: number
  readonly connectMillis: number
  /** How long a session may say nothing while a statement runs. */
  readonly silentMillis: number
}

/** Whether a statement is under way in a session, and how long the session may be silent. */
interface Watch {
  isActive: boolean
  isStale: boolean
  isInUse: boolean
  silentMillis: number
  /** Lets it be silent for no longer than that, also with the statement that is under way. */
  readonly hasten: (silentMillis: number) => void
}

const watches = new WeakMap<object, Watch>()

/** Lets a session be silent for as long as it likes; gives what takes that back. */
export const unbounded = (session: object): () => void => {
  const found = watches.get(session)
  if (found === undefined) return () => {}
  const { silentMillis } = found
  found.silentMillis = Infinity
  return () => void (found.silentMillis = silentMillis)
}

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

/** Ends a session that says nothing for too long while a statement runs. */
const watch = (session: Session, silentMillis: number): Watch => {
  const { connection, query } = session
  let timer: NodeJS.Timeout | undefined
  let heardAt = 0
  const stop = () => {
    found.isActive = false
    clearTimeout(timer)
    timer = undefined
  }
  const look = () => {
    clearTimeout(timer)
    const { silentMillis } = found
    const left = heardAt + silentMillis - performance.now()
    if (left <= 0) {
      const message = `the database has said nothing for ${silentMillis / 1000} seconds`
      connection.stream.destroy(failure("ETIMEDOUT", message))
    } else if (left < Infinity) timer = setTimeout(look, left)
  }
  const found: Watch = {
    isActive: false,
    isStale: false,
    isInUse: false,
    silentMillis,
    hasten: (least) => {
      // What has no limit, such as a migration, keeps none.
      if (found.silentMillis < Infinity) found.silentMillis = Math.min(found.silentMillis, least)
      if (found.isActive) look()
    }
  }
  session.query = (...values) => {
    found.isActive = true
    heardAt = performance.now()
    if (timer === undefined) look()
    return query.call(session, ...values)
  }
  connection.stream.on("data", () => void (heardAt = performance.now()))
  // Before the callbacks of the statement, which may begin the next one or give the session back.
  for (const event of ["readyForQuery", "errorMessage", "portalSuspended", "end"]) {
    connection.prependListener(event, stop)
  }
  return found
}

const { resolve } = createRequire(import.meta.url)

/** What is used of `pg`. */
export interface Pg {
  readonly Pool: new(options: object) => Pool
}

/** The `pg` of `@effect/sql-pg`; in a bundle, which has both inside, its own. Both are `any`: the part that is used is typed above. */
export const load = async (): Promise<Pg> => {
  try {
    return createRequire(resolve("@effect/sql-pg/PgClient"))("pg")
  } catch {
    // @ts-expect-error: it brings no types.
    return (await import("pg")).default
  }
}

/** The error of a pool that is in use: nothing failed but the wait. */
const isBusy = ({ message }: Error): boolean => message === "timeout exceeded when trying to connect"

/** Tells of sessions that could not be made. */
const tellOfConnects = (pool: Pool, { failed }: Outage): void => {
  const { connect } = pool
  pool.connect = (given) =>
    connect.call(
      pool,
      given && ((error, ...rest) => {
        if (error !== undefined && error !== null && !isBusy(error)) failed(error)
        given(error, ...rest)
      })
    )
}

/** What becomes of the sessions of a pool that are in use. */
type Expiry = (inUse: (session: Session, found: Watch) => void) => void

/** The pools of this process, by database. */
const expiring = new Map<string, Set<Expiry>>()

const expired = (): Error => failure("ECONNRESET", "the session was ended: the database has to be connected to anew")

/** A pool, and what ends all of its sessions; those that the pool opens then are new. */
export const make = ({ Pool }: Pg, options: Options): { readonly pool: Pool; readonly renew: () => void } => {
  const pool = new Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.maxConnections,
    connectionTimeoutMillis: options.connectMillis,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000
  })
  const { answered, failed } = options
  tellOfConnects(pool, options)
  const sessions = new Map<Session, Watch>()
  const expire: Expiry = (inUse) => {
    for (const [session, found] of sessions) {
      found.isStale = true
      // The pool drops an idle session that has an error.
      if (found.isInUse) inUse(session, found)
      else session.emit("error", expired())
    }
  }
  const ofDatabase = expiring.get(options.database) ?? new Set()
  expiring.set(options.database, ofDatabase.add(expire))
  const { end } = pool
  pool.end = () => {
    ofDatabase.delete(expire)
    return end.call(pool)
  }
  const expireAll: Expiry = (inUse) => {
    for (const one of ofDatabase) one(inUse)
  }
  pool.on("error", () => {})
  pool.on("connect", (session: Session) => {
    const found = watch(session, options.silentMillis)
    sessions.set(session, found)
    watches.set(session, found)
    session.connection.on("readyForQuery", answered)
    session.connection.on("errorMessage", (error: { readonly code?: unknown }) => {
      failed(error)
      // After a failover, the sessions of the old primary can only read.
      if (error.code === "25006") expireAll(() => {})
    })
    session.on("error", (error) => {
      if (found.isStale) return
      failed(error)
      // Whatever has silenced one may have silenced the others, of which each would take as long to be noticed, or longer.
      if ("code" in error && error.code === "ETIMEDOUT") expireAll((_, other) => other.hasten(found.silentMillis))
    })
  })
  pool.on("remove", (session: Session) => sessions.delete(session))
  pool.on("acquire", (session: Session) => {
    const found = sessions.get(session)
    if (found !== undefined) found.isInUse = true
  })
  pool.on("release", (_: unknown, session: Session) => {
    const found = sessions.get(session)
    if (found === undefined) return
    found.isInUse = false
    if (found.isStale || found.isActive || session.getTransactionStatus() !== "I") session.end()
  })
  return { pool, renew: () => expire((session) => session.connection.stream.destroy(expired())) }
}
