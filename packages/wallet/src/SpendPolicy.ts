/**
 * Spending limits, consulted before any request that changes something leaves the program.
 *
 * **Details**
 *
 * The window of {@link make} is counted in memory, and starts anew with each policy. `SqlSpendPolicy` of
 * `@effect-klaytn/payouts` counts in SQLite or Postgres: its window holds over restarts, and for all processes that share the
 * database. A plan with a nonce above 0 counts once, however often it is executed.
 *
 * A policy is an option of `Wallet`, `Transactions`, `Accounts`, `Keys`, `Multisig` and `Migration`, given when they
 * are made: either as rules, or as a policy made with {@link make}, which several of them can share together with its
 * window. Callers of the resulting service can't remove it. A granted spend counts until it is certain that nothing was
 * sent: also after a refusal that depends on state, such as one for want of funds, because another copy of the request
 * may still arrive (`NotSent.proof` is then `lookup`).
 *
 * **Without a policy** ({@link defaultPolicy}), everything is allowed on testnet and nothing on mainnet. Spending real
 * coins needs an explicit policy, such as {@link unlimited}.
 *
 * | Action | `value`, `fee` | `opaque` |
 * |---|---|---|
 * | value transfers, cancellations, anchors | as requested | no |
 * | legacy transactions | as requested | if they carry input or create a contract |
 * | deployments, contract calls, account updates | as requested | yes |
 * | raw transactions | from their bytes | as for the same transaction when it is not raw; yes if they can't be read |
 * | `registerAccounts` | the fees of the updates | if there is an account update |
 * | `updateMultiSig` | the fee of the update | yes |
 * | `sign`, `signPending`, `addSignatures`, `getSignature` | 0 | yes |
 * | `deleteAccount`, `deleteFeePayer`, `deleteKey` | 0 | yes: what they delete can no longer move anything |
 * | `createAccount`, `createKeys`, `createFeePayer`, `enableAccount`, `disableAccount` | 0 | no |
 *
 * Reads, plans and `callContract` change nothing and do not consult the policy.
 *
 * **Fees** count at their maximum, regardless of payer: gas limit times gas price. Raw bytes contain both.
 * Otherwise the service chooses the price, and the gas limit too if none is given. The policy then assumes 750 ston per
 * unit (the highest unit price that the service was seen to name) and 1000000 units, or 9000000 for a deployment
 * (seen). The service can choose more; only raw bytes bind it. Give a `gasLimit` for a smaller bound.
 *
 * A credential has all rights over all accounts, so a policy can't guard against a program that builds its own requests
 * with it.
 *
 * **Example** (at most 10 KLAY per send and 100 per day, to one account)
 *
 * ```ts
 * import * as Wallet from "@effect-klaytn/wallet/Wallet"
 *
 * export const Payouts = Wallet.layerConfig({
 *   policy: {
 *     chains: [8217],
 *     maxPerTransaction: 10n * 10n ** 18n,
 *     window: { max: 100n * 10n ** 18n, duration: "1 day" },
 *     recipients: ["0x1111111111111111111111111111111111111111"]
 *   }
 * })
 * ```
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Chain from "@effect-klaytn/core/Chain"
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Input from "@effect-klaytn/core/Input"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as windows from "./internal/client/spendWindow.js"
import * as intents from "./internal/plans/transactionIntent.js"
import type { SendPlan } from "./SendPlan.js"

/**
 * An action that is about to be carried out.
 *
 * @category models
 */
export interface Spend {
  readonly chain: Chain.Chain
  /** The operation, such as `wallet.sendValue`. */
  readonly operation: string
  /** The account that spends, if known. */
  readonly from: Address.Address | undefined
  /** Who receives the value; absent if nobody does. */
  readonly to: Address.Address | undefined
  /** In peb. */
  readonly value: bigint
  /** The most that the fee can be, in peb, whoever pays it; see the top of this module. */
  readonly fee: bigint
  /**
   * Whether more than `value` may move, as with a contract call, a change of an account's key, a signature over bytes,
   * a co-signature, or a raw transaction that can't be read.
   */
  readonly opaque: boolean
  /** The digest of a plan that can be carried out only once, because it names its nonce: executed again, it counts once. */
  readonly id?: string | undefined
}

/**
 * The policy refused a spend. Nothing was sent. `rule` is `unavailable` if the earlier spends could not be read.
 *
 * @category errors
 */
