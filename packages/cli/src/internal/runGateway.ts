/** Runs `klaytn gateway`: serves until it is stopped. And `klaytn gateway callers`. */
import type { GatewayError, GatewayStatus } from "@effect-klaytn/gateway/command"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberRef from "effect/FiberRef"
import * as HashSet from "effect/HashSet"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Scheduler from "effect/Scheduler"
import * as beside from "./beside.js"
import * as Failure from "./Failure.js"
import type { CallersInput, GatewayInput } from "./gatewayCommands.js"
import * as gatewayText from "./gatewayText.js"
import * as instant from "./instant.js"
import { readFile } from "./optionFile.js"
import { jsonLine } from "./printed.js"
import * as Screen from "./Screen.js"

const load = beside.load("gateway", () => import("@effect-klaytn/gateway/command"))

/** Another process may close the file, and the node may answer later. All else has to be mended. */
const passing: ReadonlySet<GatewayError["reason"]> = new Set(["Locked", "Node"])

const failureOf = ({ _tag, message, reason }: GatewayError): Failure.Failure =>
  new Failure.Failure({
    message: Screen.clean(message),
    kind: _tag,
    exit: passing.has(reason) ? "tryAgain" : "usage",
    hints: reason === "Address" ? ["give the address of the node with --node, or set KLAYTN_OWN_NODE_URL"] : []
  })

const readNode = ({ node }: GatewayInput) =>
  Effect.gen(function*() {
    const url = node ?? Option.getOrUndefined(yield* Config.option(Config.nonEmptyString("KLAYTN_OWN_NODE_URL")))
    if (url === undefined) {
      return yield* Failure.usage("there is no node", "give its address with --node, or set KLAYTN_OWN_NODE_URL")
    }
    const authorization = yield* Config.option(Config.string("KLAYTN_OWN_NODE_AUTHORIZATION"))
    return { url, authorization: Option.getOrUndefined(authorization) }
  })

const readSince = ({ since }: GatewayInput) =>
  Either.map(instant.read("--since", since, "first"), (found) => {
    if (found === undefined) return undefined
    return found.unit === "block" ? { block: found.value } : { second: found.value }
  })

const readList = (option: string, file: string | undefined) =>
  file === undefined ? Effect.succeed(undefined) : readFile(option, file)

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
      if (error.isTerminal && !json) return line.draw(gatewayText.line(status, perSecond, error.columns))
      if (isReady === wasReady && (isReady || now - writtenAt < lineEvery)) return Effect.void
      wasReady = isReady
      writtenAt = now
      return json
        ? out.write(jsonLine({ event: isReady ? "ready" : "behind", blocksPerSecond: Math.round(perSecond), status }))
        : error.write(`${gatewayText.parts(status, perSecond).join("  ")}\n`)
    })
}

/** Log lines above the line that is redrawn. */
const loggingAbove = (error: Screen.Output, line: Screen.StatusLine) =>
  Effect.locally(
    FiberRef.currentLoggers,
    HashSet.make(Logger.map(Logger.stringLogger, (text) => Effect.runSync(line.above(error, `${text}\n`))))
  )

/** Serves until it is interrupted. */
export const serve = (input: GatewayInput) =>
  Effect.gen(function*() {
    const { access, database, host, json, port } = input
    const { error, out } = yield* Screen.Screen
    const since = yield* readSince(input)
    const node = yield* readNode(input)
    const accounts = yield* readList("--accounts", input.accounts)
    const contracts = yield* readList("--contracts", input.contracts)
    const { start } = yield* load
    const line = Screen.statusLine(error)
    const running = Effect.gen(function*() {
      const gateway = yield* Effect.mapError(
        start({
          database,
          host,
          port,
          access,
          node,
          since,
          accounts,
          contracts,
          // Without the option, it is as the index was created.
          trace: input.trace ? true : undefined
        }),
        failureOf
      )
      const { url } = gateway
      const status = yield* gateway.status
      yield* out.write(
        json
          ? jsonLine({ event: "listening", url, status })
          : Screen.paragraphs(out, gatewayText.page({ url, status, database, hasCallers: access === "callers" }))
      )
      const report = reportOf(json, { error, out }, line)
      yield* Effect.repeat(Effect.flatMap(gateway.status, report), Schedule.spaced("500 millis"))
      return yield* Effect.never
    })
    return yield* running.pipe(
      Effect.scoped,
      Effect.ensuring(line.clear),
      error.isTerminal && !json ? loggingAbove(error, line) : (self) => self
    )
    // The command yields after a few steps so that signals are seen; here each block and each request does.
  }).pipe(Effect.withScheduler(Scheduler.defaultScheduler))

const time = (seconds: number): string => instant.format({ unit: "second", value: seconds })

/** Creates, lists or revokes callers. */
export const callers = ({ action, database, json, name }: CallersInput) =>
  Effect.gen(function*() {
    const { out } = yield* Screen.Screen
    if (action === "list") {
      if (name !== undefined) return yield* Failure.usage("list takes no name")
      const { callers } = yield* load
      const all = yield* Effect.mapError(callers.list(database), failureOf)
      yield* out.write(
        json
          ? all.map(jsonLine).join("")
          : Screen.lines(Screen.table(all.map((one) => [one.name, one.accessKeyId, time(one.createdAt)])))
      )
      return "ok" as const
    }
    if (name === undefined) {
      return yield* Failure.usage(`${action} takes the name of a caller`, `klaytn gateway callers ${action} NAME`)
    }
    const { callers } = yield* load
    if (action === "add") {
      const added = yield* Effect.mapError(callers.add(database, name), failureOf)
      yield* out.write(
        json ? jsonLine(added) : Screen.lines([
          `export KLAYTN_ACCESS_KEY_ID=${added.accessKeyId}`,
          `export KLAYTN_SECRET_ACCESS_KEY=${added.secretAccessKey}`
        ])
      )
    } else {
      yield* Effect.mapError(callers.revoke(database, name), failureOf)
      yield* out.write(json ? jsonLine({ revoked: name }) : `${name} is revoked\n`)
    }
    return "ok" as const
  })
