/** Runs `klaytn gateway`: serves until it is stopped. And `klaytn gateway callers`. */
import type { GatewayError, GatewayStatus, Running } from "@effect-klaytn/gateway/command"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberRef from "effect/FiberRef"
import * as HashSet from "effect/HashSet"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scheduler from "effect/Scheduler"
import * as beside from "./beside.js"
import type { ExitCode } from "./exitCode.js"
import * as Failure from "./Failure.js"
import * as gatewayText from "./gatewayText.js"
import * as instant from "./instant.js"
import { readFile } from "./optionFile.js"
import * as Screen from "./Screen.js"

const load = beside.load("gateway", () => import("@effect-klaytn/gateway/command"))

interface Input {
  readonly node: Option.Option<string>
  readonly db: string
  readonly since: Option.Option<string>
  readonly accounts: Option.Option<string>
  readonly contracts: Option.Option<string>
  readonly trace: boolean
  readonly port: number
  readonly host: string
  readonly noCredential: boolean
  readonly json: boolean
}

const exitOf: Readonly<Record<GatewayError["reason"], ExitCode>> = {
  Locked: "tryAgain",
  Node: "tryAgain",
  Database: "usage",
  Address: "usage",
  Chain: "usage",
  Start: "usage",
  Host: "usage",
  Listen: "usage",
  Caller: "usage"
}

const failureOf = ({ _tag, message, reason }: GatewayError): Failure.Failure =>
  new Failure.Failure({ message: Screen.clean(message), kind: _tag, exit: exitOf[reason] })

const readNode = ({ node }: Input) =>
  Effect.gen(function*() {
    const url = Option.isSome(node) ? node : yield* Config.option(Config.nonEmptyString("KLAYTN_OWN_NODE_URL"))
    if (Option.isNone(url)) {
      return yield* Failure.usage("there is no node", "give its address with --node, or set KLAYTN_OWN_NODE_URL")
    }
    const authorization = yield* Config.option(Config.redacted("KLAYTN_OWN_NODE_AUTHORIZATION"))
    return { url: url.value, authorization: Option.getOrUndefined(Option.map(authorization, Redacted.value)) }
  })

const readSince = ({ since }: Input) =>
  Option.match(since, {
    onNone: () => Either.right(undefined),
    onSome: (text) =>
      Either.map(
        instant.parse("--since", text, "first"),
        ({ unit, value }) => unit === "block" ? { block: value } : { second: value }
      )
  })

/** What the files of `--accounts` and `--contracts` say. */
const readLists = ({ accounts, contracts }: Input) => {
  const textOf = (option: string, file: Option.Option<string>) =>
    Option.match(file, {
      onNone: () => Effect.succeed(undefined),
      onSome: (path) => readFile(option, path)
    })
  return Effect.all({ accounts: textOf("--accounts", accounts), contracts: textOf("--contracts", contracts) })
}

/** Writes how far the gateway is. */
type Report = (status: GatewayStatus) => Effect.Effect<void>

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

/** Runs `write` when the gateway becomes ready or falls behind, and now and then while it is behind. */
const nowAndThen = (write: (status: GatewayStatus, perSecond: number) => Effect.Effect<void>): Report => {
  const perSecond = rate()
  let wasReady: boolean | undefined
  let writtenAt = 0
  return (status) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const speed = perSecond(status.index.blocksIndexed, now)
      const isDue = !status.isReady && now - writtenAt >= lineEvery
      if (status.isReady === wasReady && !isDue) return Effect.void
      wasReady = status.isReady
      writtenAt = now
      return write(status, speed)
    })
}

const event = (name: string, fields: object): string => `${JSON.stringify({ event: name, ...fields })}\n`

/** A line that is redrawn on a terminal, lines elsewhere. */
const reportOf = ({ json }: Input, { error, out }: Screen.Screen["Type"], line: Screen.StatusLine): Report => {
  if (json) {
    return nowAndThen((status, perSecond) =>
      out.write(event(status.isReady ? "ready" : "behind", { blocksPerSecond: Math.round(perSecond), status }))
    )
  }
  if (!error.isTerminal) {
    return nowAndThen((status, perSecond) => error.write(`${gatewayText.parts(status, perSecond).join("  ")}\n`))
  }
  const perSecond = rate()
  return (status) =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => line.draw(gatewayText.line(status, perSecond(status.index.blocksIndexed, now), error.columns))
    )
}

