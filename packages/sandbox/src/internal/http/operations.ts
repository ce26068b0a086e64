import { HistoryGroup } from "@effect-klaytn/history/HistoryApi"
import { TokenDirectoryGroup } from "@effect-klaytn/tokens/TokenDirectoryApi"
import { TokensGroup } from "@effect-klaytn/tokens/TokensApi"

/** An operation of the service: its name, and how a request for it looks. */
export interface Operation {
  readonly name: string
  readonly method: string
  readonly template: string
  readonly path: RegExp
}

const contracts = [HistoryGroup, TokensGroup, TokenDirectoryGroup]

/** All operations that are served, read from the contracts. */
export const operations: ReadonlyArray<Operation> = contracts.flatMap(({ endpoints }) =>
  Object.values(endpoints).map(({ method, name, path }) => ({
    name,
    method,
    template: path,
    path: new RegExp(`^${path.replace(/:[^/]+/g, "[^/]+")}$`)
  }))
)

const isEncoded = (path: string): boolean => /^(?:[^%]|%[0-9a-f]{2})*$/i.test(path)

/** The operation that a request is for, if there is one. Paths are exact: letter case and slashes count. */
export const operationOf = (method: string, url: string): Operation | undefined => {
  const path = url.split("?", 1)[0] ?? ""
  return isEncoded(path) ? operations.find((one) => one.method === method && one.path.test(path)) : undefined
}
