/** A Postgres in a temporary folder, from the programs of Debian's package, for the time of a drill. */
import { execFileSync, spawn } from "node:child_process"
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Postgres {
  /** The folder of its socket. It listens nowhere else. */
  readonly host: string
  readonly stop: () => Promise<void>
}

const packaged = "/usr/lib/postgresql"

const programs = (): string | undefined =>
  !existsSync(packaged) ? undefined : readdirSync(packaged).sort((a, b) => Number(b) - Number(a))
    .map((version) => join(packaged, version, "bin")).find((bin) => existsSync(join(bin, "initdb")))

/** It refuses to run as root; then it runs as the user of Debian's package, or as nobody. */
const unprivileged = (): { readonly uid?: number; readonly gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  for (const name of ["postgres", "nobody"]) {
    try {
      const of = (flag: string): number =>
        Number(execFileSync("id", [flag, name], { stdio: ["ignore", "pipe", "ignore"] }))
      return { uid: of("-u"), gid: of("-g") }
    } catch {
      // There is no such user.
    }
  }
  return {}
}

/** Starts one; nothing if this machine has no Postgres. */
export const start = async (): Promise<Postgres | undefined> => {
  const bin = programs()
  if (bin === undefined) return undefined
  const user = unprivileged()
  const folder = mkdtempSync(join(tmpdir(), "exports-postgres-"))
  const data = join(folder, "data")
  mkdirSync(data)
  if (user.uid !== undefined && user.gid !== undefined) {
    for (const dir of [folder, data]) chownSync(dir, user.uid, user.gid)
  }
  execFileSync(join(bin, "initdb"), ["-D", data, "-U", "drill", "--auth=trust", "-E", "UTF8", "--no-sync"], {
    ...user,
    cwd: folder,
    stdio: "ignore"
  })
  const server = spawn(join(bin, "postgres"), ["-D", data, "-k", folder, "-c", "listen_addresses="], {
    ...user,
    cwd: folder,
    stdio: "ignore"
  })
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()))
  for (let tries = 0; tries < 100; tries++) {
    try {
      execFileSync(join(bin, "pg_isready"), ["-h", folder, "-q"], { stdio: "ignore" })
      break
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  return {
    host: folder,
    stop: async () => {
      server.kill("SIGINT")
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
