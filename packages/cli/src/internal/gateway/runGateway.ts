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
import * as Screen from "../terminal/Screen.js"
import * as values from "../terminal/values.js"
import { failureOf, load } from "./gatewayPackage.js"
import * as gatewayText from "./gatewayText.js"
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
    const { start } = yield* load
    yield* Effect.gen(function*() {
      const { status, url, wallet } = yield* start({
        database,
        schema,
        role,
        host,
        port,
        access,
        node,
        since,
        accounts,
        contracts,
        trace,
        wallet: input.wallet ? { ...(yield* keyOf(input)), lowBalance, feePayerStyle } : undefined
      })
      const started = {
        url,
        status: yield* status,
        database: withoutPassword(database),
        hasCallers: access === "callers",
        globalFeePayer: wallet?.globalFeePayer
      }
      yield* write(
        json,
        { event: "listening", url, status: started.status },
        (out) => Screen.paragraphs(out, gatewayText.page(started))
      )
      yield* Effect.repeat(Effect.flatMap(status, reportOf(json, screen, line)), Schedule.spaced("500 millis"))
    }).pipe(line.during, Effect.scoped)
  }).pipe(
    Effect.catchTag("GatewayError", failureOf),
    // The command yields after a few steps so that signals are seen; here each block and each request does.
    Effect.withScheduler(Scheduler.defaultScheduler)
  )
