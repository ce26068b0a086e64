import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chain } from "../../Chain.js"
import type { FindMethod } from "../rpc/envelope.js"
import { failure, Hinted, inNamespaces, type Method, method, type Methods } from "../rpc/Method.js"
import { methods as served } from "../rpc/methods.js"
import { nonceGap } from "../rpc/nonceGap.js"
import { hash, id, isRecord } from "../rpc/ParamDecoder.js"
import { accountMethods } from "./accountMethods.js"
import { blobMethods } from "./blobMethods.js"
import { councilMethods } from "./councilMethods.js"
import { devMethods } from "./devMethods.js"
import { DevRpcState } from "./DevRpcState.js"
import { filterMethods } from "./filterMethods.js"
import { poolMethods } from "./poolMethods.js"
import { type SandboxControls, sandboxMethods } from "./sandboxMethods.js"
import { supplyMethods } from "./supplyMethods.js"
import { traceMethods } from "./traceMethods.js"

/** Names of Ethereum's for methods that the chain has under its own. */
const aliases: ReadonlyMap<string, string> = new Map([["eth_protocolVersion", "klay_protocolVersion"]])

/** What is asked for over HTTP of a connection's own; a connection has its own methods. */
const overHttp: Methods = inNamespaces(["eth", "klay", "kaia"], {
  unsubscribe: method([id], (_chain, _subscription) => failure("subscription not found"))
})

/** The methods that only this interface serves. */
export const ownMethods = (state: DevRpcState, controls: Effect.Effect<SandboxControls>): Methods => ({
  ...devMethods(state),
  ...accountMethods(state),
  ...poolMethods(state),
  ...blobMethods,
  ...councilMethods,
  ...supplyMethods,
  ...overHttp,
  ...traceMethods,
  ...filterMethods(state),
  ...sandboxMethods(controls)
})

/** Whether there is a method of this name, of a node, of this interface alone, or of its connections. */
export const isServed = (name: string): boolean =>
  /^(?:eth|kaia|klay)_(?:un)?subscribe$/.test(name) ||
  devRpcMethods(new DevRpcState(() => []), Effect.never)(name) !== undefined

/** The transaction that a send answered with: its hash, or its form with the bytes beside it. */
const sentOf = (chain: Chain, answer: unknown) => {
  const tx = isRecord(answer) && isRecord(answer["tx"]) ? answer["tx"]["hash"] : answer
  return Option.match(Option.getRight(hash.decode(tx)), {
    onNone: () => Effect.succeedNone,
    onSome: (found) => chain.pendingTransaction(found)
  })
}

/** The method, whose answer says so if the transaction that it sent waits for an earlier nonce. */
const hinted = (send: Method): Method => (chain, params) =>
  Effect.flatMap(send(chain, params), (answer) =>
    Effect.gen(function*() {
      const sent = Option.getOrUndefined(yield* sentOf(chain, answer))
      const hint = sent === undefined ? undefined : yield* nonceGap(chain, sent)
      return hint === undefined ? answer : new Hinted(answer, hint)
    }))

const isSend = (name: string): boolean => /_send(?:Raw)?Transaction(?:AsFeePayer)?$/.test(name)

/** The methods of a node, and those that only this interface serves, which come first. */
export const devRpcMethods = (state: DevRpcState, controls: Effect.Effect<SandboxControls>): FindMethod => {
  const own: ReadonlyMap<string, Method> = new Map(Object.entries(ownMethods(state, controls)))
  return (name) => {
    const found = own.get(name) ?? served.get(aliases.get(name) ?? name)
    return found !== undefined && isSend(name) ? hinted(found) : found
  }
}
