/** Runs `klaytn pay`. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as Batch from "@effect-klaytn/payouts/Batch"
import * as Payouts from "@effect-klaytn/payouts/Payouts"
import * as TokenPayout from "@effect-klaytn/payouts/TokenPayout"
import * as Migrations from "@effect-klaytn/store/Migrations"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import { database, nameOf, placeOf, unreachable } from "../exports/destination.js"
import * as Connection from "../service/Connection.js"
import * as Failure from "../terminal/Failure.js"
import { fileProblem } from "../terminal/fileProblem.js"
import { installs } from "../terminal/install.js"
import { write } from "../terminal/printed.js"
import { counted, number } from "../terminal/progress.js"
import * as Screen from "../terminal/Screen.js"
import * as values from "../terminal/values.js"
import * as limitOptions from "./limitOptions.js"
import type { PayInput, StorageInput } from "./options.js"
import * as payoutText from "./payoutText.js"
import * as waiting from "./waiting.js"

/** The reason of the engine for the same fault. */
const reasonOf = { Passing: "Unreachable", Session: "Unreachable", Unusable: "Unusable", Statement: "Setup" } as const

/** Upgrades tables before the engine writes anything, and says so. */
const upgrade = Effect.fnUntraced(function*(name: string) {
  const done = yield* Payouts.upgrade().pipe(Effect.catchTags({
    DatabaseFailed: ({ kind, problem }) => unreachable(name)({ reason: reasonOf[kind], message: problem }),
    NewerTables: ({ _tag, message }) =>
      new Failure.Failure({
        message: `${name} belongs to a newer version of this command`,
        kind: _tag,
        exit: "usage",
        details: [message],
        hints: [`the newest one: ${installs("cli")}`]
      })
  }))
  if (!Migrations.isUpgrade(done)) return
  const { error } = yield* Screen.Screen
  yield* error.write(`Upgraded ${Screen.clean(name)}: ${Migrations.describe(done)}\n`)
})

/** Where the payouts are; fails before anything is opened if nothing says where. */
export const storageOf = Effect.fnUntraced(function*({ db, sandbox }: StorageInput) {
  const named = yield* placeOf("--db", db, "KLAYTN_PAYOUTS_DB")
  return named ?? (sandbox
    ? { _tag: "File" as const, path: ":memory:" }
    : yield* Failure.usage("--db is not given", "such as --db payouts.db"))
})

const databaseOf = Effect.fnUntraced(function*(input: StorageInput) {
  const place = yield* storageOf(input)
  return Layer.tap(yield* database(place), (context) => Effect.provide(upgrade(nameOf(place)), context))
})

/** Refuses a file of payments that is not there: only a payment makes one. */
export const checkExists = Effect.fnUntraced(function*({ db }: StorageInput) {
  const place = yield* placeOf("--db", db, "KLAYTN_PAYOUTS_DB")
  if (place?._tag !== "File") return
  const files = yield* FileSystem.FileSystem
  if (yield* files.exists(place.path)) return
  return yield* Failure.usage(`there is no file ${Screen.clean(place.path)}`, "check --db: klaytn pay makes the file")
})

/** The payouts of a database, which this process works on if `runs`. */
export const open = Effect.fnUntraced(function*(input: StorageInput, connection: Connection.Connection, runs: boolean) {
  const stored = yield* databaseOf(input)
  const engine = runs ? Engine.layerRunner() : Engine.layerClient()
  return Payouts.layer(yield* limitOptions.read(input)).pipe(
    Layer.provideMerge(Layer.mapError(engine, unreachable("the database"))),
    Layer.provide(stored),
    Layer.provideMerge(Layer.succeed(ClientConfig.ClientConfig, connection.config))
  )
})

/** Ends an effect as soon as the database has to be corrected. Until then the engine waits and says so. */
export const whileUsable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Engine.Engine, ({ failure }) => Effect.raceFirst(effect, failure))

