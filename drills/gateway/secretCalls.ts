/** Requests to a wallet with keys and credentials in every place where a caller could put them by mistake. */
import { operations } from "@effect-klaytn/custody/WalletRoutes"
import { request } from "node:http"

/** What the requests are made of. */
export interface Material {
  readonly account: string
  readonly payer: string
  readonly keyId: string
  readonly publicKey: string
  readonly customer: string
  /** Texts that belong in no request: keys and credentials. */
  readonly misplaced: ReadonlyArray<string>
}

export interface Call {
  readonly method: string
  readonly path: string
  readonly body?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

const to = `0x${"ab".repeat(20)}`

/** A body that reaches the signature. */
const bodyOf = (template: string, from: string): Readonly<Record<string, unknown>> | ReadonlyArray<unknown> => {
  const key = { keyType: 1, key: `0x02${"79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"}` }
  if (template.endsWith("/registration/account")) return []
  if (template === "/v2/key") return { size: 1 }
  if (template.endsWith(":keyId/sign")) return { data: `0x${"11".repeat(32)}` }
  if (template.endsWith("contract/call")) return { to, data: { methodName: "x", arguments: [] } }
  if (template.endsWith("/rlp")) return { from, rlp: "0x00", submit: true }
  if (template.endsWith("/account") && !template.startsWith("/v2/account")) {
    return { from, accountKey: key, submit: true }
  }
  return { from, to, value: "0x5", input: "0x00", submit: true }
}

const pathOf = (template: string, { account, customer, keyId, payer, publicKey }: Material): string =>
  template
    .replace(":address", template.includes("feepayer/") ? payer : account)
    .replace(":keyId", keyId)
    .replace(":publicKey", publicKey)
    .replace(/:hash|:transactionId/, `0x${"11".repeat(32)}`)
    .replace(":accountId", customer)

/** Requests that end an account would leave nothing for those behind them. */
const isDestructive = (method: string, template: string): boolean =>
  method === "DELETE" || template.endsWith("/disable")

/** A request as the documents have it for each operation. */
export const goodCalls = (material: Material): ReadonlyArray<Call> =>
  operations.filter(({ method, template }) => !isDestructive(method, template)).map(({ method, template }) => ({
    method,
    path: pathOf(template, material),
    ...(method !== "GET" && { body: JSON.stringify(bodyOf(template, material.account)) })
  }))

/** Requests that send, create or sign. */
export const changingCalls = (material: Material): ReadonlyArray<Call> =>
  goodCalls(material).filter(({ method }) => method === "POST")

/** Bodies that no operation takes, with a text that belongs in none. `open` is a field in which the text may be shown. */
const badBodies = (
  template: string,
  text: string,
  account: string,
  open: string | undefined
): ReadonlyArray<string> => {
  const good = bodyOf(template, account)
  const fields = Array.isArray(good) ? [] : Object.keys(good).filter((field) => field !== open)
  return [
    text,
    JSON.stringify(text),
    JSON.stringify([text]),
    `{"from": "${text}`,
    JSON.stringify({ [text]: text }),
    JSON.stringify([{ keyId: text, address: text, rlp: text }]),
    JSON.stringify({ ...good, privateKey: text, memo: text }),
    JSON.stringify({
      ...good,
      accountKey: { keyType: text, key: text },
      data: { methodName: text, arguments: [{ type: text, value: text }] }
    }),
    ...fields.map((field) => JSON.stringify({ ...good, [field]: text }))
  ]
}

/** Every operation with texts in places where they don't belong: path, query, headers and each part of a body. */
export const misplacedCalls = (material: Material): ReadonlyArray<Call> =>
  operations.flatMap(({ method, template }) => {
    const path = pathOf(template, material)
    const body = method === "GET" ? undefined : JSON.stringify(bodyOf(template, material.account))
    // Any 32 bytes may be signed, and the audit log says which were; and the input of a transaction is on the chain: a key is not
    // misplaced there.
    const open = template.endsWith(":keyId/sign") ? "data" : "input"
    const openFor = (text: string) => /^0x[0-9a-f]{64}$/i.test(text) ? open : undefined
    return material.misplaced.flatMap((text) => {
      const encoded = encodeURIComponent(text)
      const places: ReadonlyArray<Call> = [
        { method, path: template.replace(/:\w+/g, encoded), body },
        { method, path: `${path}?krn=${encoded}&cursor=${encoded}&size=${encoded}`, body },
        { method, path: `${path}/${encoded}`, body },
        { method, path, body, headers: { "x-krn": text, "x-chain-id": text } },
        { method, path, body, headers: { "idempotency-key": text, "x-request-id": text, "content-type": text } }
      ]
      // A request as it should be would delete the account.
      const allowed = isDestructive(method, template) ? places.slice(0, 1) : places
      return [
        ...allowed,
        ...(method === "GET"
          ? []
          : badBodies(template, text, material.account, openFor(text)).map((bad) => ({
            method,
            path: isDestructive(method, template) ? template.replace(/:\w+/g, to) : path,
            body: bad
          })))
      ]
    })
  })

/** Credentials that are almost right, or in a wrong form. */
export const wrongAuthorizations = (id: string, secret: string): ReadonlyArray<string> => {
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`
  return [
    "",
    secret,
    `Bearer ${secret}`,
    `Basic ${id}:${secret}`,
    `basic${Buffer.from(`${id}:${secret}`).toString("base64")}`,
    basic(`${id}:${secret}0`),
    basic(`${id}0:${secret}`),
    basic(`${secret}:${id}`),
    basic(`${id} ${secret}`),
    `${basic(`${id}:${secret}`)}, ${basic(`${id}:${secret}`)}`
  ]
}

/** The status and all that was answered, headers included; 0 and the error if there was no answer. */
export interface Answered {
  readonly status: number
  readonly text: string
}

/** Sends a request on a connection of its own, with headers that no `fetch` sends. */
export const send = (
  url: string,
  authorization: string | undefined,
  { body, headers, method, path }: Call
): Promise<Answered> =>
  new Promise((resolve) => {
    const sent = request(`${url}${path}`, {
      method,
      agent: false,
      timeout: 20_000,
      headers: {
        ...(authorization !== undefined && { authorization }),
        "content-type": "application/json",
        "x-chain-id": "1001",
        ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
        ...headers
      }
    })
    sent.on("response", (response) => {
      let text = JSON.stringify(response.headers)
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }))
      response.on("error", ({ message }) => resolve({ status: 0, text: message }))
    })
    sent.on("timeout", () => sent.destroy(new Error("the request was not answered in time")))
    sent.on("error", ({ message }) => resolve({ status: 0, text: message }))
    sent.end(body)
  })
