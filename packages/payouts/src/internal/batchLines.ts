/** Batches: reads lines, checks them together, and pays them. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Input from "@effect-klaytn/core/Input"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { constVoid, identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Batch from "../Batch.js"
import type { Payout } from "../Payout.js"
import type { DatabaseFailed, NoSuchPayout } from "../PayoutError.js"
import * as Payouts from "../Payouts.js"
import * as PayoutState from "../PayoutState.js"
import * as TokenPayout from "../TokenPayout.js"
import * as csv from "./csv.js"
import * as nodes from "./node.js"

const columns: ReadonlyArray<string> = ["key", "to", "amount", "from", "token", "memo"]
const required = columns.slice(0, 3)

/** The columns by name, or what is wrong with them. */
const header = (names: ReadonlyArray<string>): Either.Either<ReadonlyMap<string, number>, string> => {
  const all = new Map(names.map((name, index) => [name.trim().toLowerCase(), index]))
  const missing = required.filter((name) => !all.has(name))
  const unknown = [...all.keys()].filter((name) => !columns.includes(name))
  if (missing.length > 0) return Either.left(`the first line names no column ${missing.join(", ")}`)
  if (unknown.length > 0) return Either.left(`the first line names an unknown column ${unknown.join(", ")}`)
  return all.size === names.length ? Either.right(all) : Either.left("the first line names a column twice")
}

const readToken = Schema.decodeEither(Address.FromInput)

/** What every line of a file has in common. */
type Defaults = Parameters<typeof Batch.fromCsv>[1]

/** Whether a failure is about a line: the others say that the database or the node does not answer. */
const isProblem = <E>(error: E): error is Exclude<E, DatabaseFailed | LookupFailed> =>
  !Predicate.isTagged(error, "DatabaseFailed") && !Predicate.isTagged(error, "LookupFailed")

/** What is wrong with a line: of an input the field and why, without the name of the operation that refused it. */
const problemOf = (error: string | Error): string => {
  if (typeof error === "string") return error
  return error instanceof InvalidInput && error.path.length > 0
    ? `${error.path.join(".")}: ${error.problem}`
    : error.message
}

/** A line, or what is wrong with it. If the database or the node does not answer, the whole batch fails. */
const orProblem = <A, E extends string | Error, R>(line: Effect.Effect<A, E, R>) =>
  Effect.catchIf(
    Effect.map(line, Either.right),
    isProblem,
    (error) => Effect.succeed(Either.left(problemOf(error)))
  )

/** A record as a line of a batch. The key and the memo are taken as they stand; blanks around the other fields are not. */
const toLine = (
  at: ReadonlyMap<string, number>,
  { fields, line }: csv.Row,
  defaults: Defaults,
  decimalsOf: typeof TokenPayout.decimals
) => {
  const exact = (name: string): string | undefined => fields[at.get(name) ?? -1] || undefined
  const field = (name: string): string | undefined => exact(name)?.trim() || undefined
  const key = exact("key") ?? ""
  return Effect.gen(function*() {
    if (fields.length !== at.size) {
      return yield* Effect.fail(`it has ${fields.length} fields, and the first line ${at.size}`)
    }
    const from = field("from") ?? defaults.from
    const to = field("to")
    const amount = field("amount")
    if (from === undefined) return yield* Effect.fail("it names no account that pays (from)")
    if (to === undefined || amount === undefined || key === "") {
      return yield* Effect.fail("key, to and amount can't be empty")
    }
    const common = { key, payer: defaults.payer, gasLimit: defaults.gasLimit, from, to }
    const token = field("token")
    const memo = exact("memo")
    if (token === undefined) {
      const value = yield* Either.mapLeft(Amount.fromDecimal(amount, 18), (reason) => `amount: ${reason}`)
      return { ...common, value, memo }
    }
    if (memo !== undefined) return yield* Effect.fail("a transfer of a token has no memo")
    const address = yield* Either.mapLeft(
      readToken(token),
      () => `token: ${token} is not an address, or has a wrong checksum`
    )
    return yield* TokenPayout.transfer({ ...common, token, amount }, yield* decimalsOf(address))
  }).pipe(orProblem, Effect.map((input): Batch.Line => ({ line, key, input })))
}

const encoder = new TextEncoder()

const refused = (problem: string): InvalidInput => InvalidInput.at("payouts.fromCsv", ["file"], problem)

