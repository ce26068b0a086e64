/** Runs `klaytn pay`. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as Batch from "@effect-klaytn/payouts/Batch"
import * as Payouts from "@effect-klaytn/payouts/Payouts"
import * as TokenPayout from "@effect-klaytn/payouts/TokenPayout"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Connection from "./Connection.js"
import { parsePlace, unreachable } from "./destination.js"
import * as Failure from "./Failure.js"
import * as payoutText from "./payoutText.js"
import { toJson } from "./printed.js"
import * as Screen from "./Screen.js"
import type { Shared } from "./shared.js"

export interface StorageOptions extends Shared {
  readonly db: Option.Option<string>
  readonly limit: Option.Option<string>
  readonly limitDay: Option.Option<string>
  readonly approveAbove: Option.Option<string>
}

interface PayOptions extends StorageOptions {
  readonly key: Option.Option<string>
  readonly from: Option.Option<string>
  readonly to: Option.Option<string>
  readonly amount: Option.Option<string>
  readonly token: Option.Option<string>
  readonly memo: Option.Option<string>
  readonly payer: Option.Option<string>
  readonly file: Option.Option<string>
  readonly dryRun: boolean
  readonly yes: boolean
  readonly perSecond: Option.Option<number>
}

const klayOf = (option: string, text: Option.Option<string>): Effect.Effect<bigint | undefined, Failure.Failure> =>
  Option.match(text, {
    onNone: () => Effect.succeed(undefined),
    onSome: (amount) =>
      Effect.mapError(Amount.fromDecimal(amount, 18), (problem) => Failure.usage(`${option} ${amount}: ${problem}`))
  })

/** What may be spent. The command makes no other contract calls than transfers, which it shows. */
const optionsOf = (input: StorageOptions) =>
  Effect.gen(function*() {
    const limit = yield* klayOf("--limit", input.limit)
    const day = yield* klayOf("--limit-day", input.limitDay)
    const approveAbove = yield* klayOf("--approve-above", input.approveAbove)
    const policy = limit === undefined && day === undefined ? undefined : {
      opaque: "allow" as const,
      maxPerTransaction: limit,
      window: day === undefined ? undefined : { max: day, duration: "24 hours" as const }
    }
    return { policy, approveAbove }
  })

const databaseOf = (input: StorageOptions) =>
  Effect.gen(function*() {
    const { layerPostgres, layerSqlite } = yield* Effect.promise(() => import("@effect-klaytn/engine/Database"))
    const hidden = Option.map(yield* Config.option(Config.redacted("KLAYTN_PAYOUTS_DB")), Redacted.value)
    const text = Option.getOrElse(Option.orElse(input.db, () => hidden), () => input.sandbox ? ":memory:" : "")
    if (text === "") return yield* Failure.usage("--db is not given", "such as --db payouts.db")
    const place = yield* parsePlace(Option.isSome(input.db) ? "--db" : "KLAYTN_PAYOUTS_DB", text)
    return place._tag === "Postgres"
      ? Layer.mapError(layerPostgres({ url: place.url }), unreachable(place.name))
      : Layer.mapError(layerSqlite({ file: place.path }), unreachable(place.path))
  })

/** The payouts of a database, which this process works on if `runs`. */
export const open = (input: StorageOptions, connection: Connection.Connection, runs: boolean) =>
  Effect.gen(function*() {
    const database = yield* databaseOf(input)
    const engine = runs ? Engine.layerRunner() : Engine.layerClient()
    return Payouts.layer(yield* optionsOf(input)).pipe(
      Layer.provideMerge(Layer.mapError(engine, unreachable("the database"))),
      Layer.provide(database),
      Layer.provideMerge(Layer.succeed(ClientConfig.ClientConfig, connection.config))
    )
  })

/** Ends an effect as soon as the database has to be mended. Until then the engine waits and says so. */
export const whileUsable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Engine.Engine, ({ failure }) => Effect.raceFirst(effect, failure))

const payerOf = (text: Option.Option<string>): Effect.Effect<FeeDelegation.FeePayerInput, Failure.Failure> => {
  if (Option.isNone(text)) return Effect.fail(Failure.usage("--payer is not given", "service, sender, or an address"))
  const { value } = text
  return Effect.succeed(
    value === "service" ? FeeDelegation.service : value === "sender" ? FeeDelegation.sender : FeeDelegation.user(value)
  )
}

/** The lines of the file, or the one payment that the options name. */
const linesOf = (input: PayOptions, from: string | undefined) =>
  Effect.gen(function*() {
    const payer = yield* payerOf(input.payer)
    if (Option.isSome(input.file)) {
      const { value: path } = input.file
      const single = [input.key, input.to, input.amount, input.token, input.memo].some(Option.isSome)
      if (single) {
        return yield* Failure.usage("--file names all payments: leave out --key, --to, --amount, --token, --memo")
      }
      const bytes = Stream.unwrap(Effect.map(FileSystem.FileSystem, (files) => files.stream(path))).pipe(
        Stream.mapError(({ message }) => Failure.usage(`--file can't be read: ${Screen.clean(message)}`))
      )
      return Batch.fromCsv(bytes, { from, payer })
    }
    if (Option.isNone(input.key) || Option.isNone(input.to) || Option.isNone(input.amount) || from === undefined) {
      return yield* Failure.usage("a payment needs --key, --from, --to and --amount", "or --file for many")
    }
    const common = { key: input.key.value, payer, from, to: input.to.value }
    if (Option.isSome(input.token)) {
      if (Option.isSome(input.memo)) return yield* Failure.usage("--memo does not go with --token")
      return Batch.fromInputs(
        Stream.make(yield* TokenPayout.transfer({ ...common, token: input.token.value, amount: input.amount.value }))
      )
    }
    const value = (yield* klayOf("--amount", input.amount)) ?? 0n
    return Batch.fromInputs(
      Stream.make({ ...common, value, ...(Option.isSome(input.memo) ? { memo: input.memo.value } : {}) })
    )
  })

