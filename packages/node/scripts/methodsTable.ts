/** The table of all methods, from the methods themselves. */
import * as Method from "../src/Method.js"
import * as Methods from "../src/Methods.js"
import type { Param } from "../src/Param.js"

interface Line {
  readonly call: string
  readonly method: Method.Any
}

/** The parameters of a method when nothing is given: their names and what they take. */
const paramsOf = (method: Method.Any): ReadonlyArray<Param> =>
  // Parameters are checked when they are encoded, so that any method can be asked what it takes.
  (method.params as unknown as () => ReadonlyArray<Param>)()

const lines = (namespace: string, group: { readonly [name: string]: Method.Any }): ReadonlyArray<Line> =>
  Object.entries(group).map(([name, method]) => ({ call: `${namespace}.${name}`, method }))

const takes = (param: Param): string => `${param.name}: ${param.form.takes}${param.optional ? "?" : ""}`

const row = ({ call, method }: Line): string => {
  const params = paramsOf(method).filter(({ form }) => form.takes !== "true" && form.takes !== "false")
  const since = method.since === undefined ? "" : ` (${method.since})`
  const cells = [
    `\`${call}\``,
    `\`${Method.wireName(method)}\``,
    params.map(takes).join(", ") || "-",
    method.summary + since,
    method.safety
  ]
  return `| ${cells.join(" | ")} |`
}

const section = (title: string, namespace: string, group: { readonly [name: string]: Method.Any }): string =>
  [
    `## ${title}`,
    "",
    "| Function | On the wire | Parameters | Answer | Repeated |",
    "| --- | --- | --- | --- | --- |",
    ...lines(namespace, group).map(row)
  ].join("\n")

/** The whole page. */
export const page = (): string =>
  [
    "# Methods",
    `${Methods.all.length} functions. Written by \`npx tsx packages/node/scripts/methods.ts\` from the methods themselves; a test keeps it so.`,
    "A block that is left out is the latest one. `safe` calls are repeated after a failure that may pass, `keyed` ones " +
    "too, because what they carry can happen only once; `once` is repeated only if nothing was sent. The methods of " +
    "`klay` go out as `kaia_...` if the client is set so. Subscriptions (`klay_subscribe`) need a WebSocket and methods " +
    "that need keys held by the node (`klay_sendTransaction`, `personal_...`) are not there on a hosted node; anything " +
    "else can be called by name with `call`.",
    section("klay", "klay", Methods.klay),
    section("eth", "eth", Methods.eth),
    section("net", "net", Methods.net),
    section("web3", "web3", Methods.web3),
    section("rpc", "rpc", Methods.rpc)
  ].join("\n\n") + "\n"
