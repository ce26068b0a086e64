/** A node in front of another one that lies about the number of an account's transactions, now and then. */
import { once } from "node:events"
import * as http from "node:http"
import type { AddressInfo } from "node:net"

interface Call {
  readonly id: unknown
  readonly method: string
}

interface Answer {
  readonly id: unknown
  result?: unknown
}

const listOf = <A>(one: A | ReadonlyArray<A>): ReadonlyArray<A> => Array.isArray(one) ? one : [one as A] // no list

const bodyOf = async (message: http.IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of message) text += String(chunk)
  return text
}

export class LyingNode {
  url = ""
  lies = 0
  isLying = true
  readonly agent = new http.Agent({ keepAlive: true })
  readonly server = http.createServer((request, response) => {
    this.pass(request, response).catch(() => response.destroy())
  })

  /** One count in `oneIn` is a lie. */
  constructor(readonly target: () => string, readonly oneIn: number, readonly random: () => number) {}

  async open(): Promise<void> {
    this.server.listen(0, "127.0.0.1")
    await once(this.server, "listening")
    const { port } = this.server.address() as AddressInfo // it listens on a port, not on a path
    this.url = `http://127.0.0.1:${port}`
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
    this.agent.destroy()
  }

  /** A count of up to 100,000 more. */
  lie(calls: ReadonlyArray<Call>, answers: ReadonlyArray<Answer>): void {
    for (const answer of answers) {
      const call = calls.find(({ id }) => id === answer.id)
      if (call?.method.endsWith("_getTransactionCount") !== true || typeof answer.result !== "string") continue
      if (!this.isLying || this.random() >= 1 / this.oneIn) continue
      this.lies++
      answer.result = `0x${(Number(answer.result) + 1 + Math.floor(this.random() * 100_000)).toString(16)}`
    }
  }

  async pass(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    const { "content-length": _, host: __, ...headers } = request.headers
    const away = http.request(new URL(request.url ?? "/", this.target()), {
      method: request.method,
      headers,
      agent: this.agent
    })
    away.end(body)
    const [answer] = await once(away, "response") as [http.IncomingMessage] // what this event has
    const text = await bodyOf(answer)
    const { "content-length": ___, "transfer-encoding": ____, ...kept } = answer.headers
    response.writeHead(answer.statusCode ?? 502, kept)
    response.end(body.includes("_getTransactionCount") ? this.retold(body, text) : text)
  }

  retold(body: string, text: string): string {
    // JSON-RPC 2.0, alone or in a batch.
    const calls = listOf(JSON.parse(body) as Call | ReadonlyArray<Call>)
    const told = JSON.parse(text) as Answer | ReadonlyArray<Answer>
    this.lie(calls, listOf(told))
    return JSON.stringify(told)
  }
}
