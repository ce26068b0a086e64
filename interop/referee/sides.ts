/** The two that are asked the same: a node and a sandbox. */

/** What came back of a call: a result or an error, as the wire has it. */
export interface Reply {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** A method and its parameters. */
export type Call = readonly [method: string, ...params: ReadonlyArray<unknown>]

/** How long one request may take. A node's own limit is 30 seconds. */
const longest = 60_000

/** What came over HTTP. */
export interface Answered {
  readonly status: number
  readonly body: string
}

/** One of the two. */
export class Side {
  constructor(readonly name: "node" | "sandbox", readonly url: string) {}

  /** Sends a request as it is. */
  async http(init: RequestInit): Promise<Answered> {
    const response = await fetch(this.url, { ...init, signal: AbortSignal.timeout(longest) })
    return { status: response.status, body: await response.text() }
  }

  async #post(body: unknown): Promise<unknown> {
    const { body: text } = await this.http({
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    return JSON.parse(text)
  }

  async ask(...[method, ...params]: Call): Promise<Reply> {
    return await this.#post({ jsonrpc: "2.0", id: 1, method, params }) as Reply
  }

  /** Asks for a result that there must be. */
  async result(...call: Call): Promise<unknown> {
    const { error, result } = await this.ask(...call)
    if (error !== undefined) throw new Error(`${this.name}: ${call[0]}: ${error.message}`)
    return result
  }

  /** Asks many at once, or as many as a request may have, and gives the replies in the order of the calls. */
  async batch(calls: ReadonlyArray<Call>): Promise<ReadonlyArray<Reply>> {
    const replies: Array<Reply> = []
    for (const some of inRequests(calls)) replies.push(...await this.#batch(some))
    return replies
  }

  async #batch(calls: ReadonlyArray<Call>): Promise<ReadonlyArray<Reply>> {
    const body = calls.map(([method, ...params], id) => ({ jsonrpc: "2.0", id, method, params }))
    const replies = await this.#post(body)
    if (!Array.isArray(replies)) throw new Error(`${this.name}: no list: ${JSON.stringify(replies).slice(0, 200)}`)
    const byId = new Map(replies.map((reply: Reply & { readonly id: number }) => [reply.id, reply]))
    return calls.map((call, id) => {
      const { error, result } = byId.get(id) ?? missing(this.name, call[0])
      return error === undefined ? { result } : { error }
    })
  }
}

/** As many characters as a node takes in a request, and a part of them. */
const mostCharacters = 400_000

/** Transactions with blobs come in requests of their own. */
const inRequests = (calls: ReadonlyArray<Call>): ReadonlyArray<ReadonlyArray<Call>> => {
  const requests: Array<Array<Call>> = []
  let left = 0
  for (const call of calls) {
    const size = JSON.stringify(call).length + 50
    if (size > left) {
      requests.push([])
      left = mostCharacters
    }
    left -= size
    requests.at(-1)?.push(call)
  }
  return requests
}

const missing = (name: string, method: string): never => {
  throw new Error(`${name}: no answer to ${method}`)
}

export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
