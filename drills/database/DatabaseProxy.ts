/** A way to a Postgres that can be in the way: connections through it are cut, lose what is sent, or get no answer. */
import { connect, createServer, type Server, type Socket } from "node:net"

/**
 * What becomes of connections.
 *
 * - `pass`: all that is sent arrives.
 * - `swallow`: nothing arrives, on either side, and nothing is ever delivered later.
 * - `deaf`: what the program sends arrives, and no answer does.
 * - `silent`: a new connection is taken, and leads nowhere.
 * - `refuse`: there is nobody.
 */
type Mode = "pass" | "swallow" | "deaf" | "silent" | "refuse"

interface Pair {
  readonly client: Socket
  readonly server: Socket
  /** Which sides are lost for good. */
  isUpLost: boolean
  isDownLost: boolean
}

export class DatabaseProxy {
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  readonly #quiet = new Set<Socket>()
  #target: URL
  #mode: Mode = "pass"

  private constructor(target: URL) {
    this.#target = target
    this.#server = createServer((client) => this.#take(client))
  }

  static start(target: URL): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(target)
    return new Promise((resolve) => proxy.#server.listen(0, "127.0.0.1", () => resolve(proxy)))
  }

  /** The address by way of this. */
  get url(): URL {
    const address = this.#server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return Object.assign(new URL(this.#target), { host: `127.0.0.1:${port}` })
  }

  /** Leads new connections to another server. */
  leadTo(target: URL): void {
    this.#target = target
  }

  /** What becomes of connections from now on; those that lose something stay lost. */
  set(mode: Mode): void {
    this.#mode = mode
    for (const pair of this.#pairs) this.#mark(pair)
    if (mode === "silent" || mode === "refuse") this.cut()
    if (mode === "pass") {
      for (const socket of this.#quiet) socket.destroy()
    }
  }

  /** Loses all connections that are there, without a word. New ones are as before. */
  vanish(): void {
    for (const pair of this.#pairs) pair.isUpLost = pair.isDownLost = true
  }

  /** Ends all connections that are there. */
  cut(): void {
    for (const { client, server } of this.#pairs) {
      client.destroy()
      server.destroy()
    }
  }

  close(): void {
    this.#server.close()
    this.cut()
    for (const socket of this.#quiet) socket.destroy()
  }

  #mark(pair: Pair): void {
    if (this.#mode === "swallow") pair.isUpLost = true
    if (this.#mode === "swallow" || this.#mode === "deaf") pair.isDownLost = true
  }

  #take(client: Socket): void {
    client.on("error", () => {})
    if (this.#mode === "refuse") return void client.resetAndDestroy()
    if (this.#mode === "silent") {
      this.#quiet.add(client.resume())
      client.once("close", () => this.#quiet.delete(client))
      return
    }
    const server = connect(Number(this.#target.port), this.#target.hostname).on("error", () => client.destroy())
    const pair: Pair = { client, server, isUpLost: false, isDownLost: false }
    this.#pairs.add(pair)
    this.#mark(pair)
    client.on("data", (bytes) => void (pair.isUpLost || server.write(bytes)))
    server.on("data", (bytes) => void (pair.isDownLost || client.write(bytes)))
    // The end of a side that is lost does not arrive either. What nobody can reach any more is ended here.
    client.once("close", () => {
      this.#pairs.delete(pair)
      server.destroy()
    })
    server.once("close", () => void (pair.isDownLost || client.destroy()))
  }
}
