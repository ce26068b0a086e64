/**
 * A Postgres of its own for a drill, in a temporary folder, on loopback: from the programs that Debian's `postgresql`
 * installs, run by an unprivileged user where the drill is root. It ends, and its folder goes, with the scope.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SmallDisk } from "../gateway/SmallDisk.js"

/** Why there is none, in one sentence. */
export class NoPostgres extends Data.TaggedError("NoPostgres")<{ readonly message: string }> {}

const versions = "/usr/lib/postgresql"

/** The folder of the newest version's programs, or none. */
const programs = (): string | undefined =>
  (existsSync(versions) ? readdirSync(versions) : [])
    .sort((left, right) => Number(right) - Number(left))
    .map((version) => join(versions, version, "bin"))
    .find((folder) => existsSync(join(folder, "initdb")))

/** Whether there are programs to start a server with. */
export const isInstalled = (): boolean => programs() !== undefined

interface User {
  readonly uid?: number
  readonly gid?: number
}

/** Postgres refuses to run as root. */
const unprivileged = (): User => {
  if (process.getuid?.() !== 0) return {}
  const idOf = (what: "-u" | "-g"): number => Number(execFileSync("id", [what, "postgres"], { encoding: "utf8" }))
  return { uid: idOf("-u"), gid: idOf("-g") }
}

const freePort = Effect.async<number, NoPostgres>((resume) => {
  const server = createServer()
  server.once("error", ({ message }) => resume(Effect.fail(new NoPostgres({ message }))))
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

const started = (server: ChildProcess): Effect.Effect<void, NoPostgres> =>
  Effect.async((resume) => {
    let output = ""
    server.stderr?.on("data", (chunk: Buffer) => {
      output += chunk.toString()
      if (/ready to accept (read-only )?connections/.test(output)) resume(Effect.void)
    })
    server.once("error", ({ message }) => resume(Effect.fail(new NoPostgres({ message }))))
    server.once("exit", (code) =>
      resume(Effect.fail(new NoPostgres({ message: `postgres exited with ${code}: ${output}` }))))
  })

/** Postgres' own names for two ways to shut down. */
const signals = { fast: "SIGINT", immediate: "SIGQUIT" } as const

const ended = (server: ChildProcess, shutdown: keyof typeof signals): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    if (server.exitCode !== null || server.signalCode !== null) return resume(Effect.void)
    server.once("exit", () => resume(Effect.void))
    server.kill(signals[shutdown])
  }).pipe(Effect.timeoutTo({
    duration: "10 seconds",
    onSuccess: () => undefined,
    onTimeout: () => void server.kill("SIGKILL")
  }))

/** A server with an empty database. */
export interface Postgres {
  readonly url: Redacted.Redacted
  /** Ends the server, and starts it again at the same address: `fast` as an operator does, `immediate` as a crash does. */
  readonly restart: (shutdown: "fast" | "immediate") => Effect.Effect<void, NoPostgres>
  readonly end: (shutdown: "fast" | "immediate") => Effect.Effect<void>
}

/** Where a server keeps its data, and how it is called. */
interface Site {
  readonly folder: string
  readonly user: User
  readonly home: string
  readonly data: string
}

/** A folder of the user that runs servers, which goes with the scope. */
const siteOf = (data: (home: string) => string): Effect.Effect<Site, NoPostgres, Scope.Scope> =>
  Effect.gen(function*() {
    const folder = programs()
    if (folder === undefined) {
      return yield* new NoPostgres({ message: "There is no Postgres on this machine (Debian's package: postgresql)." })
    }
    const user = yield* Effect.try({
      try: unprivileged,
      catch: () =>
        new NoPostgres({ message: "Postgres refuses to run as root, and there is no user postgres to run it." })
    })
    const home = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "postgres-drill-"))),
      (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
    )
    if (user.uid !== undefined && user.gid !== undefined) chownSync(home, user.uid, user.gid)
    return { folder, user, home, data: data(home) }
  })

