/** The drill of bad days of a database: what is started, what is in the way of it, and what has to be so afterwards. */
import * as Address from "@effect-klaytn/core/Address"
import * as Gateway from "@effect-klaytn/gateway/Gateway"
import * as Generator from "@effect-klaytn/sandbox/Generator"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as WalletCode from "@effect-klaytn/wallet/WalletCode"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { callers, wallet as walletCommands } from "../../packages/gateway/src/internal/command.js"
import * as Payouts from "../../packages/payouts/src/Payouts.js"
import * as PayoutState from "../../packages/payouts/src/PayoutState.js"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import type { Replicated } from "../engine/postgres.js"
import { watchDelays } from "./databaseDelays.js"
import { DatabaseProxy } from "./DatabaseProxy.js"
import { type Name, type Query, type Trouble, troubles } from "./databaseTroubles.js"
import * as work from "./databaseWork.js"

/** What goes wrong on purpose, for the drill to find: a page is held back, a payment is made again, one is forgotten, a fault is told twice. */
export const mistakes = ["late", "twice", "lost", "told"] as const

export type Mistake = typeof mistakes[number]

export interface Options {
  readonly seed: string
  readonly servers: Replicated
  readonly troubles: ReadonlyArray<Name>
  /** How long a trouble lasts, in milliseconds. */
  readonly lasts: readonly [least: number, most: number]
  readonly mistake: Mistake | undefined
  readonly say: (line: string) => void
}

/**
 * How long calls may take, in milliseconds: 8 seconds, as the guide of many machines says; the wallet's wait for the node, too; a payout is
 * submitted by a program that gives a statement 5 seconds, of which it needs some.
 */
const limits: Readonly<Record<work.Call["what"], number>> = {
  page: 8_000,
  ready: 8_000,
  "standby page": 8_000,
  wallet: 10_000,
  payout: 16_000
}

/** How much later an answer may be noticed. */
const slack = 1_500

/** How soon everything goes on after the return of the database, in milliseconds. */
const returning = 30_000

/** By how much a machine that is busy holds this process up before its answers say nothing about databases, in milliseconds. */
const starving = 2_000

/** How long the log may take to say that: as long as the database has to answer without a failure, and a look. */
const telling = 15_000

const MadeAccount = Schema.Struct({ address: Address.FromInput })