/** Log lines above the line that is redrawn. */
const loggingAbove = (error: Screen.Output, line: Screen.StatusLine) =>
  Effect.locally(
    FiberRef.currentLoggers,
    HashSet.make(Logger.map(Logger.stringLogger, (text) => Effect.runSync(line.above(error, `${text}\n`))))
  )

const announce = (input: Input, { out }: Screen.Screen["Type"], { status, url }: Running) =>
  Effect.flatMap(status, (now) =>
    out.write(
      input.json
        ? event("listening", { url, status: now })
        : Screen.lines(
          gatewayText.page({ url, status: now, database: input.db, hasCallers: !input.noCredential })
            .flatMap((text) => Screen.prose(out, text))
        )
    ))

/** Serves until it is interrupted. */
export const serve = (input: Input) =>
  Effect.gen(function*() {
    const screen = yield* Screen.Screen
    const since = yield* readSince(input)
    const node = yield* readNode(input)
    const lists = yield* readLists(input)
    const { start } = yield* load
    const line = Screen.statusLine(screen.error)
    const running = Effect.gen(function*() {
      const gateway = yield* Effect.mapError(
        start({
          node,
          database: input.db,
          since,
          ...lists,
          // Without the option, it is as the index was created.
          trace: input.trace ? true : undefined,
          host: input.host,
          port: input.port,
          access: input.noCredential ? "anyone" : "callers"
        }),
        failureOf
      )
      yield* announce(input, screen, gateway)
      const report = reportOf(input, screen, line)
      yield* Effect.repeat(Effect.flatMap(gateway.status, report), Schedule.spaced("500 millis"))
      return yield* Effect.never
    })
    return yield* running.pipe(
      Effect.scoped,
      Effect.ensuring(line.clear),
      screen.error.isTerminal && !input.json ? loggingAbove(screen.error, line) : (self) => self
    )
    // The command yields after a few steps so that signals are seen; here each block and each request does.
  }).pipe(Effect.withScheduler(Scheduler.defaultScheduler))

interface CallersInput {
  readonly db: string
  readonly json: boolean
  readonly action: string
  readonly name: Option.Option<string>
}

const time = (seconds: number): string => instant.format({ unit: "second", value: seconds })

/** Creates, lists or revokes callers. */
export const callers = ({ action, db, json, name }: CallersInput) =>
  Effect.gen(function*(): Effect.fn.Return<ExitCode, Failure.Failure, Screen.Screen> {
    const { out } = yield* Screen.Screen
    if (action !== "list" && Option.isNone(name)) {
      return yield* Failure.usage(`${action} takes the name of a caller`, `klaytn gateway callers ${action} NAME`)
    }
    if (action === "list" && Option.isSome(name)) return yield* Failure.usage("list takes no name")
    const caller = Option.getOrElse(name, () => "")
    const { callers } = yield* load
    if (action === "list") {
      const all = yield* Effect.mapError(callers.list(db), failureOf)
      yield* out.write(
        json
          ? all.map((one) => `${JSON.stringify(one)}\n`).join("")
          : Screen.lines(Screen.table(all.map((one) => [one.name, one.accessKeyId, time(one.createdAt)])))
      )
    } else if (action === "add") {
      const added = yield* Effect.mapError(callers.add(db, caller), failureOf)
      yield* out.write(
        json ? `${JSON.stringify(added)}\n` : Screen.lines([
          `export KLAYTN_ACCESS_KEY_ID=${added.accessKeyId}`,
          `export KLAYTN_SECRET_ACCESS_KEY=${added.secretAccessKey}`
        ])
      )
    } else {
      yield* Effect.mapError(callers.revoke(db, caller), failureOf)
      yield* out.write(json ? `${JSON.stringify({ revoked: caller })}\n` : `${caller} is revoked\n`)
    }
    return "ok"
  })
