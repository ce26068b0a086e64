/**
 * What may be spent: asked before anything of a send leaves the program.
 *
 * **Details**
 *
 * The policy is captured when `Wallet`, `Transactions` and `WalletAdditions` are made, and asked by everything of them
 * that can move assets; the caller of a finished service can't take it away. A policy that is provided around a single
 * call is asked as well: it can only tighten. What was granted counts against a window until it is certain that nothing
 * was sent.
 *
 * **Without a policy** ({@link defaultPolicy}): everything goes on testnet, and nothing on mainnet. Real coins need a
 * policy that somebody wrote, {@link unlimited} being one.
 *
 * A credential has all rights over all accounts, so no policy in a program guards against a program that builds its own
 * requests with it.
 *
 * **Example** (at most 10 KLAY a send and 100 a day, to one account)
 *
 * ```ts
 * import * as SpendPolicy from "@effect-klaytn/wallet/SpendPolicy"
 * import * as Wallet from "@effect-klaytn/wallet/Wallet"
 * import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
 *
 * export const Payouts = Wallet.layerConfig().pipe(
 *   Layer.provide(SpendPolicy.layer({
 *     chains: [8217],
 *     maxPerTransaction: 10n * 10n ** 18n,
 *     window: { max: 100n * 10n ** 18n, duration: "1 day" },
 *     recipients: ["0x1111111111111111111111111111111111111111"]
 *   }))
 * )
 * ```
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Chain from "@effect-klaytn/core/Chain"
import * as Input from "@effect-klaytn/core/Input"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SpendWindow from "./internal/spendWindow.js"

/**
 * What is about to be done.
 *
 * @since 0.1.0
 * @category models
 */
export interface Spend {
  readonly chain: Chain.Chain
  /** The operation, as in `wallet.sendValue`. */
  readonly operation: string
  /** The account that spends, if known. */
  readonly from: Address.Address | undefined
  /** Who receives the value; absent when nobody does. */
  readonly to: Address.Address | undefined
  /** In peb. */
  readonly value: bigint
  /**
   * Whether more may move than `value`: a contract call, a change of an account's key, a signature over bytes, a
   * co-signature, a raw transaction that can't be read.
   */
  readonly opaque: boolean
}

/**
 * Why a spend was refused. Nothing was sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class SpendRefused extends Data.TaggedError("SpendRefused")<{
  readonly rule: "chain" | "transaction" | "window" | "recipient" | "opaque" | "other"
  readonly problem: string
}> {
  override get message(): string {
    return `the spending policy refused (${this.rule}): ${this.problem}`
  }
}

/**
 * A spend that was allowed. `release` gives it back, for a send of which it is certain that nothing was sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface Grant {
  readonly release: Effect.Effect<void>
}

/**
 * A policy.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** Allows and counts a spend, or refuses it. */
  readonly authorise: (spend: Spend) => Effect.Effect<Grant, SpendRefused>
}

/**
 * The rules of {@link make}. What is left out is not limited, except `opaque`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Chains on which anything goes at all. */
  readonly chains?: ReadonlyArray<Chain.Chain> | undefined
  /** The most of one transaction, in peb. */
  readonly maxPerTransaction?: bigint | undefined
  /** The most of all transactions in any stretch of this length, in peb. Counted in memory, from the start on. */
  readonly window?: { readonly max: bigint; readonly duration: Duration.DurationInput } | undefined
  /** The accounts and contracts that may receive, or be called. */
  readonly recipients?: ReadonlyArray<string> | undefined
  /** What becomes of actions that may move more than can be seen; `refuse` unless given. */
  readonly opaque?: "allow" | "refuse" | undefined
}

const grant: Grant = { release: Effect.void }

const refused = (rule: SpendRefused["rule"], problem: string): SpendRefused => new SpendRefused({ rule, problem })

const Limit = Schema.BigIntFromSelf.pipe(
  Schema.nonNegativeBigInt({ message: () => "a limit is a whole number of peb, 0n or more" })
)

const Stretch = Schema.declare(
  (value: unknown): value is Duration.DurationInput =>
    Option.exists(Duration.decodeUnknown(value), (duration) => Duration.toMillis(duration) > 0),
  { message: () => "a window is a stretch of time such as \"1 day\", longer than 0" }
)

const Rules = Schema.Struct({
  chains: Schema.optional(Schema.Array(Chain.Chain)),
  maxPerTransaction: Schema.optional(Limit),
  window: Schema.optional(Schema.Struct({ max: Limit, duration: Stretch })),
  recipients: Schema.optional(Schema.Array(Address.FromInput)),
  opaque: Schema.optional(Schema.Literal("allow", "refuse"))
})

const read = Input.decode("SpendPolicy.make", Rules)

/**
 * The policy when none is provided: everything on testnet, nothing on mainnet.
 *
 * @since 0.1.0
 * @category constructors
 */
export const defaultPolicy: Service = {
  authorise: (spend) =>
    spend.chain === Chain.testnet
      ? Effect.succeed(grant)
      : new SpendRefused({
        rule: "chain",
        problem: `no policy is provided, and ${Chain.label(spend.chain)} moves real coins: ` +
          "provide SpendPolicy.layer with limits, or SpendPolicy.unlimited on purpose"
      })
}

/**
 * The policy in force.
 *
 * @since 0.1.0
 * @category services
 */
export class SpendPolicy extends Context.Reference<SpendPolicy>()("@effect-klaytn/wallet/SpendPolicy", {
  defaultValue: (): Service => defaultPolicy
}) {}

/**
 * Makes a policy out of rules. Fails as `InvalidInput` for a recipient that is no address and a limit below 0.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<Service, InvalidInput> =>
  Effect.gen(function*() {
    const { chains, maxPerTransaction, opaque, recipients, window } = yield* read(options)
    const allowed = recipients === undefined ? undefined : new Set<string>(recipients)
    const counted = window === undefined ? undefined : yield* SpendWindow.make(window.max, window.duration)
    const problem = (spend: Spend): SpendRefused | undefined => {
      if (chains !== undefined && !chains.includes(spend.chain)) {
        return refused("chain", `${Chain.label(spend.chain)} is not one of the allowed chains`)
      }
      if (spend.opaque && opaque !== "allow") {
        return refused("opaque", `${spend.operation} may move more than can be seen; allow it with opaque: "allow"`)
      }
      if (allowed !== undefined && spend.to !== undefined && !allowed.has(spend.to)) {
        return refused("recipient", `${Address.checksum(spend.to)} is not one of the allowed recipients`)
      }
      return maxPerTransaction !== undefined && spend.value > maxPerTransaction
        ? refused("transaction", `${spend.value} peb is more than ${maxPerTransaction} peb`)
        : undefined
    }
    const authorise = (spend: Spend): Effect.Effect<Grant, SpendRefused> => {
      const found = problem(spend)
      if (found !== undefined) return found
      if (counted === undefined) return Effect.succeed(grant)
      return Effect.mapBoth(counted(spend.value), {
        onFailure: (left) => refused("window", `${spend.value} peb is more than the ${left} peb that are left`),
        onSuccess: (release) => ({ release })
      })
    }
    return { authorise }
  })

/**
 * A policy as a layer: provide it to the layer of `Wallet`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<SpendPolicy, InvalidInput> =>
  Layer.effect(SpendPolicy, make(options))

/**
 * No limit at all, on both chains.
 *
 * @since 0.1.0
 * @category layers
 */
export const unlimited: Layer.Layer<SpendPolicy> = Layer.succeed(SpendPolicy, {
  authorise: () => Effect.succeed(grant)
})
