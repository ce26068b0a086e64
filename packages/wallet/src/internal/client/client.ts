/** The wallet's client: each call names its pool, and each change asks the spending policy first. */
import * as Chain from "@effect-klaytn/core/Chain"
import * as Krn from "@effect-klaytn/core/Krn"
import type * as Operation from "@effect-klaytn/core/Operation"
import * as Operations from "@effect-klaytn/core/Operations"
import type * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import { InvalidInput, isServiceError } from "@effect-klaytn/core/ServiceError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { CurrentFeePayerPool, CurrentPool } from "../../Pool.js"
import * as SpendPolicy from "../../SpendPolicy.js"
import * as WalletCode from "../../WalletCode.js"
import { type PoolHeader, poolHeader } from "../contract/fields.js"

/** What a change moves, apart from its operation and chain. */
export type Change = Partial<Omit<SpendPolicy.Spend, "operation" | "chain" | "opaque">> & { readonly opaque: boolean }

/** A change that may move more than can be seen. */
export const opaque = (): Change => ({ opaque: true })

/** A change that moves nothing. */
export const harmless = (): Change => ({ opaque: false })

/**
 * Whether a change may have been made, or another copy of its request may still make it. A refusal proves the opposite
 * only if every copy must be refused.
 */
export const mayHappen = (error: { readonly _tag: string }): boolean => {
  if (!isServiceError(error)) return error._tag === "SendUnknown" || ("proof" in error && error.proof === "lookup")
  return error._tag === "OutcomeUnknown" ||
    (error.attempts.some(({ status }) => status !== undefined) && !("code" in error && WalletCode.isPermanent(error)))
}

export const make = Effect.fnUntraced(function*(rules: SpendPolicy.Service | SpendPolicy.Rules | undefined) {
  const operations = yield* Operations.make("wallet")
  const policy = yield* SpendPolicy.from(rules)
  const { chain, pool: configured } = operations.settings

  type PoolText = Effect.Effect<string | undefined, InvalidInput>

  /** The text of a pool, if there is one. It must be of the chain that the call goes to. */
  const checkPool = (operation: string, path: string, pool: Option.Option<Krn.Krn>): PoolText => {
    if (Option.isNone(pool)) return Effect.succeed(undefined)
    const text = Krn.format(pool.value)
    const refuse = (problem: string) => InvalidInput.at(operation, [path], problem)
    if (pool.value.chain !== chain) {
      return refuse(`it belongs to ${Chain.label(pool.value.chain)}, and the call would go to ${Chain.label(chain)}`)
    }
    return /^[\x21-\x7e]+$/.test(text)
      ? Effect.succeed(text)
      : refuse("a header can hold printable ASCII only, so this pool can't be named in one")
  }

  /**
   * The account pool of a call: the current one, or else that of the configuration, which counts only where the
   * document lists the header.
   */
  const accountPool = (operation: string, isListed = true): PoolText =>
    Effect.flatMap(
      CurrentPool,
      (current) => checkPool(operation, "pool", isListed ? Option.orElse(current, () => configured) : current)
    )

  /** Both pools in one text, for the paths of a user fee payer: the account's and the fee payer's. */
  const bothPools = Effect.fnUntraced(function*(operation: string) {
    const own = yield* accountPool(operation)
    const payers = yield* checkPool(operation, "feePayerPool", yield* CurrentFeePayerPool)
    if (own !== undefined && payers !== undefined) return `${own},${payers}`
    return own === payers ? undefined : yield* InvalidInput.at(
      operation,
      [own === undefined ? "pool" : "feePayerPool"],
      "the paths of a user fee payer name the account pool and the fee-payer pool together: set both " +
        "(Pool.withPool and Pool.withFeePayerPool), or neither"
    )
  })

  /** Makes a change if the policy allows it. The grant is released if it is certain that nothing was done. */
  const guard =
    (operation: string, { from, opaque, to, ...amounts }: Change) =>
    <A, E extends { readonly _tag: string }, R>(
      run: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | SpendPolicy.SpendRefused, R> =>
      Effect.flatMap(
        policy.authorise({ chain, operation, from, to, value: 0n, fee: 0n, ...amounts, opaque }),
        (grant) => Effect.tapError(run, (error) => mayHappen(error) ? Effect.void : grant.release)
      )

  const added = ({ name }: Operation.Descriptor) => ({ added: Effect.map(accountPool(name), poolHeader) })

  /** An operation that changes nothing. Its calls name the current pool. */
  const read = <O extends Operation.Any, F extends Operation.Fields, const M extends Operations.Places<O, F>>(
    operation: O,
    fields: F,
    places: M & Operations.Complete<O, F, M, keyof PoolHeader>
  ) =>
    operations.one<O, F, M, Operation.Success<O>, ServiceClient.CallError<O["method"]>, keyof PoolHeader>(
      operation,
      fields,
      places,
      added(operation)
    )

  /** An operation that makes the change that `changeOf` describes. Its calls name the current pool. */
  const change = <O extends Operation.Any, F extends Operation.Fields, const M extends Operations.Places<O, F>>(
    operation: O,
    fields: F,
    places: M & Operations.Complete<O, F, M, keyof PoolHeader>,
    changeOf: (input: Schema.Struct.Type<F>) => Change
  ) =>
    operations.one<
      O,
      F,
      M,
      Operation.Success<O>,
      ServiceClient.CallError<O["method"]> | SpendPolicy.SpendRefused,
      keyof PoolHeader
    >(operation, fields, places, {
      ...added(operation),
      run: (call, input) => guard(operation.name, changeOf(input))(call)
    })

  return { ...operations, policy, guard, accountPool, bothPools, read, change }
})
