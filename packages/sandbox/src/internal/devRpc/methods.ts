import type { FindMethod } from "../rpc/envelope.js"
import type { Method, Methods } from "../rpc/Method.js"
import { methods as served } from "../rpc/methods.js"
import { accountMethods } from "./accountMethods.js"
import { devMethods } from "./devMethods.js"
import type { DevRpcState } from "./DevRpcState.js"
import { filterMethods } from "./filterMethods.js"
import { poolMethods } from "./poolMethods.js"
import { traceMethods } from "./traceMethods.js"

/** Names of Ethereum's for methods that the chain has under its own. */
const aliases: ReadonlyMap<string, string> = new Map([["eth_protocolVersion", "klay_protocolVersion"]])

/** The methods that only this interface serves. */
export const ownMethods = (state: DevRpcState): Methods => ({
  ...devMethods(state),
  ...accountMethods(state),
  ...poolMethods,
  ...traceMethods,
  ...filterMethods(state)
})

/** The methods of a node, and those that only this interface serves, which come first. */
export const devRpcMethods = (state: DevRpcState): FindMethod => {
  const own: ReadonlyMap<string, Method> = new Map(Object.entries(ownMethods(state)))
  return (name) => own.get(name) ?? served.get(aliases.get(name) ?? name)
}
