/** Batches: reads lines, checks them together, and pays them. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { FeePayerInput } from "@effect-klaytn/wallet/FeeDelegation"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { constVoid, identity } from "effect/Function"
import * as Option from "effect/Option"
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

export const fromInputs = <E, R>(inputs: Stream.Stream<Payouts.PayInput, E, R>): Stream.Stream<Batch.Line, E, R> =>
  Stream.map(Stream.zipWithIndex(inputs), ([input, index]) => ({
    line: index + 1,
    key: input.key,
    input: Either.right(input)
  }))

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
interface Defaults {
  readonly from?: string | undefined
  readonly payer: FeePayerInput
  readonly gasLimit?: number | undefined
}

type DecimalsOf = (token: Address.Address) => ReturnType<typeof TokenPayout.decimals>

/** A record as a line of a batch. The key and the memo are taken as they stand; blanks around the other fields are not. */
const toLine = (at: ReadonlyMap<string, number>, defaults: Defaults, decimalsOf: DecimalsOf) => (row: csv.Row) =>
  Effect.gen(function*() {
    const { fields, line } = row
    const exact = (name: string): string | undefined => {
      const value = fields[at.get(name) ?? -1]
      return value === "" ? undefined : value
    }
    const field = (name: string): string | undefined => {
      const value = exact(name)?.trim()
      return value === "" ? undefined : value
    }
    const key = exact("key") ?? ""
    const wrong = (problem: string): Batch.Line => ({ line, key, input: Either.left(problem) })
    if (fields.length !== at.size) return wrong(`it has ${fields.length} fields, and the first line ${at.size}`)
    const from = field("from") ?? defaults.from
    const to = field("to")
    const amount = field("amount")
    if (from === undefined) return wrong("it names no account that pays (from)")
    if (to === undefined || amount === undefined || key === "") return wrong("key, to and amount can't be empty")
    const common = { key, payer: defaults.payer, gasLimit: defaults.gasLimit }
    const token = field("token")
    const memo = exact("memo")
    if (token === undefined) {
      const value = Amount.fromDecimal(amount, 18)
      if (Either.isLeft(value)) return wrong(`amount: ${value.left}`)
      const input = { ...common, from, to, value: value.right, ...(memo === undefined ? {} : { memo }) }
      return { line, key, input: Either.right(input) } satisfies Batch.Line
    }
    if (memo !== undefined) return wrong("a transfer of a token has no memo")
    const address = readToken(token)
    if (Either.isLeft(address)) return wrong(`token: ${token} is not an address, or has a wrong checksum`)
    const made = yield* decimalsOf(address.right).pipe(
      Effect.flatMap((scale) => TokenPayout.transfer({ ...common, token, from, to, amount }, scale)),
      Effect.either
    )
    if (Either.isRight(made)) return { line, key, input: Either.right(made.right) } satisfies Batch.Line
    return made.left._tag === "LookupFailed" ? yield* made.left : wrong(made.left.message)
  })

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
    const decimalsOf = yield* Effect.cachedFunction((token: Address.Address) =>
      Effect.either(TokenPayout.decimals(token))
    )
    let at: ReadonlyMap<string, number> | undefined
    const begin = (names: ReadonlyArray<string>) =>
      Effect.map(Either.mapLeft(header(names), refused), (columns) => {
        at = columns
        return Option.none()
      })
    const lines = rows.pipe(
      Stream.mapEffect((row) => at === undefined ? begin(row.fields) : Effect.succeedSome({ at, row })),
      Stream.filterMap(identity),
      Stream.mapEffect(({ at, row }) => toLine(at, defaults, (token) => Effect.flatten(decimalsOf(token)))(row))
    )
    return Stream.concat(lines, Stream.suspend(() => at === undefined ? Stream.execute(begin([])) : Stream.empty))
  }))

const format = (peb: bigint, token: Address.Address | undefined): string =>
  token === undefined ? Amount.format(peb) : `${peb} of the smallest unit of ${Address.checksum(token)}`

/** Who pays how much of a fee. */
const feesOf = ({ content, spend }: Payouts.Checked): ReadonlyArray<readonly [Address.Address | undefined, bigint]> => {
  const { feeRatio, payer } = content
  const shared = payer._tag === "SenderPays" || feeRatio === undefined
    ? 0n
    : spend.fee * BigInt(100 - feeRatio) / 100n
  switch (payer._tag) {
    case "SenderPays":
      return [[spend.from, spend.fee]]
    case "UserFeePayer":
      return [[payer.address, spend.fee - shared], [spend.from, shared]]
    case "ServiceFeePayer":
      return [[spend.from, shared]]
  }
}

type Sums = Map<string, { account: Address.Address; token: Address.Address | undefined; value: bigint; fees: bigint }>

const add = (
  sums: Sums,
  account: Address.Address | undefined,
  token: Address.Address | undefined,
  value: bigint,
  fees: bigint
): void => {
  if (account === undefined || (value === 0n && fees === 0n)) return
  const key = `${account} ${token}`
  const sum = sums.get(key) ?? { account, token, value: 0n, fees: 0n }
  sums.set(key, { ...sum, value: sum.value + value, fees: sum.fees + fees })
}