export const fromCsv = <E, R>(file: string | Stream.Stream<Uint8Array, E, R>, defaults: Defaults) =>
  Stream.unwrap(Effect.gen(function*() {
    const bytes = typeof file === "string" ? Stream.make(encoder.encode(file)) : file
    const rows = Stream.mapError(
      csv.rows(bytes),
      (error) => error instanceof csv.Malformed ? refused(`line ${error.line}: ${error.problem}`) : error
    )
    /** The decimals of each token are read once. */
    const decimalsOf = yield* Effect.cachedFunction(TokenPayout.decimals)
    let at: ReadonlyMap<string, number> | undefined
    const begin = (names: ReadonlyArray<string>) =>
      Effect.map(Either.mapLeft(header(names), refused), (columns) => {
        at = columns
        return Option.none()
      })
    const lines = rows.pipe(
      Stream.mapEffect((row) => at === undefined ? begin(row.fields) : Effect.succeedSome({ at, row })),
      Stream.filterMap(identity),
      Stream.mapEffect(({ at, row }) => toLine(at, row, defaults, decimalsOf))
    )
    return Stream.concat(lines, Stream.suspend(() => at === undefined ? Stream.execute(begin([])) : Stream.empty))
  }))

const format = (peb: bigint, token: Address.Address | undefined): string =>
  token === undefined ? Amount.format(peb) : `${peb} of the smallest unit of ${Address.checksum(token)}`

/** Who pays how much of a fee. */
const feesOf = ({ content, spend: { fee } }: Payouts.Checked): ReadonlyArray<readonly [Address.Address, bigint]> => {
  const { feeRatio = 100, payer, request: { from } } = content
  const shared = fee - fee * BigInt(feeRatio) / 100n
  switch (payer._tag) {
    case "SenderPays":
      return [[from, fee]]
    case "UserFeePayer":
      return [[payer.address, fee - shared], [from, shared]]
    case "ServiceFeePayer":
      return [[from, shared]]
  }
}

/** What the new lines take from each account. */
type Sums = Tally["sums"]

const add = (sums: Sums, account: Address.Address, value: bigint, fees: bigint, token?: Address.Address): void => {
  if (value === 0n && fees === 0n) return
  const key = `${account} ${token}`
  const sum = sums.get(key) ?? { account, token, value: 0n, fees: 0n }
  sums.set(key, { ...sum, value: sum.value + value, fees: sum.fees + fees })
}

/** What a batch comes to, so far. What was checked of each line is added up here and not kept. */
type Tally = ReturnType<typeof emptyTally>

const emptyTally = () => ({
  problems: new Array<Batch.Problem>(),
  counts: { new: 0, known: 0, needApproval: 0 },
  sums: new Map<string, Omit<Batch.Total, "balance">>(),
  /** What counts in the spend window. */
  spend: { value: 0n, fee: 0n }
})

const tally = (so: Tally, checked: Payouts.Checked): void => {
  const { content, needsApproval, spend, stored } = checked
  if (Option.isSome(stored)) {
    so.counts.known++
    return
  }
  so.counts.new++
  if (needsApproval) so.counts.needApproval++
  so.spend.value += spend.value
  so.spend.fee += spend.fee
  add(so.sums, content.request.from, spend.value, 0n)
  for (const [account, fee] of feesOf(checked)) add(so.sums, account, 0n, fee)
  Option.map(TokenPayout.fromContent(content), ({ amount, from, token }) => add(so.sums, from, amount, 0n, token))
}

/** What moves: coins, or a token's smallest unit. Other contract calls may move nothing. */
const isEmpty = ({ content, spend }: Payouts.Checked): boolean =>
  content.request._tag === "Value"
    ? spend.value === 0n
    : Option.exists(TokenPayout.fromContent(content), ({ amount }) => amount === 0n)

/** A line that can be paid, or what is wrong with it. */
const checkLine = (payouts: Payouts.Service, { input, key, line }: Batch.Line) =>
  Effect.gen(function*() {
    const pay = yield* input
    if (key !== key.trim()) {
      return yield* Effect.fail(`the key ${JSON.stringify(key)} has a blank at its beginning or its end`)
    }
    const checked = yield* payouts.check(pay)
    if (isEmpty(checked)) return yield* Effect.fail("the amount is 0")
    if (Option.isNone(checked.stored)) yield* TokenPayout.dryRun(checked.content)
    return { input: pay, checked }
  }).pipe(orProblem, Effect.map((result) => ({ line, key, result })))

type OnLine = (line: Batch.PlannedLine) => void

const checkLines = <E, R>(payouts: Payouts.Service, lines: Stream.Stream<Batch.Line, E, R>, onLine: OnLine) =>
  Effect.gen(function*() {
    const so = emptyTally()
    const seen = new Map<string, number>()
    yield* lines.pipe(
      Stream.mapEffect((line) => checkLine(payouts, line), { concurrency: 16 }),
      Stream.runForEach(({ key, line, result }) =>
        Effect.sync(() => {
          const before = seen.get(key)
          if (before !== undefined) so.problems.push({ line, key, problem: `line ${before} has the same key` })
          else if (key !== "") seen.set(key, line)
          if (Either.isLeft(result)) so.problems.push({ line, key, problem: result.left })
          else {
            onLine({ line, key, input: result.right.input })
            tally(so, result.right.checked)
          }
        })
      )
    )
    return so
  })

