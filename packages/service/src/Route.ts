/**
 * Finds the operation of a request.
 */
import * as Contract from "@effect-klaytn/core/Operation"

/**
 * An operation of the service: its name, and how a request for it looks.
 *
 * @category models
 */
export interface Operation {
  /** Service and operation, the word of the clients' spans, metrics and errors: `wallet.sendValue`. */
  readonly name: string
  /** Which part of the service has it: its data, or the wallet. */
  readonly room: "data" | "wallet"
  readonly method: string
  readonly template: string
  readonly path: RegExp
}

/**
 * The operations of contracts.
 *
 * @category constructors
 */
export const operationsOf = (
  room: Operation["room"],
  contracts: ReadonlyArray<object>
): ReadonlyArray<Operation> =>
  contracts.flatMap((contract) =>
    Contract.all(contract).map(({ method, name, path }) => ({
      name,
      room,
      method,
      template: path,
      path: new RegExp(`^${path.replace(/:[^/]+/g, "[^/]+")}$`)
    }))
  )

/**
 * Whether a word names an operation; its service may be left out.
 *
 * @category guards
 */
export const isNamedBy = (word: string, name: string): boolean => name === word || name.endsWith(`.${word}`)

const isEncoded = (path: string): boolean => /^(?:[^%]|%[0-9a-f]{2})*$/i.test(path)

/**
 * Finds the operation of a request. Paths match exactly, including letter case and slashes.
 *
 * @category reading
 */
export const find = (
  operations: ReadonlyArray<Operation>,
  method: string,
  url: string
): Operation | undefined => {
  const path = url.split("?", 1)[0] ?? ""
  return isEncoded(path) ? operations.find((one) => one.method === method && one.path.test(path)) : undefined
}

/**
 * The largest body that a node accepts.
 *
 * @category constants
 */
export const maxBytes = 512 * 1024

/**
 * The most bytes of a request's first line and headers. Node's default of 16 KiB refuses a query of 400 addresses with an
 * empty body; the service refuses that many addresses in its own form.
 *
 * @category constants
 */
export const maxHeaderBytes = 256 * 1024

/**
 * Name and path of every request to the node; its methods are in the body.
 *
 * @category constants
 */
export const exchange = { name: "node.exchange", template: "/v1/klaytn" } as const

/**
 * Whether a request is for the node. It has one path, but clients generated from the node's description put the method
 * below it, as in `/v1/klaytn/klay/block/number`, and are served too. The path repeated is not.
 *
 * @category guards
 */
export const isExchange = ({ method, url }: { readonly method: string; readonly url: string }): boolean =>
  method === "POST" && /^\/v1\/klaytn(?:\/(?!v1\b)\w+)*\/?(?:\?|$)/.test(url)

const jsonTypes: ReadonlySet<string> = new Set([
  "application/json",
  "application/json-rpc",
  "application/jsonrequest"
])

/**
 * Whether a node reads a body of this `Content-Type`.
 *
 * @category guards
 */
export const isJson = (contentType: string | undefined): boolean =>
  jsonTypes.has((contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "")

const named = /"method"\s*:\s*"([^"\\]{1,128})"/g

/**
 * The distinct methods that a body names.
 *
 * @category reading
 */
export const methodsOf = (body: string): ReadonlyArray<string> => [
  ...new Set([...body.matchAll(named)].map(([, method = ""]) => method))
]

/**
 * The size of a page: 100 by default, 1000 at most.
 *
 * @category conversions
 */
export const pageSize = (size: number | undefined): number =>
  size === undefined || size === 0 ? 100 : Math.min(size, 1000)
