/** The processes of the drill, as their parent sees them. */
import type { Role } from "@effect-klaytn/gateway/Gateway"
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { createInterface } from "node:readline"
import type { Mining } from "../../packages/sandbox/src/Chain.js"
import type { Names } from "../sandbox/dataPages.js"

/** What the node is started with. */
export interface NodeJob {
  readonly database: string
  readonly port: number
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** When blocks are built. Default: with every transaction. */
  readonly mining?: Mining
  /** Whether it lists the coin that contracts move. Default: false. */
  readonly internalTransfers?: boolean
}

/** What the gateway is started with. */
export interface GatewayJob {
  readonly database: string
  /** The schema of a database in Postgres. */
  readonly schema?: string
  /** What the gateway does of an index in Postgres. */
  readonly role?: Role
  readonly port: number
  /** The address of the node. */
  readonly node: string
  /** Whether transactions are traced. Default: false. */
  readonly trace?: boolean
  /** The master key of a wallet in Postgres. */
  readonly walletKey?: string
  /** The most that the wallet pays for a unit of gas, in peb. */
  readonly maxGasPrice?: string
  /** Pools of the wallet beside `default`. */
  readonly pools?: ReadonlyArray<string>
}

/** What the node is asked for. */
export interface NodeOrder {
  readonly verb: "begin" | "transfers" | "operations" | "fork" | "names"
  readonly seed: string
  readonly blocks: number
}

/** What the node answers when it has done that: its height, and the names if it was asked for them. */
export interface NodeAnswer {
  readonly head: number
  readonly names?: Names
}

export const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/** A port that is free now. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject).listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** Bytes of memory of a process, as Linux says; 0 elsewhere. */
const memoryOf = (pid: number | undefined): number => {
  const file = `/proc/${pid}/status`
  const [, kilobytes = "0"] = existsSync(file) ? /^VmRSS:\s+(\d+)/m.exec(readFileSync(file, "utf8")) ?? [] : []
  return Number(kilobytes) * 1024
}

/** A process that is killed and started again. It writes `{"ready": ...}` when it serves, and an answer to each line. */
export class Place<Order extends { readonly verb: string } = never, Answer = never> {
  readonly #script: string
  readonly #job: unknown
  #child: ChildProcess | undefined
  #ready: Promise<void> = Promise.resolve()
  #answer: ((answer: Answer | undefined) => void) | undefined
  /** What the process wrote last. */
  #lines: ReadonlyArray<string> = []
  kills = 0
  freezes = 0
  /** How many orders of each kind were given. */
  readonly orders = new Map<string, number>()
  /** Ends that were no kill, with what the process wrote last. */
  readonly ends: Array<string> = []

  constructor(script: string, job: unknown) {
    this.#script = script
    this.#job = job
  }

  /** Starts the process, and again whenever it ends by itself. Completes when it serves. */
  start(): Promise<void> {
    const child = spawn(process.execPath, ["--enable-source-maps", this.#script], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, DRILL_JOB: JSON.stringify(this.#job) }
    })
    this.#child = child
    this.#ready = new Promise((resolve) => {
      createInterface({ input: child.stdout }).on("line", (text) => {
        // A line that was cut by a kill is no line.
        if (!text.startsWith("{") || !text.endsWith("}")) {
          if (text.includes("level=ERROR")) process.stderr.write(`${text.slice(0, 600)}\n`)
          return
        }
        const line = JSON.parse(text) as Answer & { readonly ready?: string }
        if (line.ready !== undefined) return resolve()
        this.#answer?.(line)
      })
      child.on("exit", (code) => {
        if (this.#child !== child) return
        this.ends.push(`code ${code}: ${this.#lines.join("; ")}`)
        this.#answer?.(undefined)
        // Orders wait until the process serves again, and so does a start that ended before it served.
        this.#ready = pause(500).then(() => this.#child === child ? this.start() : undefined)
        resolve(this.#ready)
      })
    })
    child.stdin.on("error", () => {})
    createInterface({ input: child.stderr }).on("line", (text) => {
      this.#lines = [...this.#lines.slice(-29), text]
    })
    return this.#ready
  }

  /** Passes an order on, and gives the answer; none if the process ends before. */
  async ask(order: Order): Promise<Answer | undefined> {
    await this.#ready
    this.orders.set(order.verb, (this.orders.get(order.verb) ?? 0) + 1)
    return new Promise((resolve) => {
      this.#answer = resolve
      this.#child?.stdin?.write(`${JSON.stringify(order)}\n`)
    })
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Its memory in bytes. */
  memory(): number {
    return memoryOf(this.#child?.pid)
  }

  /** Stops the process for a while, as a machine that hangs does. */
  async freeze(millis: number): Promise<void> {
    const child = this.#child
    this.freezes++
    child?.kill("SIGSTOP")
    await pause(millis)
    child?.kill("SIGCONT")
  }

  /** Ends the process at once, as a machine that fails does. */
  kill(): void {
    const child = this.#child
    this.#child = undefined
    this.#answer?.(undefined)
    this.kills++
    child?.kill("SIGKILL")
  }
}
