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
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Connection from "./Connection.js"
import { database, placeOf, unreachable } from "./destination.js"
import * as Failure from "./Failure.js"
import type { PayInput, StorageInput } from "./payCommands.js"
import * as payoutText from "./payoutText.js"
import { jsonLine } from "./printed.js"
import { counted, number } from "./progress.js"
import * as Screen from "./Screen.js"

const klayOf = (option: string, amount: string | undefined): Effect.Effect<bigint | undefined, Failure.Failure> =>
  amount === undefined
    ? Effect.succeed(undefined)
    : Effect.mapError(Amount.fromDecimal(amount, 18), (problem) => Failure.usage(`${option} ${amount}: ${problem}`))

/** What may be spent. The command makes no other contract calls than transfers, which it shows. */
const optionsOf = (input: StorageInput) =>
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

const databaseOf = ({ db, sandbox }: StorageInput) =>
  Effect.gen(function*() {
    const named = yield* placeOf("--db", db, "KLAYTN_PAYOUTS_DB")
    const place = named ?? (sandbox ? { _tag: "File" as const, path: ":memory:" } : undefined)
    if (place === undefined) return yield* Failure.usage("--db is not given", "such as --db payouts.db")
    return yield* database(place)
  })

/** The payouts of a database, which this process works on if `runs`. */
export const open = (input: StorageInput, connection: Connection.Connection, runs: boolean) =>
  Effect.gen(function*() {
    const stored = yield* databaseOf(input)
    const engine = runs ? Engine.layerRunner() : Engine.layerClient()
    return Payouts.layer(yield* optionsOf(input)).pipe(
      Layer.provideMerge(Layer.mapError(engine, unreachable("the database"))),
      Layer.provide(stored),
      Layer.provideMerge(Layer.succeed(ClientConfig.ClientConfig, connection.config))
    )
  })

/** Ends an effect as soon as the database has to be mended. Until then the engine waits and says so. */
export const whileUsable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Engine.Engine, ({ failure }) => Effect.raceFirst(effect, failure))

const payerOf = (text: string | undefined): Effect.Effect<FeeDelegation.FeePayerInput, Failure.Failure> => {
  if (text === undefined) return Failure.usage("--payer is not given", "service, sender, or an address")
  if (text === "service") return Effect.succeed(FeeDelegation.service)
  return Effect.succeed(text === "sender" ? FeeDelegation.sender : FeeDelegation.user(text))
}

/** The lines of the file, or the one payment that the options name. */
const linesOf = ({ amount, file, key, memo, payer: payerText, to, token }: PayInput, from: string | undefined) =>
  Effect.gen(function*() {
    const payer = yield* payerOf(payerText)
    if (file !== undefined) {
      if ([key, to, amount, token, memo].some((one) => one !== undefined)) {
        return yield* Failure.usage("--file names all payments: leave out --key, --to, --amount, --token, --memo")
      }
      const bytes = Stream.unwrap(Effect.map(FileSystem.FileSystem, (files) => files.stream(file))).pipe(
        Stream.mapError(({ message }) => Failure.usage(`--file can't be read: ${Screen.clean(message)}`))
      )
      return Batch.fromCsv(bytes, { from, payer })
    }
    if (key === undefined || to === undefined || amount === undefined || from === undefined) {
      return yield* Failure.usage("a payment needs --key, --from, --to and --amount", "or --file for many")
    }
    if (token !== undefined) {
      if (memo !== undefined) return yield* Failure.usage("--memo does not go with --token")
      return Batch.fromInputs(Stream.make(yield* TokenPayout.transfer({ key, payer, from, to, token, amount })))
    }
    const value = (yield* klayOf("--amount", amount)) ?? 0n
    return Batch.fromInputs(Stream.make({ key, payer, from, to, value, ...(memo === undefined ? {} : { memo }) }))
  })

const amountOf = ({ account, fees, token, value }: Batch.Total): string => {
  const moved = token === undefined
    ? Amount.format(value)
    : `${value} of the smallest unit of ${Address.checksum(token)}`
  return `${Address.checksum(account)} pays ${moved}${fees === 0n ? "" : ` and fees of up to ${Amount.format(fees)}`}`
}

const showPlan = (plan: Batch.BatchCheck, isJson: boolean) =>
  Effect.gen(function*() {
    const { out } = yield* Screen.Screen
    const { counts, problems, totals } = plan
    if (isJson) return yield* out.write(jsonLine({ event: "Plan", ...counts, totals, problems }))
    const { known, needApproval, new: fresh } = counts
    const lines = [
      `${counted(fresh, "new payment")}${known > 0 ? `, ${number(known)} known` : ""}` +
      (needApproval > 0 ? `, ${number(needApproval)} of them wait for approval` : ""),
      ...totals.map((total) =>
        `  ${amountOf(total)}, and has ${total.token === undefined ? Amount.format(total.balance) : total.balance}`
      ),
      ...problems.map(({ key, line, problem }) =>
        `${line === undefined ? "all lines" : `line ${line}${key === "" ? "" : ` (${key})`}`}: ${problem}`
      ).map(Screen.clean)
    ]
    yield* out.write(Screen.paragraphs(out, lines))
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
    return yield* Screen.whileDrawing(error, status, draw)(check(counting))
  })

/** `klaytn pay`. */
export const pay = (input: PayInput) =>
  Effect.gen(function*() {
    const { error, out } = yield* Screen.Screen
    const connection = yield* Connection.open(input, "wallet")
    yield* payerOf(input.payer)
    // A process that only checks must not work on payments that are stored already.
    const pays = input.yes && !input.dryRun
    const services = yield* open(input, connection, pays)
    return yield* Effect.gen(function*() {
      const from = input.from ??
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
      const { perSecond } = input
      const rate = perSecond === undefined ? undefined : { lines: perSecond, per: "1 second" as const }
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
