import * as Contract from "@effect-klaytn/core/Operation"

/** An operation of the service: its name, and how a request for it looks. */
export interface Operation {
  /** Service and operation, the word of the clients' spans, metrics and errors: `wallet.sendValue`. */
  readonly name: string
  /** Which part of the sandbox serves it. */
  readonly room: "data" | "wallet"
  readonly method: string
  readonly template: string
  readonly path: RegExp
}

/** The operations of contracts. */
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

/** Whether a word is the name of an operation; the service in front may be left out. */
export const isNamedBy = (word: string, name: string): boolean => name === word || name.endsWith(`.${word}`)

const isEncoded = (path: string): boolean => /^(?:[^%]|%[0-9a-f]{2})*$/i.test(path)

/** The operation among some that a request is for. Paths are exact: letter case and slashes count. */
export const find = (
  operations: ReadonlyArray<Operation>,
  method: string,
  url: string
): Operation | undefined => {
  const path = url.split("?", 1)[0] ?? ""
  return isEncoded(path) ? operations.find((one) => one.method === method && one.path.test(path)) : undefined
}
