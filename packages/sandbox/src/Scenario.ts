/**
 * Scenarios: what a chain should hold, described as data.
 */
import * as Amount from "@effect-klaytn/core/Amount"
import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import type * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { SendFailure } from "./Chain.js"
import type { Chains } from "./Chains.js"
import { AccountName } from "./ControlInput.js"
import * as internal from "./internal/scenarioPlayer.js"
import type { TokenContract } from "./TokenContract.js"

const Name = Schema.NonEmptyTrimmedString.annotations({ description: "a name that the scenario refers to" })

/** A name that stands in `accounts`, or any address. */
const Party = Schema.NonEmptyTrimmedString.annotations({ description: "the name of an account, or an address" })

const Whole = Schema.transform(
  Schema.String.pipe(Schema.pattern(/^(?:0x[0-9a-fA-F]+|[0-9]+)$/, {
    message: () => "expected a whole number as text, decimal or 0x hexadecimal"
  })),
  Schema.NonNegativeBigIntFromSelf,
  { strict: true, decode: (text) => BigInt(text), encode: (value) => value.toString() }
)

const fee = { feePayer: Schema.optional(Name), feeRatio: Schema.optional(Schema.Int.pipe(Schema.between(1, 99))) }
const deployed = { name: Name, deployer: Name, minter: Schema.optional(Schema.Literal("anyone", "deployer")) }

/**
 * A token contract of a scenario. `name` is what the scenario calls it, `title` and `symbol` what the contract answers.
 *
 * @category schemas
 */
export const ScenarioToken = Schema.Union(
  Schema.Struct({
    kind: Schema.Literal("ft"),
    title: Schema.String,
    symbol: Schema.String,
    decimals: Schema.optional(Schema.Int.pipe(Schema.between(0, 255))),
    ...deployed
  }),
  Schema.Struct({
    kind: Schema.Literal("nft"),
    title: Schema.String,
    symbol: Schema.String,
    baseUri: Schema.optional(Schema.String),
    ...deployed
  }),
  Schema.Struct({ kind: Schema.Literal("mt"), uri: Schema.String, ...deployed })
)

/**
 * One step of a scenario: send coin, mint or send tokens, let time pass, or generate traffic.
 *
 * `amount` and `tokenId` are whole numbers as text. A fungible token needs `amount`, a non-fungible one `tokenId`, a
 * multi token both.
 *
 * @category schemas
 */
export const Step = Schema.Union(
  Schema.Struct({
    do: Schema.Literal("send"),
    from: Name,
    to: Party,
    klay: Amount.FromKlay,
    memo: Schema.optional(Schema.String),
    ...fee
  }),
  Schema.Struct({
    do: Schema.Literal("sendToken"),
    token: Name,
    from: Name,
    to: Party,
    amount: Schema.optional(Whole),
    tokenId: Schema.optional(Whole),
    ...fee
  }),
  Schema.Struct({
    do: Schema.Literal("mint"),
    token: Name,
    /** Who sends the transaction. Default: the deployer of the token. */
    from: Schema.optional(Name),
    to: Party,
    amount: Schema.optional(Whole),
    tokenId: Schema.optional(Whole),
    uri: Schema.optional(Schema.String)
  }),
  Schema.Struct({ do: Schema.Literal("wait"), seconds: Schema.NonNegativeInt }),
  Schema.Struct({
    do: Schema.Literal("generate"),
    seed: Schema.String,
    transfers: Schema.Int,
    accounts: Schema.optional(Schema.Int)
  })
)

/**
 * A scenario for one chain.
 *
 * @category schemas
 */
export const Scenario = Schema.Struct({
  chain: Schema.optionalWith(Schema.Literal(8217, 1001), { default: () => 1001 as const }),
  /**
   * Accounts of the sandbox's seed, each with the coin the faucet sends it. The sandbox's controls and explorer know
   * them by their names, like those of its options.
   */
  accounts: Schema.optionalWith(
    Schema.Array(
      Schema.Struct({ name: AccountName, klay: Schema.optionalWith(Amount.FromKlay, { default: () => Amount.zero }) })
    ),
    { default: () => [] }
  ),
  tokens: Schema.optionalWith(Schema.Array(ScenarioToken), { default: () => [] }),
  steps: Schema.optionalWith(Schema.Array(Step), { default: () => [] }),
  presets: Schema.optionalWith(
    Schema.Array(Schema.Struct({ name: Name, accounts: Schema.Array(Party), contracts: Schema.Array(Party) })),
    { default: () => [] }
  )
}).annotations({ identifier: "Scenario" })