/** What an account is to pay beyond what it has. */
const beyondBalance = ({ account, balance, fees, token, value }: Batch.Total): ReadonlyArray<string> => {
  if (value + fees <= balance) return []
  const most = fees === 0n ? "" : ` and fees of up to ${Amount.format(fees)}`
  return [`${Address.checksum(account)} has ${format(balance, token)}, and is to pay ${format(value, token)}${most}`]
}

/** What the accounts have, and what is wrong with that. */
const checkBalances = (node: nodes.Node, sums: Sums) =>
  Effect.gen(function*() {
    const read = yield* Effect.forEach(sums.values(), (sum) =>
      Effect.map(
        sum.token === undefined ? node.balance(sum.account) : TokenPayout.balance(sum.token, sum.account),
        (balance): Batch.Total => ({ ...sum, balance })
      ).pipe(orProblem), { concurrency: 16 })
    const problems = read.flatMap((one) => Either.isLeft(one) ? [one.left] : beyondBalance(one.right))
    return { totals: Arr.getRights(read), problems }
  })

/** What goes beyond what is left of the spend window. */
const beyondWindow = (left: Payouts.Health["left"], spend: Tally["spend"]): ReadonlyArray<string> =>
  Option.match(left, {
    onNone: () => [],
    onSome: ({ fee, value }) => [
      ...(spend.value > value
        ? [`the spend window has ${Amount.format(value)} left, and the lines move ${Amount.format(spend.value)}`]
        : []),
      ...(fee !== undefined && spend.fee > fee
        ? [`the spend window has ${Amount.format(fee)} left for fees, which can come to ${Amount.format(spend.fee)}`]
        : [])
    ]
  })

export const check = <E, R>(lines: Stream.Stream<Batch.Line, E, R>, onLine: OnLine = constVoid) =>
  Effect.gen(function*() {
    const payouts = yield* Payouts.Payouts
    const node = yield* nodes.make
    const { counts, problems, spend, sums } = yield* checkLines(payouts, lines, onLine)
    const balances = yield* checkBalances(node, sums)
    const { left } = yield* payouts.health
    const whole = [...balances.problems, ...beyondWindow(left, spend)]
    for (const problem of whole) problems.push({ line: undefined, key: undefined, problem })
    return { counts, problems, totals: balances.totals } satisfies Batch.BatchCheck
  })

export const plan = <E, R>(lines: Stream.Stream<Batch.Line, E, R>) =>
  Effect.suspend(() => {
    const planned: Array<Batch.PlannedLine> = []
    const checked = check(lines, (line) => planned.push(line))
    return Effect.map(checked, (batch): Batch.BatchPlan => ({ ...batch, lines: planned }))
  })

/** Waits until a payout has ended, or waits for approval or for a process with its limits. */
const settle = (payouts: Payouts.Service, key: string): Effect.Effect<Payout, DatabaseFailed | NoSuchPayout> =>
  Effect.gen(function*() {
    while (true) {
      const { history: _, ...payout } = yield* payouts.get(key)
      const { limits, state } = payout
      if (PayoutState.isFinal(state) || state._tag === "WaitingForApproval") return payout
      if (PayoutState.isUnbegun(state) && limits !== payouts.ownLimits) return payout
      yield* Effect.timeoutOption(payouts.wait(key), "1 second")
    }
  })

export const pace = {
  /** How many lines are under way at once, 16 by default. */
  concurrency: Schema.optionalWith(Input.Count, { default: () => 16 }),
  /** The most lines that are submitted in a period. */
  rate: Schema.optional(Schema.Struct({
    lines: Schema.Finite.pipe(Schema.positive()),
    per: Input.duration("expected a duration such as \"10 seconds\"", Duration.isFinite)
  }))
}

const readPace = Input.decode("payouts.run", Schema.Struct(pace))

export const run = ({ lines }: Batch.BatchPlan, options: Batch.RunOptions) =>
  Stream.unwrap(Effect.map(readPace(options), ({ concurrency, rate }) => {
    const all = Stream.fromIterable(lines)
    const paced = rate === undefined ? all : all.pipe(
      Stream.rechunk(1),
      Stream.throttle({ cost: Chunk.size, units: rate.lines, duration: rate.per, strategy: "shape" })
    )
    return Stream.mapEffect(
      paced,
      ({ input, key, line }) =>
        Effect.gen(function*() {
          const payouts = yield* Payouts.Payouts
          yield* payouts.submit(input)
          // It was stored above.
          const payout = yield* Effect.catchTag(settle(payouts, key), "NoSuchPayout", Effect.die)
          return { line, key, payout } satisfies Batch.LineResult
        }),
      { concurrency, unordered: true }
    )
  }))