const schema = "drill"
const walletKey = Redacted.make("0a".repeat(32))
const klay = 10n ** 18n

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const query: Query = (url, ...statements) =>
  PgClient.make({ url, maxConnections: 1 }).pipe(
    Effect.flatMap((sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.runPromise
  )

/** The statements that the guide gives a role that serves. */
const grants = (): ReadonlyArray<string> => {
  const guide = readFileSync(new URL("../../docs/guides/many-machines.md", import.meta.url), "utf8")
  const [, block = ""] = /```sql\n(CREATE ROLE server[^`]*)```/.exec(guide) ?? []
  const statements = block.replaceAll("klaytn_index", schema).split(";").map((one) => one.trim()).filter((one) =>
    one !== ""
  )
  if (statements.length < 3) throw new Error("the guide of many machines does not say what a role that serves needs")
  return statements
}

/** A line of the log, from a warning up, and what is said of a return. */
interface Line {
  readonly at: number
  readonly text: string
}

const isOutage = ({ text }: Line): boolean => / fails \(.*; trying again\. /s.test(text)
const isReturn = ({ text }: Line): boolean => / answers again; it failed for \d+ seconds$/.test(text)

const logger = (lines: Array<Line>) =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ logLevel, message }) => {
      const line = { at: performance.now(), text: `${logLevel.label} ${String(message)}` }
      if (LogLevel.greaterThanEqual(logLevel, LogLevel.Warning) || isReturn(line)) lines.push(line)
    })
  )

/** Starts everything, and waits until it works. */
const start = ({ seed, servers }: Options) =>
  Effect.gen(function*() {
    const proxy = yield* Effect.acquireRelease(
      Effect.promise(() => DatabaseProxy.start(new URL(Redacted.value(servers.primary.url)))),
      (proxy) => Effect.sync(() => proxy.close())
    )
    const url = Redacted.make(proxy.url.href)
    const { chains, url: service } = yield* Sandbox.Sandbox
    const chain = chains.chain(1001)
    const first = (yield* chain.head).timestamp
    const { accounts } = yield* Generator.generate(chain, { seed, transfers: 200, accounts: 6 })
    const options = { node: { url: `${service}/rpc/1001` }, schema, chain: 1001, maxLag: 10 } as const
    const { accessKeyId, secretAccessKey } = yield* callers.add(
      proxy.url.href,
      "drill",
      { rights: ["read", "wallet"] },
      schema
    )
    const gateway = yield* Gateway.make({
      ...options,
      database: proxy.url.href,
      wallet: { feePayerStyle: "paths", patience: "3 seconds", key: walletKey }
    })
    yield* Effect.promise(() => query(servers.primary.url, ...grants()))
    const standby = new URL(Redacted.value(servers.standby.url))
    standby.username = "server"
    const reader = yield* Gateway.make({ ...options, database: standby.href, role: "serve", access: "anyone" })
    const headers = {
      authorization: `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`,
      "x-chain-id": "1001",
      "content-type": "application/json"
    }
    const made = yield* Effect.promise(() =>
      work.ask(`${gateway.url}/v2/account`, { method: "POST", headers, body: "{}" })
    )
    const { address: walletFrom } = yield* Schema.decodeUnknown(MadeAccount)(JSON.parse(made?.text ?? "{}"))
    const wallet = yield* Wallet.make()
    const { address: payoutFrom } = yield* wallet.createAccount
    for (const account of [walletFrom, payoutFrom]) yield* chain.fund(account, 1000n * klay)
    // It is not new: a payout of an account that has never sent opens it first.
    yield* wallet.sendValue({ from: payoutFrom, to: payoutFrom, value: 1n, payer: FeeDelegation.service })
    const payouts = Context.get(yield* Layer.build(work.payouts(url)), Payouts.Payouts)
    return {
      proxy,
      url,
      chain,
      gateway,
      reader,
      headers,
      walletFrom,
      payoutFrom,
      payouts,
      exported: yield* Effect.forEach(accounts.slice(0, 3), ({ address }) => Address.make(address)),
      range: [first, (yield* chain.head).timestamp - 120] as const
    }
  })

type Started = Effect.Effect.Success<ReturnType<typeof start>>

/** Who works all the time, until it is stopped. */
const begin = (
  started: Started,
  { mistake, seed }: Options,
  run: <A, E>(effect: Effect.Effect<A, E, Sandbox.Sandbox>) => Promise<A>
) => {
  const { exported, gateway, headers, payoutFrom, payouts, range, reader, url, walletFrom } = started
  const calls: Array<work.Call> = []
  const state = {
    isOver: false,
    isTroubled: false,
    wallet: 0,
    payouts: 0,
    exports: 0,
    wrongExports: [] as Array<string>,
    /** When the wallet was on another server and its owner had not accepted keys yet. */
    takenOver: [0, 0] as readonly [from: number, to: number]
  }
  const path = `/v2/transfer/account/${exported[0]}?size=20`
  const again = async (every: number, once: () => Promise<unknown>) => {
    while (!state.isOver) {
      await once()
      await pause(every)
    }
  }
  /** Repeats until it is done: after the end of the drill, for a minute. */
  const untilDone = async (once: () => Promise<boolean>) => {
    for (let left = 120; left > 0 && !(await once()); left -= state.isOver ? 1 : 0) await pause(500)
  }
  const loops = [
    again(400, () =>
      work.measured(
        calls,
        "page",
        work.ask(`${gateway.url}${path}`, { headers })
          .then((answer) => mistake === "late" && state.isTroubled ? pause(12_000).then(() => answer) : answer)
      )),
    again(400, () => work.measured(calls, "page", work.ask(`${gateway.url}/v2/contract/ft`, { headers }))),
    again(1_000, () => work.measured(calls, "ready", work.ask(`${gateway.url}/ready`))),
    again(400, () => work.measured(calls, "standby page", work.ask(`${reader.url}${path}`))),
    again(800, () => {
      const index = state.wallet++
      const body = JSON.stringify({
        from: walletFrom,
        to: work.receiverOf(seed, "wallet", index),
        value: `0x${work.value.toString(16)}`,
        submit: true
      })
      const init = { method: "POST", headers: { ...headers, "idempotency-key": `wallet-${index}` }, body }
      return untilDone(async () =>
        (await work.measured(calls, "wallet", work.ask(`${gateway.url}/v2/tx/value`, init)))?.status === 200
      )
    }),
    again(800, () => {
      const index = state.payouts++
      const submitted = payouts.submit(work.order(seed, payoutFrom, index)).pipe(
        Effect.as({ status: 200, text: "" }),
        Effect.catchAll((error) =>
          Effect.succeed({
            status: error._tag === "DatabaseFailed" ? 503 : 500,
            text: `the database: ${error.message}`
          })
        )
      )
      return untilDone(async () => (await work.measured(calls, "payout", run(submitted)))?.status === 200)
    })
  ]
  const first = run(Effect.provide(work.exported(exported, range, "truth_"), work.exporting(url)))
  const exporting = (async () => {
    const truth = await first
    if (truth.complete !== "yes" || truth.windows.every(({ rows }) => rows === 0)) {
      state.wrongExports.push("the first one")
    }
    await again(1_000, async () => {
      const prefix = `export_${state.exports++}_`
      try {
        const { checksum } = await run(Effect.provide(work.exported(exported, range, prefix), work.exporting(url)))
        if (checksum !== truth.checksum) state.wrongExports.push(`${prefix} has other rows`)
      } catch (error) {
        // A program that starts while the database is away says so at once.
        if (!state.isTroubled) state.wrongExports.push(`${prefix}: ${String(error)}`)
      }
    })
  })()
  const all = Promise.all([...loops, exporting])
  // Whoever stops them is told; nobody does if the drill fails before.
  all.catch(() => {})
  return {
    /** Is done once there is what later exports are compared with. */
    isComparable: first,
    calls,
    state,
    path,
    stop: async () => {
      state.isOver = true
      await all
    }
  }
}

type Working = ReturnType<typeof begin>

/** What was wrong, by kind: each has to be nothing. */
const noFindings = () => ({ late: 0, wrong: 0, lost: 0, twice: 0, notBack: 0, told: 0, exports: 0, lag: 0 })

/** What a wallet answers to a key that it does not know, after another server has taken its database over. */
const isKeyUnknown = ({ answer, text }: work.Call): boolean =>
  answer === "400" && text.includes(`"code":${WalletCode.codes.keyUnknown},`)

/** Waits until the wallet refuses a key that it does not know, and accepts such keys as its owner does; gives whether it refused one. */
const acceptKeys = async (
  { proxy }: Started,
  { calls, state }: Working,
  lateness: (from: number) => number
): Promise<boolean> => {
  const since = performance.now()
  const isRefused = await untilTrue(
    returning + lateness(since),
    () => calls.some((call) => call.at > since && isKeyUnknown(call))
  )
  await Effect.runPromise(Effect.flatMap(
    walletCommands.inSchema(proxy.url.href, schema),
    (database) => walletCommands.acceptKeys(database, { key: Redacted.value(walletKey) })
  ))
  state.takenOver = [since, performance.now()]
  return isRefused
}

/** Waits until everything works again; gives the seconds that took, or what does not. */
const back = async (
  { chain, gateway, headers, payouts, reader }: Started,
  working: Working,
  lateness: (from: number) => number
) => {
  const { calls, state } = working
  const since = performance.now()
  const head = await Effect.runPromise(chain.head)
  const wallet = state.wallet
  const payout = state.payouts
  const missing = async (): Promise<ReadonlyArray<string>> => {
    const [own, ready, fresh] = await Promise.all([
      work.ask(`${gateway.url}${working.path}`, { headers }),
      work.ask(`${gateway.url}/ready`),
      work.ask(`${reader.url}/ready`)
    ])
    const status = await Effect.runPromise(gateway.status)
    const paid = await Effect.runPromise(Effect.option(payouts.get(`payout-${payout - 1}`)))
    return [
      ...(own?.status === 200 ? [] : [`pages: ${own?.text}`]),
      ...(ready?.status === 200 ? [] : [`/ready: ${ready?.text}`]),
      ...(fresh?.status === 200 ? [] : [`/ready of the standby's: ${fresh?.text}`]),
      ...((status.index.head?.number ?? -1) >= head.number ? [] : ["the index does not follow"]),
      ...(Option.exists(paid, ({ state }) => PayoutState.isFinal(state)) ? [] : ["payouts are not final"]),
      ...(calls.some(({ answer, at, what }) => what === "wallet" && answer === "200" && at > since) &&
          state.wallet > wallet
        ? []
        : ["the wallet does not pay"])
    ]
  }
  for (;;) {
    const left = await missing()
    const took = performance.now() - since
    if (left.length === 0) return { seconds: Math.round(took / 100) / 10, left }
    if (took > returning + lateness(since)) return { seconds: Math.round(took / 100) / 10, left }
    await pause(250)
  }
}