/** What is wrong with the options, found before anything is opened. */
const check = (input: PayInput) => {
  const { amount, file, from, key, memo, payer, sandbox, to, token } = input
  if (file !== undefined && [key, to, amount, token, memo].some(Predicate.isNotUndefined)) {
    return Failure.usage("--file names all payments: leave out --key, --to, --amount, --token, --memo")
  }
  if (token !== undefined && memo !== undefined) return Failure.usage("--memo does not go with --token")
  if (token !== undefined && limitOptions.refusesTokens(input)) {
    return Failure.usage(
      "no limit in KLAY holds for a token",
      "--approve-above KLAY: a person approves each payment of a token",
      "--unlimited-tokens: no limit is to hold for it"
    )
  }
  const needed = file === undefined ? { key, to, amount, payer, from: sandbox ? "" : from } : { payer }
  const missing = Object.entries(needed).flatMap(([name, value]) => value === undefined ? [`--${name}`] : [])
  return missing.length === 0 ? Effect.void : Failure.usage(
    `a payment needs ${Screen.listed(missing, "and")}`,
    ...(payer === undefined ? ["--payer is service, sender, or the address of a fee payer"] : []),
    ...(file === undefined ? ["or give --file for many payments"] : [])
  )
}

/** Reads the accounts of the options, so that what is wrong is said of an option. */
const checkAccounts = Effect.fnUntraced(function*({ from, payer = "sender", to, token }: PayInput) {
  const named = { from, to, token }
  yield* Effect.forEach(Object.entries(named), ([name, text]) => values.ifGiven(text, values.address(`--${name}`)))
  if (payer === "service" || payer === "sender") return
  yield* Effect.mapError(
    values.address("--payer")(payer),
    ({ message }) => Failure.usage(message, "--payer is service, sender, or the address of a fee payer")
  )
})

const payerOf = (text: string): FeeDelegation.FeePayerInput => {
  if (text === "service") return FeeDelegation.service
  return text === "sender" ? FeeDelegation.sender : FeeDelegation.user(text)
}

/** The lines of the file, or the one payment that the options name. */
const linesOf = Effect.fnUntraced(function*(
  { amount = "", file, key = "", memo, payer: payerText = "", to = "", token }: PayInput,
  from: string | undefined
) {
  const payer = payerOf(payerText)
  if (file !== undefined) {
    const bytes = Stream.unwrap(Effect.map(FileSystem.FileSystem, (files) => files.stream(file))).pipe(
      Stream.mapError((error) => Failure.usage(`--file can't be read: ${Screen.clean(fileProblem(file, error))}`))
    )
    return Stream.mapError(
      Batch.fromCsv(bytes, { from, payer }),
      (error) =>
        Predicate.isTagged(error, "InvalidInput")
          ? Failure.usage(`--file ${Screen.clean(file)}: ${error.problem}`)
          : error
    )
  }
  const payment = { key, payer, from: from ?? "", to }
  if (token !== undefined) {
    return Batch.fromInputs(Stream.make(yield* TokenPayout.transfer({ ...payment, token, amount })))
  }
  const value = yield* values.klay("--amount")(amount)
  return Batch.fromInputs(Stream.make({ ...payment, value, ...(memo === undefined ? {} : { memo }) }))
})

const amountOf = ({ account, fees, token, value }: Batch.Total): string => {
  const moved = token === undefined
    ? Amount.format(value)
    : `${value} of the smallest unit of ${Address.checksum(token)}`
  return `${Address.checksum(account)} pays ${moved}${fees === 0n ? "" : ` and fees of up to ${Amount.format(fees)}`}`
}

/** Where a problem is: a line of the file, if there is one. */
const placeOfProblem = ({ key = "", line }: Batch.Problem, file: string | undefined): string => {
  if (file === undefined) return ""
  return line === undefined ? "all lines: " : `line ${line}${key === "" ? "" : ` (${key})`}: `
}

