/** `klaytn doctor --node`: what a node can do, and the options that fit it. */
import * as Chain from "@effect-klaytn/core/Chain"
import { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import { gateway } from "@effect-klaytn/core/ServiceCode"
import type * as ServiceError from "@effect-klaytn/core/ServiceError"
import type { Syncing } from "@effect-klaytn/node/ChainMethods"
import * as NodeReport from "@effect-klaytn/node/NodeReport"
import * as Socket from "@effect/platform/Socket"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as ownNode from "../service/ownNode.js"
import * as Failure from "../terminal/Failure.js"
import { write } from "../terminal/printed.js"
import { counted, number } from "../terminal/progress.js"
import * as Screen from "../terminal/Screen.js"
import * as deviations from "./deviations.js"
import { maxBlockAge } from "./maxBlockAge.js"
import type { DoctorInput } from "./options.js"

const abilities: Readonly<Record<NodeReport.Ability, string>> = { yes: "yes", no: "no", unknown: "no answer" }

const chainLabel = (chainId: bigint): string => {
  const chain = Number(chainId)
  return Chain.is(chain) ? Chain.label(chain) : `${chainId}, neither mainnet (8217) nor testnet (1001)`
}

/** What keeps a program or a gateway from using the node. */
const problemsOf = (
  { blockAge, chainId, height, prefixes, syncing }: NodeReport.NodeReport,
  chain: DoctorInput["chain"]
): ReadonlyArray<string> => [
  ...(prefixes.length === 0 || Option.isNone(height) ? ["the node did not name its newest block"] : []),
  ...Option.match(chainId, {
    onNone: () => ["the node did not name its chain"],
    onSome: (id) => {
      if (chain !== undefined && String(id) !== chain) return [`the chain is not ${chain}`]
      return Chain.is(Number(id)) ? [] : ["the clients and the gateway serve mainnet (8217) and testnet (1001) only"]
    }
  }),
  ...(Option.exists(blockAge, (age) => age > maxBlockAge)
    ? [`the newest block is older than ${maxBlockAge} seconds: the node is behind, or its chain makes blocks on demand`]
    : []),
  ...(Option.exists(blockAge, (age) => age < -maxBlockAge)
    ? [`the newest block is more than ${maxBlockAge} seconds ahead of the clock of this machine: set the clock`]
    : []),
  ...Option.match(syncing, {
    onNone: () => [],
    onSome: (now) => now === false ? [] : [`the node is still syncing: ${syncText(now)}`]
  })
]

const syncText = (syncing: Syncing): string =>
  syncing === false
    ? "no"
    : `at block ${number(syncing.currentBlock)} of ${number(syncing.highestBlock)}`

const ageText = (age: number): string =>
  age < 0 ? `${counted(-age, "second")} ahead of this clock` : `${counted(age, "second")} old`

/** The options of clients and of the gateway that fit the node. */
const optionsOf = ({ batch, oldestState, traces }: NodeReport.NodeReport) => ({
  batching: batch === 1 ? "off" as const : { maxCount: Math.min(batch, 100), maxListCount: batch },
  trace: traces === "yes",
  // Only traces need the state of old blocks.
  since: traces === "yes" ? Option.filter(oldestState, (block) => block > 1n) : Option.none<bigint>()
})

const optionRows = ({ batching, since, trace }: ReturnType<typeof optionsOf>) =>
  [
    [
      "clients",
      batching === "off"
        ? "Batching.off"
        : `Batching.make({ maxCount: ${batching.maxCount}, maxListCount: ${batching.maxListCount} })`
    ],
    [
      "gateway",
      `${trace ? "--trace" : "without --trace"}${Option.isSome(since) ? ` --since #${since.value}` : ""}`
    ]
  ] as const

const webSocketText = ({ sameAddress, service }: NodeReport.NodeReport["webSocket"]): string => {
  if (typeof globalThis.WebSocket === "undefined") return "not tried: needs Node 22"
  if (sameAddress === "yes") return "at the same address"
  if (service === "yes") return "at /v1/ws/open?chain-id="
  return abilities[sameAddress]
}

const answerOf = <A>(answer: Option.Option<A>, textOf: (value: A) => string): string =>
  Option.match(answer, { onNone: () => "no answer", onSome: textOf })

const rowsOf = (report: NodeReport.NodeReport): ReadonlyArray<readonly [name: string, text: string]> => [
  ["node", report.host],
  ["client", report.clients.map(Screen.clean).join(" and ") || "no answer"],
  ["chain", answerOf(report.chainId, chainLabel)],
  ["height", answerOf(report.height, number)],
  ["newest block", answerOf(report.blockAge, ageText)],
  ["syncing", answerOf(report.syncing, syncText)],
  ["prefixes", report.prefixes.join(", ") || "none"],
  ["calls in a request", `${number(report.batch)}${report.batch === 1000 ? " or more" : ""}`],
  [
    "log search",
    Option.match(report.blockRange, {
      onNone: () => "refused",
      onSome: (blocks) => {
        if (Option.exists(report.height, (height) => BigInt(blocks) + NodeReport.nearDepth > height)) {
          return "the whole chain"
        }
        return `${counted(blocks, "block")}${blocks === 10_000 ? " or more" : ""}`
      }
    })
  ],
  ["receipts by block", abilities[report.blockReceipts]],
  ["traces", abilities[report.traces]],
  [
    "reverts",
    Option.match(report.unknownRevert, {
      onNone: () => "no unknown words",
      onSome: (words) => `unknown words: ${Screen.clean(words).slice(0, 200)}`
    })
  ],
  [
    "state",
    Option.match(report.oldestState, {
      onNone: () => "not 1,000 blocks back",
      onSome: (block) => `from block ${number(block)} on${block > 1n ? ", perhaps from an earlier one" : ""}`
    })
  ],
  ["WebSocket", webSocketText(report.webSocket)],
  ["several nodes", report.hasSeveralNodes ? "yes: answers in a row differ" : "not seen"],
  ["throttling", report.throttled === 0 ? "not seen" : counted(report.throttled, "answer")],
  ["slowest answer", `${number(Math.round(report.slowestMillis))} ms`]
]

const page = (
  out: Screen.Output,
  report: NodeReport.NodeReport,
  problems: ReadonlyArray<string>
): string =>
  Screen.lines([
    ...Screen.sheet(out, rowsOf(report)),
    "",
    ...(problems.length === 0 ?
      [`Usable. It took ${counted(report.requests, "request")}.`] :
      problems.flatMap((text) => Screen.prose(out, `Wrong: ${text}.`))),
    "",
    "Options that fit:",
    ...Screen.sheet(out, optionRows(optionsOf(report)).map(([name, text]) => [`  ${name}`, text] as const))
  ])

type NoNode =
  | ServiceError.NotFound
  | ServiceError.MalformedResponse
  | ServiceError.Unavailable
  | ServiceError.Rejected
  | ServiceError.Unauthorized

/** Says of an address what has it, if that is no node: a sandbox, or something that answers HTTP in other words. */
const noNode = (url: string) => (error: NoNode) =>
  Effect.gen(function*() {
    yield* ownNode.refuseSandbox(url)
    const { host, origin } = new URL(url)
    if (error.code === gateway.invalidAuthorization || error.code === gateway.invalidCredential) {
      return yield* Failure.usage(
        `${host} is a gateway or the hosted service, and this is not the address of a node`,
        `to check it: set KLAYTN_NODE_URL=${origin} and its access key, and leave --node and --own-node out`
      )
    }
    // A node that asks for a credential, or is overloaded, answers so too.
    const mayBeNode = error._tag === "Unauthorized" ||
      error._tag === "Unavailable" &&
        (error.status === undefined || [408, 425, 500, 502, 503, 504].includes(error.status))
    if (mayBeNode) return yield* Effect.fail(error)
    return yield* Failure.usage(
      `${host} answers, but this is no JSON-RPC node (${Screen.clean(error.message)})`,
      "check the address and its path, of --node or KLAYTN_OWN_NODE_URL"
    )
  })

/** `klaytn doctor --node`. */
export const run = Effect.fnUntraced(function*(input: DoctorInput) {
  const { settings, url } = yield* ownNode.open(input)
  const { error } = yield* Screen.Screen
  if (!input.json) yield* error.write(`Asks the node at most ${NodeReport.maxRequests} requests, and only reads.\n`)
  // Node has WebSockets since version 22. An `Authorization` header can't go with their address.
  const report = yield* NodeReport.inspect({ webSocketUrl: Redacted.make(url.replace(/^http/i, "ws")) }).pipe(
    Effect.provide(Socket.layerWebSocketConstructorGlobal),
    Effect.provideService(ClientConfig, settings),
    Effect.catchTags({
      NotFound: noNode(url),
      MalformedResponse: noNode(url),
      Unavailable: noNode(url),
      Rejected: noNode(url),
      Unauthorized: noNode(url)
    }),
    ownNode.explained
  )
  const problems = problemsOf(report, input.chain)
  const differs = yield* deviations.of(report.clients, url)
  const isUsable = problems.length === 0
  yield* write(
    input.json,
    {
      isUsable,
      problems,
      maxRequests: NodeReport.maxRequests,
      report,
      options: optionsOf(report),
      ...Option.match(differs, { onNone: () => ({}), onSome: (all) => ({ deviations: all }) })
    },
    (out) => page(out, report, problems) + Screen.lines(deviations.page(out, differs))
  )
  return isUsable ? "ok" as const : "found" as const
})