const number = (value: number): string => value.toLocaleString("en-US")

const counted = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? "" : "s"}`

const amountOf = ({ account, fees, token, value }: Batch.Total): string => {
  const moved = token === undefined
    ? Amount.format(value)
    : `${value} of the smallest unit of ${Address.checksum(token)}`
  return `${Address.checksum(account)} pays ${moved}${fees === 0n ? "" : ` and fees of up to ${Amount.format(fees)}`}`
}

const showPlan = (plan: Batch.BatchCheck, isJson: boolean) =>
  Effect.gen(function*() {
    const { out } = yield* Screen.Screen
    if (isJson) {
      const { counts, problems, totals } = plan
      return yield* out.write(`${JSON.stringify(toJson({ event: "Plan", ...counts, totals, problems }))}\n`)
    }
    const { known, needApproval, new: fresh } = plan.counts
    const lines = [
      `${counted(fresh, "new payment")}${known > 0 ? `, ${number(known)} known` : ""}` +
      (needApproval > 0 ? `, ${number(needApproval)} of them wait for approval` : ""),
      ...plan.totals.map((total) =>
        `  ${amountOf(total)}, and has ${total.token === undefined ? Amount.format(total.balance) : total.balance}`
      ),
      ...plan.problems.map(({ key, line, problem }) =>
        `${line === undefined ? "all lines" : `line ${line}${key === "" ? "" : ` (${key})`}`}: ${problem}`
      ).map(Screen.clean)
    ]
    yield* out.write(Screen.lines(lines.flatMap((line) => Screen.prose(out, line))))
  })

/** Shows how many of the lines are read: on a terminal at once, elsewhere every 10 seconds. */
const watch = <E, R, A, E2, R2>(
  lines: Stream.Stream<Batch.Line, E, R>,
  check: (lines: Stream.Stream<Batch.Line, E, R>) => Effect.Effect<A, E2, R2>,
  isJson: boolean
) =>
  Effect.gen(function*() {
    const { error } = yield* Screen.Screen
    const status = Screen.statusLine(error)
    let read = 0
    const counting = Stream.tap(lines, () => Effect.sync(() => read++))
    const draw = Effect.suspend(() => {
      const text = `checking: ${counted(read, "line")} read`
      if (error.isTerminal) return status.draw(text)
      return isJson ? Effect.void : error.write(`${text}\n`)
    })
    const ticks = Effect.forever(Effect.zipRight(Effect.sleep(error.isTerminal ? "100 millis" : "10 seconds"), draw))
    return yield* Effect.ensuring(Effect.raceFirst(check(counting), ticks), status.clear)
  })

/** `klaytn pay`. */
export const pay = (input: PayOptions) =>
  Effect.gen(function*() {
    const { error, out } = yield* Screen.Screen
    const connection = yield* Connection.open(input, "wallet")
    yield* payerOf(input.payer)
    // A process that only checks must not work on payments that are stored already.
    const pays = input.yes && !input.dryRun
    const services = yield* open(input, connection, pays)
    return yield* Effect.gen(function*() {
      const from = Option.getOrUndefined(input.from) ??
        (connection.sandbox === undefined ? undefined : yield* sandboxAccount(connection.sandbox))
      const lines = yield* linesOf(input, from)
      if (!pays) {
        const checked = yield* watch(lines, Batch.check, input.json)
        yield* showPlan(checked, input.json)
        if (checked.problems.length > 0) return "found" as const
        if (input.dryRun) return "ok" as const
        return yield* Failure.usage("nothing was sent: this only shows what would be paid", "add --yes to pay")
      }
      const plan = yield* watch(lines, Batch.plan, input.json)
      yield* showPlan(plan, input.json)
      if (plan.problems.length > 0) return "found" as const
      const status = Screen.statusLine(error)
      let done = 0
      let good = 0
      const rate = Option.getOrUndefined(Option.map(input.perSecond, (lines) => ({ lines, per: "1 second" as const })))
      yield* Stream.runForEach(Batch.run(plan, { rate }), ({ payout }) => {
        done++
        if (payout.state._tag === "Executed") good++
        return Effect.zipRight(
          status.above(out, payoutText.line(payout, input.json)),
          status.draw(`${number(done)} of ${counted(plan.lines.length, "payment")} ended`)
        )
      }).pipe(
        Effect.ensuring(status.clear),
        Effect.onInterrupt(() => error.write("stopped; the same command goes on, and pays nothing twice\n"))
      )
      return good === plan.lines.length ? "ok" as const : "found" as const
    }).pipe(whileUsable, Effect.provide(services))
  }).pipe(Effect.scoped)

/** An account of the sandbox's wallet with some coin. */
const sandboxAccount = ({ fund }: NonNullable<Connection.Connection["sandbox"]>) =>
  Effect.gen(function*() {
    const { address } = yield* Effect.flatMap(Wallet.make(), ({ createAccount }) => createAccount)
    yield* fund(address)
    return address
  })
