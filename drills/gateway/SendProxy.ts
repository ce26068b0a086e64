/** A proxy between a wallet and its node that loses, delays and doubles what is sent. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Random } from "../../packages/sandbox/src/internal/Random.js"
import { pause } from "./processes.js"

/** What becomes of a request, or of its answer. */
export const sendFaults = [
  "request lost",
  "answer lost",
  "answer late",
  "request doubled",
  "request late",
  "refused"
] as const

/** What a door in front of a node answers that is too busy, or has no node behind it. */
const busy = [429, 502, 503] as const

const textOf = async (message: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

/** A proxy with seeded faults. */
export class SendProxy {
  readonly counts = new Map<string, number>()
  /** The share of requests that meet a fault. */
  share = 0
  /** What is answered in place of the node's answer. */
  lie: (asked: string, answered: string) => string = (_, answered) => answered
  readonly #target: string
  readonly #random: Random
  readonly #server: Server

  constructor(target: string, random: Random) {
    this.#target = target
    this.#random = random
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy())
    })
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve) => this.#server.listen(port, "127.0.0.1", resolve))
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #pass(body: string): Promise<{ readonly status: number; readonly text: string }> {
    const answer = await fetch(this.#target, {
      method: "POST",
      body,
      headers: { "content-type": "application/json" }
    })
    return { status: answer.status, text: await answer.text() }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request)
    const fault = this.#random.fraction() < this.share ? this.#random.pick(sendFaults) : undefined
    if (fault !== undefined) this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1)
    if (fault === "request lost") return void response.destroy()
    if (fault === "refused") {
      response.writeHead(this.#random.pick(busy) ?? 503, { "content-type": "text/html" })
      return void response.end("<html><body>try again</body></html>")
    }
    if (fault === "request late") {
      // The wallet hears nothing, and the node gets it when much else has happened.
      response.destroy()
      await pause(this.#random.between(200, 3000))
      await this.#pass(body).catch(() => undefined)
      return
    }
    if (fault === "request doubled") await this.#pass(body)
    const { status, text } = await this.#pass(body)
    if (fault === "answer lost") return void response.destroy()
    if (fault === "answer late") await pause(this.#random.between(200, 4000))
    response.writeHead(status, { "content-type": "application/json" }).end(this.lie(body, text))
  }
}