export class SpendRefused extends Schema.TaggedError<SpendRefused>("@effect-klaytn/wallet/SpendRefused")(
  "SpendRefused",
  {
    rule: Schema.Literal("chain", "transaction", "fee", "window", "recipient", "opaque", "unavailable", "other"),
    problem: Schema.String
  }
) {
  override get message(): string {
    return `the spending policy refused (${this.rule}): ${this.problem}`
  }
}

/**
 * A spend that was allowed. `release` returns it to the policy once it is certain that nothing was sent.
 *
 * @category models
 */
export interface Grant {
  readonly release: Effect.Effect<void>
}

/**
 * A policy.
 *
 * @category models
 */
export interface Service {
  /** Allows and counts a spend, or refuses it. */
  readonly authorise: (spend: Spend) => Effect.Effect<Grant, SpendRefused>
}

const Limit = Schema.BigIntFromSelf.pipe(
  Schema.nonNegativeBigInt({ message: () => "a limit is a whole number of peb, 0n or more" })
)

const rules = {
  /** The chains on which anything is allowed at all. */
  chains: Schema.optional(Schema.Array(Chain.Chain)),
  /** The most that one transaction may move, in peb, not counting its fee. */
  maxPerTransaction: Schema.optional(Limit),
  /** The most that the fee of one transaction may be, in peb. Defaults to 5 KLAY. */
  maxFeePerTransaction: Schema.optional(Limit),
  /**
   * The most that all transactions may move in any period of this length, in peb, and the most that their fees may be
   * in total. Without `maxFees` only each single fee is limited.
   */
  window: Schema.optional(Schema.Struct({
    max: Limit,
    maxFees: Schema.optional(Limit),
    duration: Input.duration(
      "a window is a duration above 0, such as \"1 day\"",
      (duration) => Duration.toMillis(duration) > 0
    )
  })),
  /**
   * The accounts and contracts that may receive value or be called. A contract creation that moves value has no
   * receiver and is refused. A transfer of nothing from an account to itself is allowed.
   */
  recipients: Schema.optional(Schema.Array(Address.FromInput)),
  /** Whether actions that may move more than can be seen are allowed. Defaults to `refuse`. */
  opaque: Schema.optional(Schema.Literal("allow", "refuse"))
}

/**
 * The rules of {@link make}. A rule that is left out does not limit anything, except `maxFeePerTransaction` and
 * `opaque`.
 *
 * @category models
 */
export interface Rules extends Input.Of<typeof rules> {}

const grant: Grant = { release: Effect.void }

const refuse = (rule: SpendRefused["rule"], problem: string): SpendRefused => new SpendRefused({ rule, problem })

const readRules = Input.decode("SpendPolicy.make", Schema.Struct(rules))

/** 5 KLAY. */
const defaultMaxFee = 5n * 10n ** 18n

/**
 * Rules as {@link make} applies them: values that were read, with the default of each rule that was left out.
 *
 * @category models
 */
export interface AppliedRules {
  readonly chains: ReadonlyArray<Chain.Chain> | undefined
  readonly maxPerTransaction: bigint | undefined
  readonly maxFeePerTransaction: bigint
  readonly window: WindowLimits | undefined
  readonly recipients: ReadonlyArray<Address.Address> | undefined
  readonly opaque: "allow" | "refuse"
}

/**
 * Reads rules, as {@link make} does, to compare or to store them. Fails with `InvalidInput` if a recipient is not an address or a
 * limit is below 0.
 *
 * @category constructors
 */
export const applied = (rules: Rules): Effect.Effect<AppliedRules, InvalidInput> =>
  Effect.map(readRules(rules), ({ chains, maxPerTransaction, recipients, window, ...read }) => ({
    chains,
    maxPerTransaction,
    maxFeePerTransaction: read.maxFeePerTransaction ?? defaultMaxFee,
    window: window === undefined
      ? undefined
      : { max: window.max, maxFees: window.maxFees, millis: Duration.toMillis(window.duration) },
    recipients,
    opaque: read.opaque ?? "refuse"
  }))

/**
 * The policy if none is given: allows everything on testnet and nothing on mainnet.
 *
 * @category constructors
 */
export const defaultPolicy: Service = {
  authorise: (spend) =>
    spend.chain === Chain.testnet
      ? Effect.succeed(grant)
      : refuse(
        "chain",
        `there is no policy, and ${Chain.label(spend.chain)} moves real coins: ` +
          "set the client's policy to rules, or on purpose to SpendPolicy.unlimited"
      )
}

