import { HistoryGroup } from "@effect-klaytn/history/HistoryApi"
import { TokenDirectoryGroup } from "@effect-klaytn/tokens/TokenDirectoryApi"
import { TokensGroup } from "@effect-klaytn/tokens/TokensApi"
import { ResourcesGroup } from "@effect-klaytn/wallet/ResourcesApi"
import { TransactionsGroup } from "@effect-klaytn/wallet/TransactionsApi"
import { WalletAdditionsGroup } from "@effect-klaytn/wallet/WalletAdditionsApi"
import { WalletGroup } from "@effect-klaytn/wallet/WalletApi"

/** An operation of the service: its name, and how a request for it looks. */
export interface Operation {
  readonly name: string
  /** Which part of the sandbox serves it. */
  readonly room: "data" | "wallet"
  readonly method: string
  readonly template: string
  readonly path: RegExp
}

const contracts = {
  data: [HistoryGroup, TokensGroup, TokenDirectoryGroup],
  wallet: [WalletGroup, WalletAdditionsGroup, TransactionsGroup, ResourcesGroup]
} as const

const operationsOf = (room: Operation["room"]): ReadonlyArray<Operation> =>
  contracts[room].flatMap(({ endpoints }) =>
    Object.values(endpoints).map(({ method, name, path }) => ({
      name,
      room,
      method,
      template: path,
      path: new RegExp(`^${path.replace(/:[^/]+/g, "[^/]+")}$`)
    }))
  )

/** All operations that are served, read from the contracts. */
export const operations: ReadonlyArray<Operation> = [...operationsOf("data"), ...operationsOf("wallet")]

const isEncoded = (path: string): boolean => /^(?:[^%]|%[0-9a-f]{2})*$/i.test(path)

/** The operation that a request is for, if there is one. Paths are exact: letter case and slashes count. */
export const operationOf = (method: string, url: string): Operation | undefined => {
  const path = url.split("?", 1)[0] ?? ""
  return isEncoded(path) ? operations.find((one) => one.method === method && one.path.test(path)) : undefined
}
