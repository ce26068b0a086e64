/**
 * Many payouts at once, from a stream or a CSV file: all are checked before the first is sent.
 *
 * **Details**
 *
 * {@link check} and {@link plan} read everything, and find what is wrong with any line: its fields and checksums, keys
 * that appear twice or belong to another payout, accounts that the wallet does not have, the policy, contract calls that would fail, totals that exceed a
 * balance or the rest of the spend window. They send and store nothing. {@link run} refuses a plan with problems;
 * otherwise it submits line by line, at a rate, and reports each line when it ends.
 *
 * To resume a batch, whatever stopped it, run it again with the same limits. The run waits for lines whose keys are stored already,
 * and submits the others. It does not wait for a line that was stored with other limits and is not begun.
 *
 * **Gotchas**
 *
 * Balances and the window are read once, and other programs may spend in the meantime. A payout that can't be paid then
 * ends as `Refused`, and its line says so.
 *
 * **CSV** ({@link fromCsv}): a first line with the names of the columns, in any order: `key`, `to` and `amount`, and
 * optionally `from`, `token`, `memo`. Amounts are decimal numbers of KLAY, or of whole tokens with `token`, a contract.
 * The file is UTF-8 with commas, quoted as RFC 4180 says. A misplaced quote fails with its line: it could hide payments.
 *
 * **Example** (pay a file)
 *
 * ```ts
 * import * as Batch from "@effect-klaytn/payouts/Batch"
 * import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
 * import * as FileSystem from "@effect/platform/FileSystem"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const payFile = (path: string) =>
 *   Effect.gen(function*() {
 *     const from = "0x1111111111111111111111111111111111111111"
 *     const file = (yield* FileSystem.FileSystem).stream(path)
 *     const plan = yield* Batch.plan(Batch.fromCsv(file, { from, payer: FeeDelegation.service }))
 *     for (const { line, problem } of plan.problems) yield* Effect.logError(`line ${line}: ${problem}`)
 *     yield* Stream.runForEach(Batch.run(plan), ({ key, payout }) => Effect.log(key, payout.state._tag))
 *   })
 * ```
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import type * as Input from "@effect-klaytn/core/Input"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { FeePayerInput } from "@effect-klaytn/wallet/FeeDelegation"
import type { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import type { HttpClient } from "@effect/platform/HttpClient"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as internal from "./internal/batchLines.js"
import type { Payout } from "./Payout.js"
import type { DatabaseFailed, KeyConflict } from "./PayoutError.js"
import type { PayInput, Payouts } from "./Payouts.js"

/** The place of a line in its batch, and the key of its payout. */
interface Place {
  readonly line: number
  readonly key: string
}

/**
 * A line of a batch: its number, its key, and the payout, or what is wrong with it.
 *
 * @category models
 */
export interface Line extends Place {
  readonly input: Either.Either<PayInput, string>
}

/**
 * A line that can be paid.
 *
 * @category models
 */
export interface PlannedLine extends Place {
  readonly input: PayInput
}

/**
 * What is wrong with a line, or with the whole batch if `line` and `key` are absent.
 *
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
 * The totals of a batch, and what is wrong with it.
 *
 * @category models
 */
export interface BatchCheck {
  /** How many of the lines are new, are stored already, and, of the new ones, wait for a person's approval. */
  readonly counts: { readonly new: number; readonly known: number; readonly needApproval: number }
  readonly totals: ReadonlyArray<Total>
  /** In the order of the lines. Nothing is paid if there are any. */
  readonly problems: ReadonlyArray<Problem>
}

/**
 * A batch whose lines were checked, with the lines that `run` pays.
 *
 * @category models
 */
export interface BatchPlan extends BatchCheck {
  readonly lines: ReadonlyArray<PlannedLine>
}

/**
 * A line that has ended, or waits for a person's approval or for a process with the limits under which it was stored.
 *
 * @category models
 */
export interface LineResult extends Place {
  readonly payout: Payout
}

/**
 * The plan has problems, so nothing was submitted.
 *
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
 * @category constructors
 */
export const fromInputs = <E, R>(inputs: Stream.Stream<PayInput, E, R>): Stream.Stream<Line, E, R> =>
  Stream.map(Stream.zipWithIndex(inputs), ([input, index]) => ({
    line: index + 1,
    key: input.key,
    input: Either.right(input)
  }))

/**
 * Reads a CSV file line by line, from its text or its bytes.
 *
 * **Details**
 *
 * A line with a wrong field becomes a problem of the plan. The stream fails as `InvalidInput`, which names the line, if the
 * rest of the file can't be trusted: the first line lacks columns, a quote is misplaced or never closed, bytes are not
 * UTF-8, or a record has over 1,000,000 bytes.
 *
 * Key and memo are taken exactly as they stand, as `pay` takes them. Blanks around the other fields don't count.
 *
 * @category constructors
 */
export const fromCsv = <E = never, R = never>(
  file: string | Stream.Stream<Uint8Array, E, R>,
  defaults: {
    readonly from?: string | undefined
    readonly payer: FeePayerInput
    readonly gasLimit?: number | undefined
  }
): Stream.Stream<Line, E | LookupFailed | InvalidInput, R | ClientConfig | HttpClient> =>
  internal.fromCsv(file, defaults)

/** The result of checking the lines of a stream. */
type Checked<A, E, R> = Effect.Effect<
  A,
  E | LookupFailed | InvalidInput | DatabaseFailed,
  R | Payouts | ClientConfig | HttpClient
>

/**
 * Checks all lines as they come, 16 at once, and keeps only their keys. Stores and sends nothing. A line that pays 0, and a
 * key that begins or ends with a blank, are problems.
 *
 * @category combinators
 */
export const check = <E, R>(lines: Stream.Stream<Line, E, R>): Checked<BatchCheck, E, R> => internal.check(lines)

/**
 * Checks all lines, and keeps those that can be paid for {@link run}.
 *
 * @category combinators
 */
export const plan = <E, R>(lines: Stream.Stream<Line, E, R>): Checked<BatchPlan, E, R> => internal.plan(lines)

/**
 * How fast a batch is submitted.
 *
 * @category models
 */
export interface RunOptions extends Input.Of<typeof internal.pace> {}

/**
 * Pays the lines of a plan, and emits each as it ends. To resume one that stopped or failed, plan the same lines again.
 *
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
