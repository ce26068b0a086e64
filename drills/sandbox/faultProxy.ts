/**
 * A proxy on loopback that forwards each request, injects a fault, or returns the answer to another request, as it is told.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as http from "node:http"
import type { AddressInfo } from "node:net"

/**
 * The faults. "before" and "after" say whether the service has acted. Redirects lead back to the same address, so that
 * following one makes the request twice.
 */
export const faults = [
  "cut before",
  "cut in the request",
  "cut after",
  "cut in the answer",
  "late before",
  "late after",
  "502 before",
  "502 after",
  "504 before",
  "504 after",
  "429 before",
  "503 before",
  "503 after",
  "swallowed before",
  "swallowed after",
  "garbled after",
  "301 after",
  "302 after",
  "307 after",
  "308 after",
  "401 after",
  "403 after",
  "404 after",
  "answer of another before",
  "answer of another after",
  "older answer"
] as const

/**
 * The faults that deliver a request more than once or in another order, or deny one that was carried out. The caller sees
 * an ordinary answer of the service.
 *
 * - `twice, first answer` and `twice, last answer`: delivered twice, one copy after the other; the caller gets the answer
 *   to the first or the second.
 * - `twice at once`: both copies are under way together; the caller gets the answer that arrives last.
 * - `again later`: delivered and answered, and delivered again after the time of a late answer.
 * - `after a later one`: held back until a later request of the same kind was answered, or for the time of a late answer.
 * - `denied after`: delivered, and answered with a refusal for want of funds in the service's own words.
 */
export const duplicates = [
  "twice, first answer",
  "twice, last answer",
  "twice at once",
  "again later",
  "after a later one",
  "denied after"
] as const

/** One of {@link faults} or {@link duplicates}. */
export type Fault = (typeof faults)[number] | (typeof duplicates)[number]

/** A request before its fault is chosen. */
export interface Passing {
  readonly method: string
  readonly path: string
  readonly body: string
}

/** The proxy. */
export interface FaultProxy {
  readonly url: string
  /** How often each fault occurred. */
  readonly counts: ReadonlyMap<Fault | "none", number>
  /** Completes when no request to the service is in flight any more, late ones included. */
  readonly drained: Effect.Effect<void>
}

/** Where requests go, and the faults that they meet. */
export interface Options {
  /** Base address of the service. */
  readonly target: string
  /** Chooses the fault of each request. */
  readonly decide: (request: Passing) => Fault | "none"
  /** Called with the headers of each request that met a fault. An "older answer" counts if it differs from today's. */
  readonly onFault?: (headers: http.IncomingHttpHeaders, fault: Fault) => void
  /** Delay of late answers, and of second deliveries, in milliseconds. */
  readonly late: number
  /** The value of Retry-After in refusals. */
  readonly retryAfter?: () => string
}

/** The kind of a request; answers of one kind have the same form. */
const kindOf = (path: string, body: string): string => `${path} ${/"method":"(\w+)"/.exec(body)?.[1] ?? ""}`

/** What an answer is the answer to. */
const questionOf = ({ method = "GET", url = "/" }: http.IncomingMessage, body: Buffer): string =>
  `${method} ${url} ${String(body)}`

/** How many earlier answers are kept: of all requests for "answer of another", of each for "older answer". */
const kept = { all: 32, each: 4 }

interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