/**
 * No limits at all, on either chain.
 *
 * @category constructors
 */
export const unlimited: Service = { authorise: () => Effect.succeed(grant) }

/**
 * The window of a policy: counts a spend, or refuses it. The effect that it returns takes the spend back; it runs once.
 *
 * @category models
 */
export type Count = (spend: Spend) => Effect.Effect<Effect.Effect<void>, SpendRefused>

/**
 * The limits of a window in peb, and its length in milliseconds.
 *
 * @category models
 */
export interface WindowLimits extends windows.Limits {}

const inMemory = (limits: WindowLimits): Count => {
  let window = windows.empty
  return (spend) =>
    Effect.flatMap(Effect.clock, (clock) => {
      const entry: windows.Entry = { at: Deadline.now(clock), value: spend.value, fee: spend.fee, id: spend.id }
      const counted = windows.count(window, limits, entry)
      if (Either.isLeft(counted)) {
        const { left, of } = counted.left
        return refuse(
          "window",
          `a ${of} of ${Amount.format(spend[of])} is more than the ${Amount.format(left)} that are left`
        )
      }
      window = counted.right
      return Effect.once(Effect.sync(() => {
        window = windows.release(window, entry)
      }))
    })
}

/** Such as the transaction by which payouts open an account. */
const isToItself = ({ from, opaque, to, value }: Spend): boolean =>
  to !== undefined && to === from && value === 0n && !opaque

/**
 * Makes a policy from rules. Its window is in memory, unless another one is given. Fails with `InvalidInput` if a recipient
 * is not an address or a limit is below 0.
 *
 * @category constructors
 */
export const make = (
  rules: Rules,
  makeWindow: (limits: WindowLimits) => Count = inMemory
): Effect.Effect<Service, InvalidInput> =>
  Effect.gen(function*() {
    const { chains, maxFeePerTransaction: maxFee, maxPerTransaction, opaque, recipients, window } = yield* applied(
      rules
    )
    const allowed = recipients === undefined ? undefined : new Set<string>(recipients)
    const count: Count = window === undefined ? () => Effect.succeed(Effect.void) : makeWindow(window)
    const problem = (spend: Spend): SpendRefused | undefined => {
      if (chains !== undefined && !chains.includes(spend.chain)) {
        return refuse("chain", `${Chain.label(spend.chain)} is not one of the allowed chains`)
      }
      if (spend.opaque && opaque !== "allow") {
        return refuse("opaque", `${spend.operation} may move more than can be seen; allow it with opaque: "allow"`)
      }
      if (
        allowed !== undefined && !isToItself(spend) &&
        (spend.to === undefined ? spend.value > 0n : !allowed.has(spend.to))
      ) {
        const to = spend.to === undefined ? "a contract that is yet to be created" : Address.checksum(spend.to)
        return refuse("recipient", `${to} is not one of the allowed recipients`)
      }
      if (spend.fee > maxFee) {
        return refuse(
          "fee",
          `the fee can come to ${Amount.format(spend.fee)}, more than ${Amount.format(maxFee)}; ` +
            "name a gasLimit, or a maxFeePerTransaction"
        )
      }
      return maxPerTransaction !== undefined && spend.value > maxPerTransaction
        ? refuse("transaction", `${Amount.format(spend.value)} is more than ${Amount.format(maxPerTransaction)}`)
        : undefined
    }
    return { authorise: (spend) => problem(spend) ?? Effect.map(count(spend), (release) => ({ release })) }
  })

/**
 * The policy of a client: the policy itself, one made from rules, or {@link defaultPolicy}.
 *
 * @category constructors
 */
export const from = (policy: Service | Rules | undefined): Effect.Effect<Service, InvalidInput> =>
  policy === undefined ? Effect.succeed(defaultPolicy) : isPolicy(policy) ? Effect.succeed(policy) : make(policy)

const isPolicy = (policy: Service | Rules): policy is Service => Predicate.hasProperty(policy, "authorise")

/**
 * The spend of a plan, as its execution puts it to the policy.
 *
 * @category accessors
 */
export const ofPlan = (plan: SendPlan): Spend => {
  const intent = intents.make(plan)
  return {
    chain: plan.chain,
    operation: plan.request._tag === "Value" ? "wallet.sendValue" : "wallet.send",
    from: intent.from,
    ...intents.movesOf(intent, plan.gasLimit),
    ...(intent.isKeyed ? { id: plan.digest } : {})
  }
}