const untilTrue = async (millis: number, holds: () => Promise<boolean> | boolean): Promise<boolean> => {
  for (const end = performance.now() + millis; performance.now() < end; await pause(200)) if (await holds()) return true
  return false
}

/** Whether the server of a standby says how far its index is behind while the standby gets nothing, and is ready afterwards. */
const lags = async (
  { chain, reader }: Started,
  { servers }: Options,
  lateness: (from: number) => number
): Promise<boolean> => {
  const since = performance.now()
  await query(servers.standby.url, "SELECT pg_wal_replay_pause()")
  for (let i = 0; i < 15; i++) await Effect.runPromise(chain.fund(work.receiverOf("lag", "lag", i), 1n))
  const isTold = await untilTrue(returning + lateness(since), async () => {
    const { isReady, lag, notReady = "" } = await Effect.runPromise(reader.status)
    return !isReady && (lag?.blocks ?? 0) > 10 && /blocks behind the node/.test(notReady)
  })
  await query(servers.standby.url, "SELECT pg_wal_replay_resume()")
  return isTold &&
    await untilTrue(returning + lateness(since), async () => (await work.ask(`${reader.url}/ready`))?.status === 200)
}

/** Calls that took too long or were answered as they must not be. */
const judged = ({ calls, state }: Working, lateness: (from: number, to: number) => number) => {
  const [from, to] = state.takenOver
  const problems: Array<string> = []
  let late = 0
  let wrong = 0
  let starved = 0
  for (const call of calls) {
    const { answer, at, millis, text, what } = call
    const mayBeUnknown = what === "wallet" && at <= to && at + millis >= from
    const named = `${what} ${answer ?? "without an answer"} after ${Math.round(millis)} ms: ${text.slice(0, 160)}`
    if (millis > limits[what] + slack + lateness(at, at + millis)) {
      late++
      problems.push(`late: ${named}`)
    } else if (
      !(answer === "200" || (mayBeUnknown && isKeyUnknown(call)) ||
        (answer === "503" && (what === "ready" || /database|under way/.test(text))))
    ) {
      // The node of the drill is a part of this process: where that gets no time, the node does not answer.
      if (lateness(at, at + millis) > starving) starved++
      else {
        wrong++
        problems.push(`wrong: ${named}`)
      }
    }
  }
  return { late, wrong, starved, problems }
}