const bodyOf = async (message: http.IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/** A refusal that depends on state, in the words of the service or of its node. */
const denial = (path: string, body: string): Answer => {
  const words = "insufficient funds for gas * price + value"
  const id = /"id":(\d+|"[^"]*")/.exec(body)?.[1]
  const [status, text] = path.includes("/node/") && id !== undefined
    ? [200, `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"${words}"}}`] as const
    : [400, `{"code":1065001,"message":"failed to send a raw transaction to klaytn node; -32000::${words}"}`] as const
  return { status, headers: { "content-type": "application/json" }, body: Buffer.from(text) }
}

const withoutConnection = ({ connection: _connection, ...headers }: http.IncomingHttpHeaders) => headers

class Proxy {
  readonly counts = new Map<Fault | "none", number>()
  readonly underWay = new Set<Promise<unknown>>()
  readonly agent = new http.Agent({ keepAlive: true })
  /** Good answers to requests with a body, the latest last. */
  readonly answers: Array<{ readonly kind: string; readonly body: string; readonly answer: Answer }> = []
  /** Good answers to the same request, the oldest first. */
  readonly history = new Map<string, Array<Answer>>()
  /** Requests that wait for a later one, by their kind. */
  readonly held = new Map<string, Set<() => void>>()

  constructor(readonly options: Options) {}

  /** Passes a request on; with `part`, only so many bytes of its body before the connection ends. */
  pass(request: http.IncomingMessage, body: Buffer, part?: number): Promise<Answer | undefined> {
    const { method = "GET", url = "/" } = request
    const answer = new Promise<Answer | undefined>((resolve) => {
      const onward = http.request(this.options.target + url, {
        method,
        headers: withoutConnection(request.headers),
        agent: part === undefined ? this.agent : false
      })
      onward.on("error", () => resolve(undefined))
      onward.on("response", (message) =>
        void bodyOf(message).then(
          (text) => resolve({ status: message.statusCode ?? 0, headers: message.headers, body: text }),
          () => resolve(undefined)
        ))
      if (part === undefined) onward.end(body)
      else onward.write(body.subarray(0, part), () => onward.destroy())
    })
    this.underWay.add(answer)
    return answer.finally(() => this.underWay.delete(answer)).then((one) => {
      if (one?.status === 200) this.keep(request, body, one)
      return one
    })
  }

  keep(request: http.IncomingMessage, body: Buffer, answer: Answer): void {
    const question = questionOf(request, body)
    this.answers.push({ kind: kindOf(request.url ?? "/", String(body)), body: String(body), answer })
    if (this.answers.length > kept.all) this.answers.shift()
    const same = this.history.get(question) ?? []
    this.history.set(question, same)
    same.push(answer)
    if (same.length > kept.each) same.shift()
  }

  /** What another request of the same kind was answered, rather one that asked the same. */
  another(path: string, body: string, own: Answer | undefined): Answer | undefined {
    const others = this.answers.filter((one) => one.kind === kindOf(path, body) && one.answer !== own)
    return (others.findLast((one) => one.body === body) ?? others.at(-1))?.answer
  }

  /** What the same request was answered a while ago, or now if it is asked for the first time. */
  async older(request: http.IncomingMessage, body: Buffer): Promise<Answer | undefined> {
    const older = this.history.get(questionOf(request, body))?.[0]
    const own = await this.pass(request, body)
    if (older === undefined) return own
    if (own === undefined || !older.body.equals(own.body)) this.options.onFault?.(request.headers, "older answer")
    return older
  }

  /** Waits until a later request of the same kind was answered, or for the time of a late answer. */
  async hold(kind: string): Promise<void> {
    const waiting = this.held.get(kind) ?? new Set()
    this.held.set(kind, waiting)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => release(), this.options.late)
      const release = () => {
        clearTimeout(timer)
        waiting.delete(release)
        resolve()
      }
      waiting.add(release)
    })
  }

  /** Lets the requests go that waited for this one. */
  overtake(kind: string): void {
    for (const release of this.held.get(kind) ?? []) release()
  }

  /** Delivers a request again after a while. Nobody sees the answer. */
  passAgainLater(request: http.IncomingMessage, body: Buffer): void {
    const again = pause(this.options.late).then(() => this.pass(request, body))
    this.underWay.add(again)
    void again.finally(() => this.underWay.delete(again))
  }

  async serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    const fate = this.options.decide({ method: request.method ?? "GET", path: request.url ?? "/", body: String(body) })
    this.counts.set(fate, (this.counts.get(fate) ?? 0) + 1)
    if (fate !== "none" && fate !== "older answer") this.options.onFault?.(request.headers, fate)
    const kind = kindOf(request.url ?? "/", String(body))
    const work = this.meet(fate, request, body, response).finally(() => {
      if (fate !== "after a later one") this.overtake(kind)
    })
    this.underWay.add(work)
    await work.finally(() => this.underWay.delete(work))
  }

  async meet(
    fate: Fault | "none",
    request: http.IncomingMessage,
    body: Buffer,
    response: http.ServerResponse
  ): Promise<void> {
    const cut = () => void request.socket.destroy()
    const refuse = (status: number, headers: http.OutgoingHttpHeaders = {}) =>
      void response.writeHead(status, { "content-type": "text/html", ...headers }).end("<html>proxy</html>")
    const answer = (one: Answer | undefined) => {
      if (one === undefined) cut()
      else response.writeHead(one.status, withoutConnection(one.headers)).end(one.body)
    }
    const wait = () => ({ "retry-after": this.options.retryAfter?.() ?? "0" })
    switch (fate) {
      case "none":
        return answer(await this.pass(request, body))
      case "cut before":
        return cut()
      case "cut in the request":
        await this.pass(request, body, Math.floor(body.length / 2))
        return cut()
      case "cut after":
        await this.pass(request, body)
        return cut()
      case "cut in the answer": {
        const whole = await this.pass(request, body)
        if (whole === undefined) return cut()
        response.writeHead(whole.status, { ...withoutConnection(whole.headers), "content-length": whole.body.length })
        response.write(whole.body.subarray(0, Math.floor(whole.body.length / 2)), cut)
        return
      }
      case "late before":
        await pause(this.options.late)
        return answer(await this.pass(request, body))
      case "late after": {
        const whole = await this.pass(request, body)
        await pause(this.options.late)
        return answer(whole)
      }
      case "502 before":
      case "504 before":
        return refuse(Number(fate.slice(0, 3)))
      case "429 before":
      case "503 before":
        return refuse(Number(fate.slice(0, 3)), wait())
      case "502 after":
      case "504 after":
        await this.pass(request, body)
        return refuse(Number(fate.slice(0, 3)))
      case "401 after":
      case "403 after":
      case "404 after":
        await this.pass(request, body)
        return refuse(Number(fate.slice(0, 3)))
      case "301 after":
      case "302 after":
      case "307 after":
      case "308 after":
        await this.pass(request, body)
        return refuse(Number(fate.slice(0, 3)), { location: request.url })
      case "answer of another before": {
        const another = this.another(request.url ?? "/", String(body), undefined)
        return answer(another ?? await this.pass(request, body))
      }
      case "answer of another after": {
        const own = await this.pass(request, body)
        return answer(this.another(request.url ?? "/", String(body), own) ?? own)
      }
      case "twice, first answer": {
        const first = await this.pass(request, body)
        await this.pass(request, body)
        return answer(first)
      }
      case "twice, last answer":
        await this.pass(request, body)
        return answer(await this.pass(request, body))
      case "twice at once": {
        const arrived: Array<Answer | undefined> = []
        const copies = [1, 2].map(() => this.pass(request, body).then((one) => arrived.push(one)))
        await Promise.all(copies)
        return answer(arrived.at(-1))
      }
      case "again later": {
        const first = await this.pass(request, body)
        this.passAgainLater(request, body)
        return answer(first)
      }
      case "after a later one":
        await this.hold(kindOf(request.url ?? "/", String(body)))
        return answer(await this.pass(request, body))
      case "denied after":
        await this.pass(request, body)
        return answer(denial(request.url ?? "/", String(body)))
      case "older answer":
        return answer(await this.older(request, body))
      case "503 after":
        await this.pass(request, body)
        return refuse(503, wait())
      case "swallowed before":
        return
      case "swallowed after":
        await this.pass(request, body)
        return
      case "garbled after":
        await this.pass(request, body)
        return refuse(200)
    }
  }
}

/** Starts a proxy for the time of a scope. */
export const make = (options: Options): Effect.Effect<FaultProxy, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<{ readonly made: FaultProxy; readonly close: () => void }>((resume) => {
        const proxy = new Proxy(options)
        const server = http.createServer((request, response) => {
          void proxy.serve(request, response).catch(() => request.socket.destroy())
        })
        const close = () => {
          server.closeAllConnections()
          server.close()
          proxy.agent.destroy()
        }
        const drained = Effect.promise(async () => {
          while (proxy.underWay.size > 0) await Promise.allSettled(proxy.underWay)
        })
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo // it listens on a port, not on a path
          resume(Effect.succeed({ made: { url: `http://127.0.0.1:${port}`, counts: proxy.counts, drained }, close }))
        })
      }),
      ({ close }) => Effect.sync(close)
    ),
    ({ made }) => made
  )
