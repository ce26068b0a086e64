/**
 * Which methods of a node the sandbox serves. Both lists are computed: what is served is what has a body here, and what
 * is not is what the SDK has beyond that.
 */
import * as Method from "@effect-klaytn/node/Method"
import * as Methods from "@effect-klaytn/node/Methods"
import { methods } from "../internal/rpc/methods.js"

/**
 * The methods by their names on the wire. Those of `klay` are there twice, since `kaia` has them too.
 *
 * @category models
 */
export interface NodeMethods {
  readonly served: ReadonlyArray<string>
  /** Methods of the SDK that answer -32601 here: this chain cannot answer them truthfully. */
  readonly notServed: ReadonlyArray<string>
}

const known = Methods.all.flatMap((method) =>
  method.namespace === "klay"
    ? [Method.wireName(method, "klay"), Method.wireName(method, "kaia")]
    : [Method.wireName(method)]
)

/**
 * What the sandbox serves, and what it does not.
 *
 * @category constructors
 */
export const nodeMethods: NodeMethods = {
  served: [...methods.keys()],
  notServed: [...new Set(known)].filter((name) => !methods.has(name))
}

/**
 * One line of JSON, with the number of methods that are served.
 *
 * @category formatting
 */
export const line = ({ notServed, served }: NodeMethods): string =>
  JSON.stringify({ count: served.length, served, notServed })

const width = 100

/** Names in lines that are not too long. */
const wrap = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let current = ""
  for (const name of names) {
    if (current !== "" && current.length + name.length + 2 > width) {
      lines.push(`  ${current},`)
      current = ""
    }
    current = current === "" ? name : `${current}, ${name}`
  }
  return current === "" ? lines : [...lines, `  ${current}`]
}

const ofNamespace = (names: ReadonlyArray<string>, namespace: string): ReadonlyArray<string> =>
  names.filter((name) => name.startsWith(`${namespace}_`)).map((name) => name.slice(namespace.length + 1))

/**
 * The lists for people.
 *
 * @category formatting
 */
export const page = ({ notServed, served }: NodeMethods): string => {
  const sections = (names: ReadonlyArray<string>) =>
    ["klay", "eth", "net", "web3", "rpc"].flatMap((namespace) => {
      const own = ofNamespace(names, namespace)
      return own.length === 0 ? [] : [namespace === "klay" ? "klay and kaia" : namespace, ...wrap(own), ""]
    })
  return [
    `${served.length} methods of a node are served:`,
    "",
    ...sections(served),
    "Known, and not served (-32601):",
    "",
    ...sections(notServed)
  ].join("\n").trimEnd()
}
