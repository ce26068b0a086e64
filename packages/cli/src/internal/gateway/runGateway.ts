/** Runs `klaytn gateway`: serves until it is stopped. */
import type { GatewayStatus } from "@effect-klaytn/gateway/command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schedule from "effect/Schedule"
import * as Scheduler from "effect/Scheduler"
import * as Failure from "../terminal/Failure.js"
import * as instant from "../terminal/instant.js"
import { jsonLine, write } from "../terminal/printed.js"
import { bar, duration, fitted, number } from "../terminal/progress.js"
import * as Screen from "../terminal/Screen.js"
import * as values from "../terminal/values.js"
import { failureAt, load } from "./gatewayPackage.js"
import type { GatewayInput } from "./options.js"
import { keyOf } from "./runWallet.js"

const readSince = ({ since }: GatewayInput) =>
  Either.map(instant.read("--since", since, "first"), (found) => {
    if (found === undefined) return undefined
    return found.unit === "block" ? { block: found.value } : { second: found.value }
  })

const roles = ["all", "serve", "follow", "backfill"] as const

const readRole = ({ role = "all" }: GatewayInput) => {
  const found = roles.find((one) => one === role)
  return found === undefined ? Failure.usage(`--role is one of ${roles.join(", ")}`) : Effect.succeed(found)
}

/** The address of a database as it may be shown. */
const withoutPassword = (database: string): string =>
  URL.canParse(database) && database.startsWith("postgres")
    ? Object.assign(new URL(database), { password: "", search: "" }).href
    : database

/** What the gateway is and how to reach it. */
const page = (
  { access, database, schema }: Pick<GatewayInput, "access" | "database" | "schema">,
  url: string,
  status: GatewayStatus,
  globalFeePayer: string | undefined
): ReadonlyArray<string> => [
  `The gateway listens on ${url}`,
  `  chain ${status.chain} from block ${
    number(status.index.from)
  } on, kept in ${database}; the node is ${status.node.host}`,
  access === "callers"
    ? `  callers need a credential: klaytn gateway callers add NAME --db ${database}`
    : "  any program on this machine can call it; no credential needed",
  ...(globalFeePayer === undefined ? [] : [
    database.startsWith("postgres")
      ? `  the wallet has its keys in the schema ${
        schema ?? "klaytn_index"
      }_wallet of that database: back up the wallet and its master key, apart`
      : `  the wallet has its keys on this machine, in ${database}.wallet: back up the file and its master key, apart`,
    `  send coin for fees to its global fee payer ${globalFeePayer}`
  ]),
  ...status.index.notIndexed.map((what) => `  not indexed: ${what}`),
  `  ${url}/ready  /status  /metrics   Stop: Ctrl-C`
]

/** How far the index of a gateway is, 0 to 1; undefined as long as that is not known. */
const share = ({ index, lag, node }: GatewayStatus): number | undefined => {
  if (node.head === undefined || lag === undefined) return undefined
  const all = node.head - index.from + 1
  return all <= 0 ? 1 : Math.max(0, Math.min(1, 1 - lag.blocks / all))
}

const transfers = ({ index }: GatewayStatus): string => `${number(index.transfersIndexed)} transfers since the start`

/** The load of a new index, over all processes. */
const loading = (
  { blocks, blocksFolded, blocksLoaded, pieces, piecesLoaded }: NonNullable<GatewayStatus["backfill"]>
): ReadonlyArray<string> => [
  `${Math.floor(100 * blocksFolded / blocks)} %`,
  `${number(piecesLoaded)} of ${number(pieces)} pieces`,
  `${number(blocksLoaded)} of ${number(blocks)} blocks loaded, ${number(blocksFolded)} folded`
]

/** How many a second. */
const pace = (perSecond: number, what: string): ReadonlyArray<string> =>
  perSecond > 0 ? [`${perSecond < 10 ? perSecond.toFixed(1) : number(perSecond)} ${what}/s`] : []

const waits = { node: "waits for the node", database: "waits for the database", cpu: "computes" } as const

const behind = (status: GatewayStatus, perSecond: number): ReadonlyArray<string> => {
  const { backfill, catchingUp, index, lag, node } = status
  if (backfill !== undefined) return [...loading(backfill), ...pace(perSecond, "blocks")]
  const left = catchingUp === undefined
    ? perSecond > 0 && lag !== undefined && lag.blocks > 0 ? lag.blocks / perSecond : undefined
    : catchingUp.secondsLeft
  return [
    `${Math.floor(100 * (share(status) ?? 0))} %`,
    `block ${index.head === undefined ? "-" : number(index.head.number)} of ${number(node.head ?? 0)}`,
    ...pace(catchingUp?.blocksPerSecond ?? perSecond, "blocks"),
    ...pace(catchingUp?.transactionsPerSecond ?? 0, "transactions"),
    ...(left === undefined ? [] : [`${duration(left)} left`]),
    ...(catchingUp === undefined ? [] : [waits[catchingUp.waitsFor]]),
    transfers(status)
  ]
}

/** Of a node that is asked at another time than the index is read, or has copies that lag, some blocks less say nothing. */
const passing = 10