/** Runs one of the programs to its end. */
const run = ({ folder, home, user }: Site, program: string, ...args: ReadonlyArray<string>) =>
  Effect.try({
    try: () => void execFileSync(join(folder, program), args, { ...user, cwd: home, stdio: "pipe" }),
    catch: (error) => new NoPostgres({ message: `${program} failed: ${String(error)}` })
  })

/** Starts a server on data that are there. */
const serve = ({ data, folder, home, user }: Site): Effect.Effect<Postgres, NoPostgres, Scope.Scope> =>
  Effect.gen(function*() {
    const port = yield* freePort
    const settings = ["listen_addresses=127.0.0.1", `port=${port}`, `unix_socket_directories=${home}`, "fsync=off"]
    const spawned = Effect.sync(() =>
      spawn(join(folder, "postgres"), ["-D", data, ...settings.flatMap((setting) => ["-c", setting])], {
        ...user,
        cwd: home,
        stdio: ["ignore", "ignore", "pipe"]
      })
    )
    const ready = (server: ChildProcess) =>
      started(server).pipe(Effect.timeoutFail({
        duration: "1 minute",
        onTimeout: () => new NoPostgres({ message: "Postgres was not ready after a minute." })
      }))
    const server = yield* Effect.acquireRelease(
      Effect.flatMap(spawned, (first) => Ref.make(first)),
      (server) => Effect.flatMap(Ref.get(server), (last) => ended(last, "fast"))
    )
    yield* Effect.flatMap(Ref.get(server), ready)
    const end = (shutdown: "fast" | "immediate") => Effect.flatMap(Ref.get(server), (last) => ended(last, shutdown))
    return {
      url: Redacted.make(`postgres://drill:not-a-secret@127.0.0.1:${port}/postgres`),
      end,
      restart: (shutdown) =>
        Effect.gen(function*() {
          yield* end(shutdown)
          const next = yield* spawned
          yield* Ref.set(server, next)
          yield* ready(next)
        })
    }
  })

const initdb = ["-U", "drill", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]

/** Starts a server that can be restarted; it ends with the scope. */
export const restartable: Effect.Effect<Postgres, NoPostgres, Scope.Scope> = Effect.gen(function*() {
  const site = yield* siteOf((home) => join(home, "data"))
  yield* run(site, "initdb", "-D", site.data, ...initdb)
  return yield* serve(site)
})

/** A primary on a disk of its own, and a hot standby that has all that was committed. */
export interface Replicated {
  readonly primary: Postgres
  readonly standby: Postgres
  /** The disk of the primary's tables; undefined where this process may not mount one. */
  readonly disk: SmallDisk | undefined
}

/** How many megabytes of tables fit beside those of an empty server. */
const megabytes = 160

/** Starts a primary and a standby; both end with the scope. */
export const replicated: Effect.Effect<Replicated, NoPostgres, Scope.Scope> = Effect.gen(function*() {
  const site = yield* siteOf((home) => join(home, "disk", "data"))
  const { gid = -1, uid = -1 } = site.user
  const disk = yield* Effect.acquireRelease(
    Effect.sync(() => SmallDisk.mount(join(site.home, "disk"), megabytes)),
    (disk) => Effect.sync(() => disk?.unmount())
  )
  if (uid >= 0) chownSync(join(site.home, "disk"), uid, gid)
  // Without room for its log, a server ends.
  yield* run(site, "initdb", "-D", site.data, "--waldir", join(site.home, "wal"), ...initdb)
  const primary = yield* serve(site)
  const copy = yield* siteOf((home) => join(home, "data"))
  const { port } = new URL(Redacted.value(primary.url))
  const from = ["-h", "127.0.0.1", "-p", port, "-U", "drill"]
  yield* run(copy, "pg_basebackup", "-D", copy.data, ...from, "-R", "-X", "stream", "-c", "fast", "--no-sync")
  const standby = yield* serve(copy)
  const sql = (statement: string) => run(site, "psql", ...from, "-d", "postgres", "-qc", statement)
  yield* sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
  yield* sql("SELECT pg_reload_conf()")
  return { primary, standby, disk }
})

/** The address of an empty database. */
export const temporary: Effect.Effect<Redacted.Redacted, NoPostgres, Scope.Scope> = Effect.map(
  restartable,
  ({ url }) => url
)