/**
 * A scenario for one chain, decoded.
 *
 * @category models
 */
export type Scenario = typeof Scenario.Type

/**
 * A scenario is invalid: a field is missing or wrong, or a name is not defined. `path` says where. Nothing was changed.
 *
 * @category errors
 */
export class ScenarioInvalid extends Data.TaggedError("ScenarioInvalid")<{
  readonly path: string
  readonly reason: string
}> {
  override get message(): string {
    return this.path === ""
      ? `the scenario is invalid: ${this.reason}`
      : `the scenario is invalid at ${this.path}: ${this.reason}`
  }
}

/**
 * The results of a scenario, by the names that it uses.
 *
 * @category models
 */
export interface Played {
  readonly accounts: ReadonlyMap<string, DevAccount>
  readonly tokens: ReadonlyMap<string, TokenContract>
  /** IDs of the presets. */
  readonly presets: ReadonlyMap<string, number>
}

const Scenarios = Schema.Union(Scenario, Schema.Array(Scenario))

const decodeUnknown = Schema.decodeUnknown(Scenarios, { onExcessProperty: "error", errors: "first" })

/**
 * Decodes a scenario, or a list of them, from a JSON value. Unknown fields are refused, so that misspelt ones are
 * noticed.
 *
 * @category decoding
 */
export const decode = (input: unknown): Effect.Effect<ReadonlyArray<Scenario>, ScenarioInvalid> =>
  Effect.mapBoth(decodeUnknown(input), {
    onSuccess: (decoded) => "chain" in decoded ? [decoded] : decoded,
    onFailure: (error) => {
      const issues = ParseResult.ArrayFormatter.formatErrorSync(error)
      const issue = issues.find(({ path }) => path.length > 0) ?? issues[0]
      return new ScenarioInvalid({
        path: issue?.path.map(String).join(".") ?? "",
        reason: issue?.message ?? error.message
      })
    }
  })

/**
 * Parses scenarios from the text of a JSON file.
 *
 * @category decoding
 */
export const parse = (text: string): Effect.Effect<ReadonlyArray<Scenario>, ScenarioInvalid> =>
  Effect.flatMap(
    Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: (cause) => new ScenarioInvalid({ path: "", reason: cause instanceof Error ? cause.message : "no JSON" })
    }),
    decode
  )

/**
 * Plays a scenario on its chain: funds the accounts, deploys the tokens, takes the steps and adds the presets, all by
 * signed transactions, and registers the accounts (`Chains.register`). Names are checked before anything
 * happens; if a step fails, the chain goes back to where it was and no account is registered.
 *
 * @example
 * ```ts
 * import * as Chains from "@effect-klaytn/sandbox/Chains"
 * import * as Scenario from "@effect-klaytn/sandbox/Scenario"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function*() {
 *   const chains = yield* Chains.Chains
 *   const [scenario] = yield* Scenario.decode({
 *     chain: 1001,
 *     accounts: [{ name: "alice", klay: "100" }, { name: "bob" }],
 *     tokens: [{ name: "apples", kind: "ft", title: "Apple", symbol: "APL", decimals: 2, deployer: "alice" }],
 *     steps: [
 *       { do: "mint", token: "apples", to: "alice", amount: "1000" },
 *       { do: "sendToken", token: "apples", from: "alice", to: "bob", amount: "350" },
 *       { do: "send", from: "alice", to: "bob", klay: "1.5", memo: "for the apples" }
 *     ],
 *     presets: [{ name: "shop", accounts: ["alice"], contracts: ["apples"] }]
 *   })
 *   return scenario === undefined ? undefined : yield* Scenario.play(chains, scenario)
 * })
 * ```
 *
 * @category operations
 */
export const play = (
  chains: Context.Tag.Service<Chains>,
  scenario: Scenario
): Effect.Effect<Played, ScenarioInvalid | SendFailure> => {
  const problem = internal.findProblem(scenario)
  if (problem !== undefined) return Effect.fail(new ScenarioInvalid(problem))
  return internal.play(chains, scenario)
}
