/** Batches: reads lines, checks them together, and pays them. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { FeePayerInput } from "@effect-klaytn/wallet/FeeDelegation"
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Batch from "../Batch.js"
import type { Payout } from "../Payout.js"
import type { DatabaseFailed, NoSuchPayout } from "../PayoutError.js"
import * as Payouts from "../Payouts.js"
import * as PayoutState from "../PayoutState.js"
import * as Token from "../Token.js"
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

export const fromCsv = (
  text: string,
  defaults: {
    readonly from?: string | undefined
    readonly payer: FeePayerInput
    readonly gasLimit?: number | undefined
  }
) =>
  Effect.gen(function*() {
    const [first, ...rows] = csv.rows(text)
    const at = yield* Either.mapLeft(
      header(first?.fields ?? []),
      (problem) => InvalidInput.at("payouts.fromCsv", ["text"], problem)
    )
    /** The decimals of each token are read once. */
    const decimalsOf = yield* Effect.cachedFunction((token: Address.Address) => Effect.either(Token.decimals(token)))
    const lineOf = ({ fields, line }: { readonly line: number; readonly fields: ReadonlyArray<string> }) =>
      Effect.gen(function*() {
        const field = (name: string): string | undefined => {
          const value = fields[at.get(name) ?? -1]?.trim()
          return value === "" ? undefined : value
        }
        const key = field("key") ?? ""
        const wrong = (problem: string): Batch.Line => ({ line, key, input: Either.left(problem) })
        if (fields.length !== at.size) return wrong(`it has ${fields.length} fields, and the first line ${at.size}`)
        const from = field("from") ?? defaults.from
        const to = field("to")
        const amount = field("amount")
        if (from === undefined) return wrong("it names no account that pays (from)")
        if (to === undefined || amount === undefined || key === "") return wrong("key, to and amount can't be empty")
        const common = { key, payer: defaults.payer, gasLimit: defaults.gasLimit }
        const token = field("token")
        const memo = field("memo")
        if (token === undefined) {
          const value = Amount.fromDecimal(amount, 18)
          if (Either.isLeft(value)) return wrong(`amount: ${value.left}`)
          const input = { ...common, from, to, value: value.right, ...(memo === undefined ? {} : { memo }) }
          return { line, key, input: Either.right(input) } satisfies Batch.Line
        }
        if (memo !== undefined) return wrong("a transfer of a token has no memo")
        const address = readToken(token)
        if (Either.isLeft(address)) return wrong(`token: ${token} is not an address, or has a wrong checksum`)
        const made = yield* Effect.flatten(decimalsOf(address.right)).pipe(
          Effect.flatMap((scale) => Token.transfer({ ...common, token, from, to, amount }, scale)),
          Effect.either
        )
        if (Either.isRight(made)) return { line, key, input: Either.right(made.right) } satisfies Batch.Line
        return made.left._tag === "LookupFailed" ? yield* made.left : wrong(made.left.message)
      })
    return yield* Effect.forEach(rows, lineOf, { concurrency: 16 })
  })

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

const sumsOf = (lines: ReadonlyArray<Batch.PlannedLine>): Sums => {
  const sums: Sums = new Map()
  for (const { checked } of lines) {
    add(sums, checked.spend.from, undefined, checked.spend.value, 0n)
    for (const [account, fee] of feesOf(checked)) add(sums, account, undefined, 0n, fee)
    Option.map(Token.fromContent(checked.content), ({ amount, from, token }) => add(sums, from, token, amount, 0n))
  }
  return sums
}

const isNew = ({ checked }: Batch.PlannedLine): boolean => Option.isNone(checked.stored)

export const plan = <E, R>(lines: Stream.Stream<Batch.Line, E, R>) =>
  Effect.gen(function*() {
    const payouts = yield* Payouts.Payouts
    const node = yield* nodes.make
    const problems: Array<Batch.Problem> = []
    const planned: Array<Batch.PlannedLine> = []
    const seen = new Map<string, number>()
    const checkLine = ({ input, key, line }: Batch.Line) =>
      Effect.gen(function*() {
        const wrong = (problem: string): Batch.Problem => ({ line, key, problem })
        if (Either.isLeft(input)) return Either.left(wrong(input.left))
        const checked = yield* Effect.either(payouts.check(input.right))
        if (Either.isLeft(checked)) {
          return checked.left._tag === "DatabaseFailed" ? yield* checked.left : Either.left(wrong(checked.left.message))
        }
        if (Option.isNone(checked.right.stored)) {
          const tried = yield* Effect.either(Token.dryRun(checked.right.content))
          if (Either.isLeft(tried)) {
            return tried.left._tag === "LookupFailed" ? yield* tried.left : Either.left(wrong(tried.left.message))
          }
        }
        return Either.right<Batch.PlannedLine>({ line, key, input: input.right, checked: checked.right })
      })
    const all = yield* Stream.runCollect(
      Stream.mapEffect(lines, (line) => Effect.map(checkLine(line), (checked) => ({ line, checked })), {
        concurrency: 16
      })
    )
    for (const { checked, line: { key, line } } of all) {
      const before = seen.get(key)
      if (before !== undefined) problems.push({ line, key, problem: `line ${before} has the same key` })
      else seen.set(key, line)
      if (Either.isLeft(checked)) problems.push(checked.left)
      else planned.push(checked.right)
    }
    const fresh = planned.filter(isNew)
    const totals = yield* Effect.forEach(sumsOf(fresh).values(), (sum) =>
      Effect.map(
        sum.token === undefined ? node.balance(sum.account) : Token.balance(sum.token, sum.account),
        (balance): Batch.Total => ({ ...sum, balance })
      ).pipe(Effect.either), { concurrency: 16 })
    const whole = (problem: string) => problems.push({ line: undefined, key: undefined, problem })
    for (const total of totals) {
      if (Either.isLeft(total)) {
        if (total.left._tag === "LookupFailed") return yield* total.left
        whole(total.left.message)
        continue
      }
      const { account, balance, fees, token, value } = total.right
      if (value + fees > balance) {
        const most = fees === 0n ? "" : ` and fees of up to ${Amount.format(fees)}`
        whole(
          `${Address.checksum(account)} has ${format(balance, token)}, and is to pay ${format(value, token)}${most}`
        )
      }
    }
    const { left } = yield* payouts.health
    if (Option.isSome(left)) {
      const value = fresh.reduce((sum, { checked }) => sum + checked.spend.value, 0n)
      const fee = fresh.reduce((sum, { checked }) => sum + checked.spend.fee, 0n)
      if (value > left.value.value) {
        whole(
          `the spend window has ${format(left.value.value, undefined)} left, and the lines move ${
            format(value, undefined)
          }`
        )
      }
      if (left.value.fee !== undefined && fee > left.value.fee) {
        whole(
          `the spend window has ${format(left.value.fee, undefined)} left for fees, which can come to ${
            format(fee, undefined)
          }`
        )
      }
    }
    return { lines: planned, problems, totals: Arr.getRights(totals) } satisfies Batch.BatchPlan
  })

/** Waits until a payout has ended, or waits for approval. */
const settle = (payouts: Payouts.Service, key: string): Effect.Effect<Payout, DatabaseFailed | NoSuchPayout> =>
  Effect.gen(function*() {
    while (true) {
      const { history: _, ...payout } = yield* payouts.get(key)
      if (PayoutState.isEnd(payout.state) || payout.state._tag === "WaitingForApproval") return payout
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
