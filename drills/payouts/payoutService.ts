/** The service that the drill pays through: a sandbox that can be restarted, and a relay whose connections can be cut. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { createInterface } from "node:readline"

/** What the sandbox is told when it starts. */
export interface SandboxJob {
  readonly database: string
  readonly port: number
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** A sandbox in a process of its own. */
export class SandboxProcess {
  url = ""
  child: ChildProcess | undefined

  constructor(readonly script: string, readonly job: Omit<SandboxJob, "port">) {}

  /** Starts it, at the address that it had before. */
  async start(): Promise<void> {
    const job: SandboxJob = { ...this.job, port: this.url === "" ? 0 : Number(new URL(this.url).port) }
    const child = spawn(process.execPath, ["--enable-source-maps", this.script], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, PAYOUTS_DRILL_SANDBOX: JSON.stringify(job) }
    })
    this.child = child
    this.url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once("line", resolve)
      child.once("exit", (code) => reject(new Error(`the sandbox ended with ${code}`)))
    })
  }

  async stop(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const { child } = this
    this.child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, "exit")
    child.kill(signal)
    await ended
  }

  /** Every other time without a chance to close its database. What waits in its pool is lost then. */
  async restart(turn: number): Promise<void> {
    await this.stop(turn % 2 === 0 ? "SIGKILL" : "SIGTERM")
    await this.start()
  }

  /** Posts to its control interface. */
  async control(path: string, body: object): Promise<void> {
    const response = await fetch(`${this.url}/_sandbox/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    if (!response.ok) throw new Error(`the sandbox answered ${response.status} to ${path}: ${await response.text()}`)
    await response.arrayBuffer()
  }

  /** Sends coin from the faucet. */
  fund(to: string, amount: bigint): Promise<void> {
    return this.control("chains/1001/fund", { to, amount: String(amount) })
  }
}

/** A port on loopback whose connections lead to another port, until they are cut. */
export class Relay {
  readonly sockets = new Set<Socket>()
  readonly server = createServer((near) => {
    const far = connect(this.target, "127.0.0.1")
    for (const [one, other] of [[near, far], [far, near]] as const) {
      this.sockets.add(one)
      one.setNoDelay(true)
      one.pipe(other)
      one.on("error", () => other.destroy())
      one.on("close", () => {
        this.sockets.delete(one)
        other.destroy()
      })
    }
  })

  constructor(readonly target: number) {}

  /** Starts to listen, and returns its port. */
  async open(): Promise<number> {
    this.server.listen(0, "127.0.0.1")
    await once(this.server, "listening")
    const { port } = this.server.address() as AddressInfo // it listens on a port, not on a path
    return port
  }

  /** Cuts all connections at once, and says how many there were. */
  cut(): number {
    const { size } = this.sockets
    for (const socket of this.sockets) socket.resetAndDestroy()
    return size / 2
  }

  close(): void {
    this.server.close()
    this.cut()
  }
}