const level = (status: GatewayStatus): ReadonlyArray<string> => {
  const { index, lag } = status
  const blocks = lag?.blocks ?? 0
  return [
    `block ${number(index.head?.number ?? 0)}`,
    blocks < -passing ? `the node ${number(-blocks)} below` : `${number(Math.max(0, blocks))} behind`,
    ...(lag?.seconds === undefined ? [] : [`${duration(lag.seconds)} old`]),
    transfers(status)
  ]
}

/** The parts of a line about its state, the most important first. */
const parts = (status: GatewayStatus, perSecond: number): ReadonlyArray<string> => {
  const { backfill, isReady, lag, node, notReady = "" } = status
  const failure = node.failure === undefined ? [] : [Screen.clean(node.failure)]
  if (isReady) return ["ready", ...level(status), ...failure]
  if (node.head === undefined) return ["waiting for the node", ...failure]
  return backfill !== undefined || lag !== undefined && lag.blocks > 0
    ? ["catching up", ...behind(status, perSecond), ...failure]
    : ["not ready", Screen.clean(notReady), ...failure]
}

/** One line for a terminal of so many columns: a bar while the index is behind. */
const stateLine = (status: GatewayStatus, perSecond: number, columns: number): string => {
  const [first = "", ...others] = parts(status, perSecond)
  const done = share(status)
  return fitted(status.isReady || done === undefined ? first : bar(done), others, columns)
}

/** Blocks a second, over the last ten seconds. */
const rate = () => {
  let samples: ReadonlyArray<{ readonly at: number; readonly blocks: number }> = []
  return (blocks: number, at: number): number => {
    samples = [...samples.filter((one) => at - one.at <= 10_000), { at, blocks }]
    const [first = { at, blocks }] = samples
    return at === first.at ? 0 : 1000 * (blocks - first.blocks) / (at - first.at)
  }
}

/** How often a line is written while the index is behind, in milliseconds. */
const lineEvery = 10_000

/**
 * Writes how far the gateway is: a line that is redrawn on a terminal; elsewhere a line when it becomes ready or falls behind, and
 * now and then while it is behind.
 */
const reportOf = (
  json: boolean,
  { error, out }: Pick<Screen.Screen["Type"], "error" | "out">,
  line: Screen.StatusLine
) => {
  const rateAt = rate()
  let wasReady: boolean | undefined
  let writtenAt = 0
  return (status: GatewayStatus): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const { index, isReady } = status
      const perSecond = rateAt(index.blocksIndexed, now)
      if (error.isTerminal && !json) return line.draw(stateLine(status, perSecond, error.columns))
      if (isReady === wasReady && (isReady || now - writtenAt < lineEvery)) return Effect.void
      wasReady = isReady
      writtenAt = now
      return json
        ? out.write(jsonLine({ event: isReady ? "ready" : "behind", blocksPerSecond: Math.round(perSecond), status }))
        : error.write(`${parts(status, perSecond).join("  ")}\n`)
    })
}

const readDays = (text: string) =>
  /^\d{1,5}$/.test(text)
    ? Effect.succeed(`${Number(text)} days` as const)
    : Failure.usage("--keep-deleted takes a number of days")

/** Serves until it is interrupted. */
export const serve = (input: GatewayInput) =>
  Effect.gen(function*() {
    const { access, database, feePayerStyle, host, json, port, schema } = input
    const role = yield* readRole(input)
    const screen = yield* Screen.Screen
    const line = Screen.statusLine(screen.error)
    const since = yield* readSince(input)
    const node = yield* values.ownNode(input.node)
    const accounts = yield* values.ifGiven(input.accounts, values.file("--accounts"))
    const contracts = yield* values.ifGiven(input.contracts, values.file("--contracts"))
    // Without the option, an index traces blocks if it was created so.
    const trace = input.trace ? true : undefined
    const lowBalance = yield* values.ifGiven(input.lowBalance, values.klay("--low-balance"))
    const keepDeleted = yield* values.ifGiven(input.keepDeleted, readDays)
    const maxGasPrice = yield* values.ifGiven(input.maxGasPrice, values.gkei("--max-gas-price"))
    const gasPriceFactor = yield* values.ifGiven(input.gasPriceFactor, values.factor("--gas-price-factor"))
    const heldGasPriceFactor = yield* values.ifGiven(input.heldGasPriceFactor, values.factor("--held-gas-price-factor"))
    const prices = { maxGasPrice, gasPriceFactor, heldGasPriceFactor }
    const wallet = input.wallet
      ? { ...(yield* keyOf(input)), ...prices, lowBalance, keepDeleted, feePayerStyle, pools: values.list(input.pools) }
      : undefined
    const { start } = yield* load
    yield* Effect.gen(function*() {
      const settings = { database, schema, role, host, port, access, node, since, accounts, contracts, trace, wallet }
      const { status, url, wallet: served } = yield* start(settings)
      const first = yield* status
      const shown = { access, schema, database: withoutPassword(database) }
      yield* write(json, { event: "listening", url, status: first }, (out) =>
        Screen.paragraphs(out, page(shown, url, first, served?.globalFeePayer)))
      yield* Effect.repeat(Effect.flatMap(status, reportOf(json, screen, line)), Schedule.spaced("500 millis"))
    }).pipe(line.during, Effect.scoped, Effect.catchTag("GatewayError", failureAt(node.url)))
  }).pipe(
    // The command yields after a few steps so that signals are seen; here each block and each request does.
    Effect.withScheduler(Scheduler.defaultScheduler)
  )
