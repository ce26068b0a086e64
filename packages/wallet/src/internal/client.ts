/** The wallet's client: each call names its pool, and each change asks the spending policy first. */
import * as Chain from "@effect-klaytn/core/Chain"
import * as Krn from "@effect-klaytn/core/Krn"
import type * as Operation from "@effect-klaytn/core/Operation"
import * as Operations from "@effect-klaytn/core/Operations"
import type * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import { InvalidInput, isServiceError, type ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { CurrentFeePayerPool, CurrentPool } from "../Pool.js"
import * as SpendPolicy from "../SpendPolicy.js"
import type { Options } from "../Wallet.js"
import * as WalletCode from "../WalletCode.js"

/** What a change moves, apart from its operation and chain. */
export type Change = Partial<Omit<SpendPolicy.Spend, "operation" | "chain" | "opaque">> & { readonly opaque: boolean }

/** Changes that may move more than can be seen, or nothing. */
export const opaque = (): Change => ({ opaque: true })
export const harmless = (): Change => ({ opaque: false })

/** The header that names the pool of a call. */
export interface PoolHeader {
  readonly "x-krn"?: string
}

export const poolHeader = (pool: string | undefined): PoolHeader => pool === undefined ? {} : { "x-krn": pool }

/** A call's path and its pool: the request of most operations. */
export const byPath = <Path>(path: Path, headers: PoolHeader) => ({ path, headers })

type Input<Fields extends Operation.Fields> = Schema.Struct.Type<Fields>

type MakeRequest<O extends Operation.Any, F extends Operation.Fields> = (
  input: Input<F>,
  headers: PoolHeader
) => Operation.Request<O>

type Run<O extends Operation.Any, F extends Operation.Fields, E> = (
  input: Schema.Struct.Encoded<F>
) => Effect.Effect<Operation.Success<O>, E>

export interface WalletClient extends Operations.Operations {
  readonly policy: SpendPolicy.Service
  /** Makes a change if the policy allows it. The grant is released if it is certain that nothing was done. */
  readonly guard: (
    operation: string,
    change: Change
  ) => <A, E extends { readonly _tag: string }, R>(
    run: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | SpendPolicy.SpendRefused, R>
  /**
   * The account pool of a call: the current one, or else that of the configuration, which counts only where the
   * document lists the header.
   */
  readonly accountPool: (operation: string, isListed?: boolean) => Effect.Effect<string | undefined, InvalidInput>
  /** Both pools in one text, for the paths of a user fee payer. */
  readonly bothPools: (operation: string) => Effect.Effect<string | undefined, InvalidInput>
  /** Makes an operation that names the current pool. If it changes something, `change` says what. */
  readonly operation: {
    <O extends Operation.Any, F extends Operation.Fields>(
      operation: O,
      fields: F,
      request: MakeRequest<O, F>
    ): Run<O, F, ServiceClient.CallError<O["method"]> | InvalidInput>
    <O extends Operation.Any, F extends Operation.Fields>(
      operation: O,
      fields: F,
      request: MakeRequest<O, F>,
      change: (input: Input<F>) => Change
    ): Run<O, F, ServiceError | SpendPolicy.SpendRefused>
  }
}

/**
 * Whether a change may have been made, or may still be made by another copy of its request: a refusal proves that it was
 * not only if every copy must be refused.
 */
export const mayHappen = (error: { readonly _tag: string }): boolean => {
  if (!isServiceError(error)) return error._tag === "SendUnknown" || ("proof" in error && error.proof === "lookup")
  return error._tag === "OutcomeUnknown" ||
    (error.attempts.some(({ status }) => status !== undefined) && !("code" in error && WalletCode.isPermanent(error)))
}

/** The text of a pool, if there is one. It must be of the chain that the call goes to. */
const checkPool = (
  chain: Chain.Chain,
  operation: string,
  path: string,
  pool: Option.Option<Krn.Krn>
): Effect.Effect<string | undefined, InvalidInput> => {
  if (Option.isNone(pool)) return Effect.succeed(undefined)
  const text = Krn.format(pool.value)
  return pool.value.chain !== chain
    ? InvalidInput.at(
      operation,
      [path],
      `it belongs to ${Chain.label(pool.value.chain)}, and the call would go to ${Chain.label(chain)}`
    )
    : /^[\x21-\x7e]+$/.test(text)
    ? Effect.succeed(text)
    : InvalidInput.at(
      operation,
      [path],
      "a header can hold printable ASCII only, so this pool can't be named in one"
    )
}

/** Both pools in one text: the account's and the fee payer's. */
const together = (
  operation: string,
  own: string | undefined,
  payers: string | undefined
): Effect.Effect<string | undefined, InvalidInput> =>
  own !== undefined && payers !== undefined
    ? Effect.succeed(`${own},${payers}`)
    : own === payers
    ? Effect.succeed(undefined)
    : InvalidInput.at(
      operation,
      [own === undefined ? "pool" : "feePayerPool"],
      "the paths of a user fee payer name the account pool and the fee-payer pool together: set both " +
        "(Pool.withPool and Pool.withFeePayerPool), or neither"
    )

export const make = ({ policy: rules }: Pick<Options, "policy">) =>
  Effect.gen(function*() {
    const operations = yield* Operations.make("wallet")
    const policy = yield* SpendPolicy.from(rules)
    const { chain, pool: configured } = operations.settings

    const accountPool: WalletClient["accountPool"] = (operation, isListed = true) =>
      Effect.flatMap(
        CurrentPool,
        (current) => checkPool(chain, operation, "pool", isListed ? Option.orElse(current, () => configured) : current)
      )

    const guard: WalletClient["guard"] = (operation, { from, opaque, to, ...amounts }) => (run) =>
      Effect.flatMap(
        policy.authorise({ chain, operation, from, to, value: 0n, fee: 0n, ...amounts, opaque }),
        (grant) => Effect.tapError(run, (error) => mayHappen(error) ? Effect.void : grant.release)
      )

    function operation<O extends Operation.Any, F extends Operation.Fields>(
      operation: O,
      fields: F,
      request: MakeRequest<O, F>
    ): Run<O, F, ServiceClient.CallError<O["method"]> | InvalidInput>
    function operation<O extends Operation.Any, F extends Operation.Fields>(
      operation: O,
      fields: F,
      request: MakeRequest<O, F>,
      change: (input: Input<F>) => Change
    ): Run<O, F, ServiceError | SpendPolicy.SpendRefused>
    function operation<O extends Operation.Any, F extends Operation.Fields>(
      operation: O,
      fields: F,
      request: MakeRequest<O, F>,
      change?: (input: Input<F>) => Change
    ) {
      return operations.one(operation, fields, (input, call: Operations.MakeCall<O>) =>
        Effect.flatMap(accountPool(operation.name), (pool) => {
          const run = call(request(input, poolHeader(pool)))
          return change === undefined ? run : guard(operation.name, change(input))(run)
        }))
    }

    const client: WalletClient = {
      ...operations,
      policy,
      guard,
      accountPool,
      bothPools: (operation) =>
        Effect.gen(function*() {
          const own = yield* accountPool(operation)
          return yield* together(
            operation,
            own,
            yield* checkPool(chain, operation, "feePayerPool", yield* CurrentFeePayerPool)
          )
        }),
      operation
    }
    return client
  })
