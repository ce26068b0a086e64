/**
 * Many payouts at once, from a stream or a CSV file: all are checked before the first is sent.
 *
 * **Details**
 *
 * {@link plan} reads everything, and finds what is wrong with any line: its fields and checksums, keys that appear twice
 * or belong to another payout, the policy, contract calls that would fail, totals that go beyond a balance or what is
 * left of the spend window. It sends and stores nothing. {@link run} refuses a plan with problems; otherwise it submits
 * line by line, at a rate, and reports each line as it ends.
 *
 * To resume a batch, whatever stopped it, run it again: its keys are its state. Lines that are stored already are waited
 * for, and the others are submitted.
 *
 * **Gotchas**
 *
 * Balances and the window are read once: others may spend in the meantime. A payout that can't be paid then ends as
 * `Refused`, and its line says so.
 *
 * **CSV** ({@link fromCsv}): a first line with the names of the columns, in any order: `key`, `to` and `amount`, and
 * optionally `from`, `token`, `memo`. Amounts are decimal numbers of KLAY, or of whole tokens with `token`, a contract.
 *
 * **Example** (pay a file)
 *
 * ```ts
 * import * as Batch from "@effect-klaytn/payouts/Batch"
 * import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const payFile = (text: string) =>
 *   Effect.gen(function*() {
 *     const from = "0x1111111111111111111111111111111111111111"
 *     const plan = yield* Batch.plan(yield* Batch.fromCsv(text, { from, payer: FeeDelegation.service }))
 *     for (const { line, problem } of plan.problems) yield* Effect.logError(`line ${line}: ${problem}`)
 *     yield* Stream.runForEach(Batch.run(plan), ({ key, payout }) => Effect.log(key, payout.state._tag))
 *   })
 * ```
 *
 * @since 0.1.0
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { FeePayerInput } from "@effect-klaytn/wallet/FeeDelegation"
import type { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import type { HttpClient } from "@effect/platform/HttpClient"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as internal from "./internal/batch.js"
import type { Payout } from "./Payout.js"
import type { DatabaseFailed, KeyConflict } from "./PayoutError.js"
import type { Checked, PayInput, Payouts } from "./Payouts.js"

/**
 * A line of a batch: its number, its key, and the payout, or what is wrong with it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Line {
  readonly line: number
  readonly key: string
  readonly input: Either.Either<PayInput, string>
}

/**
 * A line that can be paid. `checked.stored` is its payout if the key was asked for before.
 *
 * @since 0.1.0
 * @category models
 */
export interface PlannedLine {
  readonly line: number
  readonly key: string
  readonly input: PayInput
  readonly checked: Checked
}

/**
 * What is wrong with a line, or with the whole batch if `line` and `key` are absent.
 *
 * @since 0.1.0
 * @category models
 */
export interface Problem {
  readonly line: number | undefined
  readonly key: string | undefined
  readonly problem: string
}

/**
 * What the new lines take from an account, in peb, or in the smallest unit of `token`: what they move, and the most that
 * their fees can be. `balance` is what the account has.
 *
 * @since 0.1.0
 * @category models
 */
export interface Total {
  readonly account: Address
  readonly token: Address | undefined
  readonly value: bigint
  readonly fees: bigint
  readonly balance: bigint
}

/**
 * A batch whose lines were checked.
 *
 * @since 0.1.0
 * @category models
 */
export interface BatchPlan {
  readonly lines: ReadonlyArray<PlannedLine>
  readonly totals: ReadonlyArray<Total>
  /** In the order of the lines. Nothing is paid if there are any. */
  readonly problems: ReadonlyArray<Problem>
}

/**
 * A line that has ended, or waits for a person's approval.
 *
 * @since 0.1.0
 * @category models
 */
export interface LineResult {
  readonly line: number
  readonly key: string
  readonly payout: Payout
}

/**
 * The plan has problems, so nothing was submitted.
 *
 * @since 0.1.0
 * @category errors
 */
export class BatchRefused extends Data.TaggedError("BatchRefused")<{ readonly problems: ReadonlyArray<Problem> }> {
  override get message(): string {
    const [first] = this.problems
    const where = first?.line === undefined ? "" : `line ${first.line}: `
    const more = this.problems.length > 1 ? `, and ${this.problems.length - 1} more` : ""
    return `the batch was refused: ${where}${first?.problem ?? "it has problems"}${more}`
  }
}

/**
 * Numbers payouts from 1 on, as the lines of a batch.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromInputs = <E, R>(inputs: Stream.Stream<PayInput, E, R>): Stream.Stream<Line, E, R> =>
  internal.fromInputs(inputs)

/**
 * Reads a CSV file. A line that can't be read becomes a problem of the plan. A file without the columns that it needs fails
 * as `InvalidInput`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromCsv = (
  text: string,
  defaults: {
    readonly from?: string | undefined
    readonly payer: FeePayerInput
    readonly gasLimit?: number | undefined
  }
): Effect.Effect<Stream.Stream<Line>, LookupFailed | InvalidInput, ClientConfig | HttpClient> =>
  Effect.map(internal.fromCsv(text, defaults), Stream.fromIterable)

/**
 * Checks all lines. Stores and sends nothing.
 *
 * @since 0.1.0
 * @category combinators
 */
export const plan = <E, R>(
  lines: Stream.Stream<Line, E, R>
): Effect.Effect<
  BatchPlan,
  E | LookupFailed | InvalidInput | DatabaseFailed,
  R | Payouts | ClientConfig | HttpClient
> => internal.plan(lines)

/**
 * How fast a batch is submitted: how many lines at once (16 by default), and at most how many in a period.
 *
 * @since 0.1.0
 * @category models
 */
export interface RunOptions {
  readonly concurrency?: number | undefined
  readonly rate?: { readonly lines: number; readonly per: Duration.DurationInput } | undefined
}

/**
 * Pays the lines of a plan, and emits each as it ends. To resume one that stopped or failed, plan the same lines again.
 *
 * @since 0.1.0
 * @category combinators
 */
export const run = (
  plan: BatchPlan,
  options: RunOptions = {}
): Stream.Stream<LineResult, BatchRefused | InvalidInput | KeyConflict | DatabaseFailed, Payouts> =>
  plan.problems.length > 0
    ? Stream.fail(new BatchRefused({ problems: plan.problems }))
    : internal.run(plan, options)

/**
 * Plans and runs: checks all payouts of a stream before the first is sent, and emits each as it ends.
 *
 * @since 0.1.0
 * @category combinators
 */
export const payAll = <E, R>(
  inputs: Stream.Stream<PayInput, E, R>,
  options: RunOptions = {}
): Stream.Stream<
  LineResult,
  E | BatchRefused | LookupFailed | InvalidInput | KeyConflict | DatabaseFailed,
  R | Payouts | ClientConfig | HttpClient
> => Stream.unwrap(Effect.map(plan(fromInputs(inputs)), (made) => run(made, options)))
