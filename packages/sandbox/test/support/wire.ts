/** Raw requests to a sandbox, as a client that shares no code with the contract would send them. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Sandbox from "../../src/Sandbox.js"

export interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`

/** A request as it stands; headers that are undefined are left out. */
export const send = (
  path: string,
  init: { readonly method?: string; readonly headers?: Record<string, string | undefined>; readonly body?: string } = {}
): Effect.Effect<Answer, never, Sandbox.Sandbox> =>
  Effect.flatMap(Sandbox.Sandbox, ({ url }) =>
    Effect.promise(async () => {
      const headers = Object.entries(init.headers ?? {}).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as [string, string]]
      )
      const response = await fetch(`${url}${path}`, { ...init, headers })
      return { status: response.status, text: await response.text(), headers: response.headers }
    }))

/** A request with the sandbox's credential, for chain 1001 unless said otherwise. */
export const get = (
  path: string,
  headers: Record<string, string | undefined> = {}
): Effect.Effect<Answer, never, Sandbox.Sandbox> =>
  Effect.flatMap(Sandbox.Sandbox, ({ accessKeyId, secretAccessKey }) =>
    send(path, {
      headers: {
        authorization: basic(accessKeyId, Redacted.value(secretAccessKey)),
        "x-chain-id": "1001",
        ...headers
      }
    }))

/** The `items` of a page and its cursor. */
export const page = (path: string, headers: Record<string, string | undefined> = {}) =>
  Effect.map(get(path, headers), ({ status, text }) => {
    const { cursor, items }: { readonly cursor?: string; readonly items: ReadonlyArray<Record<string, unknown>> } = JSON
      .parse(text)
    return { status, items, cursor }
  })

/** A request to the control interface. */
export const control = (method: string, path: string, body?: unknown) =>
  Effect.map(
    send(`/_sandbox${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) }),
    ({ status, text }) => ({ status, body: text === "" ? undefined : JSON.parse(text) })
  )

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** A request to the wallet with the sandbox's credential, for chain 1001 unless said otherwise, and its JSON answer. */
export const ask = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string | undefined> = {}
) =>
  Effect.flatMap(Sandbox.Sandbox, ({ accessKeyId, secretAccessKey }) =>
    Effect.map(
      send(path, {
        method,
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
        headers: {
          authorization: basic(accessKeyId, Redacted.value(secretAccessKey)),
          "x-chain-id": "1001",
          ...headers
        }
      }),
      ({ status, text }) => ({ status, body: JSON.parse(text) })
    ))

/** Code and message of a refusal, and whether it has a request ID. */
export const refusal = ({ body, status }: Effect.Effect.Success<ReturnType<typeof ask>>) => {
  const { code, message, requestId } = body
  return requestId === undefined || uuid.test(requestId)
    ? [status, code, message, requestId !== undefined]
    : [status, code, message, requestId]
}
