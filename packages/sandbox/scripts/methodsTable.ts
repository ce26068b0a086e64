/** The table of the methods that the node side serves, from the methods themselves. */
import * as Method from "@effect-klaytn/node/Method"
import * as Methods from "@effect-klaytn/node/Methods"
import { nodeMethods } from "../src/cli/NodeMethods.js"

const summaries = new Map(Methods.all.map((method) => [Method.wireName(method), method.summary]))

const ofNamespace = (names: ReadonlyArray<string>, namespace: string): ReadonlyArray<string> =>
  names.filter((name) => name.startsWith(`${namespace}_`))

/** A spelling that the SDK does not use means what the other one does. */
const summaryOf = (name: string): string =>
  summaries.get(name) ?? (name === "klay_chainId" ? summaries.get("klay_chainID") : undefined) ?? "-"

const section = (namespace: string, title: string): string =>
  [
    `## ${title}`,
    "",
    "| Method | Answer |",
    "| --- | --- |",
    ...ofNamespace(nodeMethods.served, namespace).map((name) => `| \`${name}\` | ${summaryOf(name)} |`)
  ].join("\n")

const missing = ["klay", "eth", "net", "web3", "rpc"]
  .flatMap((namespace) => ofNamespace(nodeMethods.notServed, namespace))
  .map((name) => `\`${name}\``)

/** The whole page. */
export const page = (): string =>
  [
    "# Methods of the node side",
    `${nodeMethods.served.length} methods are served, those of \`kaia\` counted beside those of \`klay\`, which are the ` +
    "same. Written by `npx tsx packages/sandbox/scripts/methods.ts` from the methods themselves; a test keeps it so. " +
    "`effect-klaytn-sandbox methods` prints the list.",
    section("klay", "klay, and kaia"),
    section("eth", "eth"),
    section("net", "net"),
    section("web3", "web3"),
    section("rpc", "rpc"),
    "## Not served",
    "The SDK knows these too. The chain here has no validators, no staking, no Merkle tries, no count of computation " +
    "cost and no address of a node, and polling filters are switched off on the service: they answer -32601, as does " +
    "any other name. Methods of `klay` are missing under `kaia` too.",
    `${missing.join(", ")}.`
  ].join("\n\n") + "\n"
