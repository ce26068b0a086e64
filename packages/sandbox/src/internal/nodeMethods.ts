/**
 * The methods of a node that the sandbox serves, and those that it does not. Both lists are computed: a method is served
 * if it has a handler; all other methods of the SDK are not.
 */
import * as Method from "@effect-klaytn/node/Method"
import * as Methods from "@effect-klaytn/node/Methods"
import { methods } from "./rpc/methods.js"

const known = Methods.all.flatMap((method) =>
  method.namespace === "klay"
    ? [Method.wireName(method, "klay"), Method.wireName(method, "kaia")]
    : [Method.wireName(method)]
)

/** The methods by their names on the wire. Those of `klay` are there twice, since `kaia` has them too. */
export const nodeMethods = {
  served: [...methods.keys()],
  /** Methods of the SDK that answer -32601 here: this chain cannot answer them truthfully. */
  notServed: [...new Set(known)].filter((name) => !methods.has(name))
}