const showPlan = (plan: Batch.BatchCheck, { file, json: isJson }: PayInput) => {
  const { counts, problems, totals } = plan
  const { known, needApproval, new: fresh } = counts
  return write(isJson, { event: "Plan", ...counts, totals, problems }, (out) =>
    Screen.paragraphs(out, [
      `${counted(fresh, "new payment")}${known > 0 ? `, ${number(known)} known` : ""}` +
      (needApproval > 0 ? `, ${number(needApproval)} of them wait for approval` : ""),
      ...totals.map((total) =>
        `  ${amountOf(total)}, and has ${total.token === undefined ? Amount.format(total.balance) : total.balance}`
      ),
      ...problems.map((one) => Screen.clean(`${placeOfProblem(one, file)}${one.problem}`))
    ]))
}

type Lines = Effect.Effect.Success<ReturnType<typeof linesOf>>

/** Checks the lines, and shows how many are read: on a terminal at once, elsewhere every 10 seconds. */
const checking = Effect.fnUntraced(
  function*<A, E, R>(lines: Lines, check: (lines: Lines) => Effect.Effect<A, E, R>, isJson: boolean) {
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
  }
)

/** Checks the lines and shows what they come to. Sends nothing. */
const show = Effect.fnUntraced(function*(lines: Lines, input: PayInput) {
  const { dryRun, json } = input
  const checked = yield* checking(lines, Batch.check, json)
  yield* showPlan(checked, input)
  if (checked.problems.length > 0) return "found" as const
  return dryRun
    ? "ok" as const
    : yield* Failure.usage("nothing was sent: this only shows what would be paid", "add --yes to pay")
})

/** Pays the lines, unless one of them can't be paid. */
const payAll = Effect.fnUntraced(function*(lines: Lines, input: PayInput) {
  const { json, perSecond } = input
  const { error, out } = yield* Screen.Screen
  const plan = yield* checking(lines, Batch.plan, json)
  yield* showPlan(plan, input)
  if (plan.problems.length > 0) return "found" as const
  const status = Screen.statusLine(error)
  const rate = perSecond === undefined ? undefined : { lines: perSecond, per: "1 second" as const }
  const service = yield* Payouts.Payouts
  const keys = new Set(plan.lines.map(({ key }) => key))
  yield* Effect.forkScoped(waiting.tellWallet(service, keys, (text) => status.above(error, text)))
  let ended = 0
  let executed = 0
  yield* Stream.runForEach(Batch.run(plan, { rate }), ({ payout }) => {
    ended++
    if (payout.state._tag === "Executed") executed++
    return Effect.zipRight(
      status.above(out, payoutText.line(payout, json)),
      status.draw(`${number(ended)} of ${counted(plan.lines.length, "payment")} ended`)
    )
  }).pipe(
    status.during,
    Effect.onInterrupt(() => error.write("stopped; the same command continues, and pays nothing twice\n"))
  )
  yield* waiting.tell(service, json)
  return executed === plan.lines.length ? "ok" as const : "found" as const
})

/** An account of the sandbox's wallet with some coin. */
const sandboxAccount = Effect.fnUntraced(function*({ fund }: NonNullable<Connection.Connection["sandbox"]>) {
  const { address } = yield* Effect.flatMap(Wallet.make(), ({ createAccount }) => createAccount)
  yield* fund(address)
  return address
})

/** `klaytn pay`. */
export const pay = Effect.fnUntraced(function*(input: PayInput) {
  yield* check(input)
  yield* checkAccounts(input)
  if (input.token === undefined) yield* values.ifGiven(input.amount, values.klay("--amount"))
  yield* storageOf(input)
  const connection = yield* Connection.open(input, "wallet")
  // A process that only checks must not work on payments that are stored already.
  const isPaying = input.yes && !input.dryRun
  const services = yield* open(input, connection, isPaying)
  return yield* Effect.gen(function*() {
    const from = input.from === undefined && connection.sandbox !== undefined
      ? yield* sandboxAccount(connection.sandbox)
      : input.from
    const lines = yield* linesOf(input, from)
    return yield* (isPaying ? payAll : show)(lines, input)
  }).pipe(whileUsable, Effect.provide(services))
}, Effect.scoped)