/** What a batch comes to, so far. What was checked of each line is added up here and not kept. */
interface Tally {
  readonly problems: Array<Batch.Problem>
  readonly counts: { new: number; known: number; needApproval: number }
  /** What the new lines take from each account. */
  readonly sums: Sums
  /** What counts in the spend window. */
  readonly spend: { value: bigint; fee: bigint }
}

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
  add(so.sums, spend.from, undefined, spend.value, 0n)
  for (const [account, fee] of feesOf(checked)) add(so.sums, account, undefined, 0n, fee)
  Option.map(TokenPayout.fromContent(content), ({ amount, from, token }) => add(so.sums, from, token, amount, 0n))
}

/** What moves: coins, or a token's smallest unit. Other contract calls may move nothing. */
const isEmpty = ({ content, spend }: Payouts.Checked): boolean =>
  content.request._tag === "Value"
    ? spend.value === 0n
    : Option.exists(TokenPayout.fromContent(content), ({ amount }) => amount === 0n)

/** A line that can be paid, or what is wrong with it. */
const checkLine = (payouts: Payouts.Service, { input, key }: Batch.Line) =>
  Effect.gen(function*() {
    if (Either.isLeft(input)) return Either.left(input.left)
    if (key !== key.trim()) return Either.left(`the key ${JSON.stringify(key)} has a blank at its beginning or its end`)
    const checked = yield* Effect.either(payouts.check(input.right))
    if (Either.isLeft(checked)) {
      return checked.left._tag === "DatabaseFailed" ? yield* checked.left : Either.left(checked.left.message)
    }
    if (isEmpty(checked.right)) return Either.left("the amount is 0")
    if (Option.isNone(checked.right.stored)) {
      const tried = yield* Effect.either(TokenPayout.dryRun(checked.right.content))
      if (Either.isLeft(tried)) {
        return tried.left._tag === "LookupFailed" ? yield* tried.left : Either.left(tried.left.message)
      }
    }
    return Either.right({ input: input.right, checked: checked.right })
  })

type OnLine = (line: Batch.PlannedLine) => void

const checkLines = <E, R>(payouts: Payouts.Service, lines: Stream.Stream<Batch.Line, E, R>, onLine: OnLine) =>
  Effect.gen(function*() {
    const so: Tally = {
      problems: [],
      counts: { new: 0, known: 0, needApproval: 0 },
      sums: new Map(),
      spend: { value: 0n, fee: 0n }
    }
    const seen = new Map<string, number>()
    yield* lines.pipe(
      Stream.mapEffect((line) => Effect.map(checkLine(payouts, line), (checked) => ({ checked, line })), {
        concurrency: 16
      }),
      Stream.runForEach(({ checked, line: { key, line } }) =>
        Effect.sync(() => {
          const before = seen.get(key)
          if (before !== undefined) so.problems.push({ line, key, problem: `line ${before} has the same key` })
          else if (key !== "") seen.set(key, line)
          if (Either.isLeft(checked)) so.problems.push({ line, key, problem: checked.left })
          else {
            onLine({ line, key, input: checked.right.input })
            tally(so, checked.right.checked)
          }
        })
      )
    )
    return so
  })

/** What the accounts have, and what is wrong with that. */
const checkBalances = (node: nodes.Node, sums: Sums) =>
  Effect.gen(function*() {
    const totals: Array<Batch.Total> = []
    const problems: Array<string> = []
    const read = yield* Effect.forEach(sums.values(), (sum) =>
      Effect.map(
        sum.token === undefined ? node.balance(sum.account) : TokenPayout.balance(sum.token, sum.account),
        (balance): Batch.Total => ({ ...sum, balance })
      ).pipe(Effect.either), { concurrency: 16 })
    for (const one of read) {
      if (Either.isLeft(one)) {
        if (one.left._tag === "LookupFailed") return yield* one.left
        problems.push(one.left.message)
        continue
      }
      totals.push(one.right)
      const { account, balance, fees, token, value } = one.right
      if (value + fees > balance) {
        const most = fees === 0n ? "" : ` and fees of up to ${Amount.format(fees)}`
        problems.push(
          `${Address.checksum(account)} has ${format(balance, token)}, and is to pay ${format(value, token)}${most}`
        )
      }
    }
    return { totals, problems }
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

/** Waits until a payout has ended, or waits for approval. */
const settle = (payouts: Payouts.Service, key: string): Effect.Effect<Payout, DatabaseFailed | NoSuchPayout> =>
  Effect.gen(function*() {
    while (true) {
      const { history: _, ...payout } = yield* payouts.get(key)
      if (PayoutState.isFinal(payout.state) || payout.state._tag === "WaitingForApproval") return payout
      yield* Effect.timeoutOption(payouts.wait(key), "1 second")
    }
  })

export const run = ({ lines }: Batch.BatchPlan, { concurrency = 16, rate }: Batch.RunOptions) => {
  const paced = rate === undefined
    ? Stream.fromIterable(lines)
    : Stream.fromIterable(lines).pipe(
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
}