/** Payments that arrived never, and more than once. */
const audit = async ({ chain }: Started, { mistake, seed }: Options, state: Working["state"]) => {
  const counts = { lost: 0, twice: 0 }
  if (mistake === "twice") await Effect.runPromise(chain.fund(work.receiverOf(seed, "wallet", 0), work.value))
  for (const [what, asked] of [["wallet", state.wallet], ["payout", state.payouts]] as const) {
    for (let index = 0; index < asked + (mistake === "lost" ? 1 : 0); index++) {
      const found = await Effect.runPromise(chain.account(work.receiverOf(seed, what, index)))
      const balance = Option.match(found, { onNone: () => 0n, onSome: ({ balance }) => balance })
      if (balance < work.value) counts.lost++
      if (balance > work.value) counts.twice++
    }
  }
  return counts
}

const runs = (options: Options, lines: Array<Line>) =>
  Effect.gen(function*() {
    const { lasts, mistake, say, seed, servers } = options
    const run = Runtime.runPromise(yield* Effect.runtime<Sandbox.Sandbox>())
    const random = new Random(seed)
    const started = yield* start(options)
    return yield* Effect.promise(async () => {
      const delays = watchDelays()
      const found = noFindings()
      const problems: Array<string> = []
      const isReady = (url: string) => async () => (await work.ask(`${url}/ready`))?.status === 200
      for (const { url } of [started.gateway, started.reader]) await untilTrue(2 * returning, isReady(url))
      const working = begin(started, options, run)
      const { calls, state } = working
      await working.isComparable
      const first = await back(started, working, (from) => delays.since(from))
      for (const { text } of first.left.length > 0 ? lines : []) say(text)
      if (first.left.length > 0) throw new Error(`nothing works before the first trouble: ${first.left.join("; ")}`)
      if (!(await lags(started, options, (from) => delays.since(from)))) found.lag++
      const rounds: Array<object> = []
      for (const name of options.troubles) {
        const trouble: Trouble = troubles[name]
        const place = { servers, proxy: started.proxy, query }
        const at = performance.now()
        state.isTroubled = true
        await trouble.begin(place)
        if (trouble.isShort !== true) await pause(random.between(...lasts))
        await trouble.end(place)
        if (trouble.isLast === true && !(await acceptKeys(started, working, (from) => delays.since(from)))) {
          found.wrong++
          problems.push(`after ${name} the wallet takes keys that it does not know`)
        }
        const { left, seconds } = await back(started, working, (from) => delays.since(from))
        state.isTroubled = false
        if (left.length > 0) {
          found.notBack++
          problems.push(...left.map((one) => `not back after ${name}: ${one}`))
        }
        const since = () => lines.filter((line) => line.at >= at)
        await untilTrue(telling + delays.since(at), () => !since().some(isOutage) || since().some(isReturn))
        if (mistake === "told") lines.push(...since().filter(isOutage))
        const [outages, returns] = [since().filter(isOutage).length, since().filter(isReturn).length]
        if ((outages > 1 || returns !== outages) && (mistake === "told" || delays.since(at) < starving * outages)) {
          found.told++
          problems.push(`told after ${name}: ${outages} times that it fails, ${returns} that it answers`)
        }
        const others = since().filter((line) => !isOutage(line) && !isReturn(line))
        rounds.push({ name, back: seconds, outages, returns, others: others.length })
        problems.push(...others.slice(0, 3).map(({ text }) => `logged: ${text.slice(0, 200)}`))
        say(JSON.stringify(rounds.at(-1)))
      }
      await working.stop()
      // What was submitted last has a moment to be paid.
      await untilTrue(returning, async () => {
        const { lost } = await audit(started, { ...options, mistake: undefined }, state)
        return lost === 0
      })
      Object.assign(found, await audit(started, options, state))
      const { late, problems: more, starved, wrong } = judged(working, delays.since)
      delays.stop()
      found.exports += state.wrongExports.length
      const all = { ...found, late, wrong: found.wrong + wrong }
      return {
        isRight: Object.values(all).every((count) => count === 0),
        ...all,
        rounds,
        calls: calls.length,
        starved,
        unavailable: calls.filter(({ answer }) => answer === "503").length,
        payments: state.wallet + state.payouts,
        exported: state.exports,
        problems: [...problems, ...state.wrongExports, ...more].slice(0, 30)
      }
    })
  })

export const databaseRuns = (options: Options) => {
  const lines: Array<Line> = []
  const service = Sandbox.layer({
    seed: options.seed,
    clock: { start: Math.floor(Date.now() / 1000) - 100_000, step: 30 }
  })
  return Effect.scoped(runs(options, lines)).pipe(
    Effect.provide(
      Layer.provideMerge(Layer.merge(Sandbox.clientConfig(1001), FetchHttpClient.layer), service)
    ),
    Effect.provide(logger(lines))
  )
}
