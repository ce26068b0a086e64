import { exchange, isNamedBy } from "@effect-klaytn/service/Route"
import * as Effect from "effect/Effect"
import type { Chain, ChainId } from "../../Chain.js"
import type { Service } from "../../Control.js"
import { InvalidControl, TooManyCredentials } from "../../ControlError.js"
import type { Deviation } from "../../ControlView.js"
import { Fault } from "../../Fault.js"
import type { CredentialStore } from "../http/CredentialStore.js"
import { type Faults, rpcPrefix } from "../http/Faults.js"
import type { RequestLog } from "../http/RequestLog.js"
import { operations } from "../http/routes.js"
import type { Wallet } from "../wallet/openWallet.js"
import { make as makeChain } from "./chainControl.js"
import { checkInput, unlessMissing } from "./failures.js"
import type { NamedAccounts } from "./NamedAccounts.js"

/** A text in quotes, cut to fit into a sentence. */
const quote = (text: string | undefined): string => JSON.stringify((text ?? "").slice(0, 100))

/** What the controls act on. */
export interface ControlParts {
  readonly chain: (chainId: ChainId) => Chain
  readonly wallet: Wallet
  readonly namedAccounts: NamedAccounts
  readonly credentials: CredentialStore
  readonly faults: Faults
  readonly requestLog: RequestLog
  readonly deviations: ReadonlyArray<Deviation>
  /** Whether the JSON-RPC for development has a method of this name. */
  readonly hasRpcMethod: (name: string) => Effect.Effect<boolean>
}

/** The node's method that a word names; `node.` may be left out. */
const methodOf = (operation: string): string | undefined => /^(?:node\.)?([a-z0-9]+_.*)$/.exec(operation)?.[1]

/** Whether a word names calls to the node: all of them, or those of a served method. */
const isOfNode = (operation: string): Effect.Effect<boolean> =>
  isNamedBy(operation, exchange.name)
    ? Effect.succeed(true)
    : Effect.map(
      Effect.promise(() => import("../rpc/methods.js")),
      ({ methods }) => methods.has(methodOf(operation) ?? "")
    )

/** Whether a word names requests to the JSON-RPC for development: all of them, or those of a served method. */
const isOfRpc = (
  operation: string,
  { hasRpcMethod }: Pick<ControlParts, "hasRpcMethod">
): Effect.Effect<boolean> => {
  if (!operation.startsWith(rpcPrefix)) return Effect.succeed(false)
  const name = operation.slice(rpcPrefix.length)
  return name === "exchange" ? Effect.succeed(true) : hasRpcMethod(name)
}

/** The controls: the one implementation behind the Effect service and the HTTP interface. */
export const make = (parts: ControlParts): Service => {
  const { chain, credentials, deviations, faults, namedAccounts, requestLog, wallet } = parts
  const mainnet = makeChain(chain(8217), wallet.chain(8217), namedAccounts)
  const testnet = makeChain(chain(1001), wallet.chain(1001), namedAccounts)
  return {
    chain: (chainId) => chainId === 8217 ? mainnet : testnet,
    deviations: Effect.succeed(deviations),
    credentials: Effect.sync(() => credentials.list().map(({ accessKeyId }) => accessKeyId)),
    createCredential: Effect.mapError(
      Effect.suspend(() => Effect.fromNullable(credentials.create())),
      () =>
        new TooManyCredentials({
          message: "there are two credentials already, the most there may be; delete one first"
        })
    ),
    deleteCredential: (accessKeyId) =>
      Effect.suspend(() =>
        unlessMissing(credentials.remove(accessKeyId), `there is no credential ${quote(accessKeyId)}`)
      ),
    requests: (filter = {}) => Effect.sync(() => requestLog.list(filter)),
    clearRequests: Effect.sync(() => requestLog.clear()),
    faults: Effect.sync(() => faults.list()),
    addFault: (input) =>
      Effect.gen(function*() {
        const fault = yield* checkInput(Fault, input)
        const { action, operation } = fault
        if (action.kind === "send" && operation !== undefined) {
          return yield* new InvalidControl({
            message: "a fault of sends has no operation: it meets transactions by whichever way they come"
          })
        }
        if (operation === undefined) return faults.add(fault)
        const names = (yield* operations).map(({ name }) => name)
        const isOfService = names.some((name) => isNamedBy(operation, name)) || (yield* isOfNode(operation))
        if (isOfService || (yield* isOfRpc(operation, parts))) return faults.add(fault)
        return yield* new InvalidControl({
          message: methodOf(operation) === undefined
            ? `no operation is named ${quote(operation)}; there are: ${[...names, exchange.name].join(", ")}`
            : `the node has no method ${quote(methodOf(operation))}; klaytn sandbox methods lists them`
        })
      }),
    deleteFault: (id) => Effect.suspend(() => unlessMissing(faults.remove(id), `there is no fault ${id} in force`)),
    clearFaults: Effect.sync(() => faults.clear())
  }
}
