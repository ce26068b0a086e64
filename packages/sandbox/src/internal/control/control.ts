import * as Effect from "effect/Effect"
import type { Service } from "../../Control.js"
import { InvalidControl, NotThere, TooManyCredentials } from "../../ControlError.js"
import { Fault } from "../../Fault.js"
import type { CredentialStore } from "../http/CredentialStore.js"
import type { Faults } from "../http/Faults.js"
import type { Journal } from "../http/Journal.js"
import { operations } from "../http/operations.js"
import { exchange } from "../rpc/exchange.js"
import type { Wallet } from "../wallet/Wallet.js"
import type { AccountBook } from "./AccountBook.js"
import { make as makeChain } from "./chainControl.js"
import { given } from "./failures.js"

/** What the controls turn. */
export interface ControlParts {
  readonly wallet: Wallet
  readonly book: AccountBook
  readonly credentials: CredentialStore
  readonly faults: Faults
  readonly journal: Journal
}

const isMethodName = (operation: string | undefined): boolean => /^[a-z0-9]+_/.test(operation ?? "")

/** Whether a name is that of a call to the node: of all of them, or of a method that is served. */
const isOfNode = (operation: string): Effect.Effect<boolean> =>
  operation === exchange.name
    ? Effect.succeed(true)
    : Effect.map(Effect.promise(() => import("../rpc/methods.js")), ({ methods }) => methods.has(operation))

/** The controls: the one implementation behind the Effect service and the HTTP interface. */
export const make = ({ book, credentials, faults, journal, wallet }: ControlParts): Service => {
  const mainnet = makeChain(wallet.chain(8217), book)
  const testnet = makeChain(wallet.chain(1001), book)
  return {
    chain: (chainId) => chainId === 8217 ? mainnet : testnet,
    credentials: Effect.sync(() => credentials.list().map(({ accessKeyId }) => accessKeyId)),
    createCredential: Effect.suspend(() => {
      const pair = credentials.create()
      return pair === undefined
        ? Effect.fail(
          new TooManyCredentials({
            message: "there are two credentials already, the most there may be; delete one first"
          })
        )
        : Effect.succeed(pair)
    }),
    deleteCredential: (accessKeyId) =>
      Effect.suspend(() =>
        credentials.remove(accessKeyId)
          ? Effect.void
          : Effect.fail(new NotThere({ message: `there is no credential ${JSON.stringify(accessKeyId)}` }))
      ),
    requests: (filter = {}) => Effect.sync(() => journal.list(filter)),
    clearRequests: Effect.sync(() => journal.clear()),
    faults: Effect.sync(() => faults.list()),
    addFault: given(Fault, (fault) => {
      const { operation } = fault
      if (operation === undefined) return Effect.sync(() => faults.add(fault))
      return Effect.gen(function*() {
        const names = (yield* operations).map(({ name }) => name)
        if (names.includes(operation) || (yield* isOfNode(operation))) return faults.add(fault)
        return yield* new InvalidControl({
          message: isMethodName(operation)
            ? `the node has no method ${JSON.stringify(operation)}; effect-klaytn-sandbox methods lists them`
            : `no operation is named ${JSON.stringify(operation)}; there are: ${names.join(", ")}`
        })
      })
    }),
    deleteFault: (id) =>
      Effect.suspend(() =>
        faults.remove(id) ? Effect.void : Effect.fail(new NotThere({ message: `there is no fault ${id} in force` }))
      ),
    clearFaults: Effect.sync(() => faults.clear())
  }
}
