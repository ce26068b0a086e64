/**
 * Payments of KIP-7 tokens, as payouts: an amount in whole tokens becomes a `transfer` call of the token's contract, with
 * the token's own decimals, and is simulated before it is sent.
 *
 * **Details**
 *
 * A payment of a token has the same guarantees as one of coins: the contract call is a transaction of the account, with
 * one nonce for its key. `Executed` means that its receipt has the token's `Transfer` over the whole amount. A token whose
 * `transfer` returns `false` instead of failing, takes a fee or moves another amount ends it as `MovedOtherwise`, with what
 * arrived; {@link dryRun} refuses a call that would return `false` now.
 *
 * Only tokens that report their decimals are accepted: an amount is never guessed. They are read once, for a file when it is planned: from
 * then on the payment is of so many of the smallest unit. If the token reports others later, the same amount of whole tokens under the
 * same key is a `KeyConflict`.
 *
 * **Gotchas**
 *
 * A policy sees a contract call: its receiver is the token, its value is 0, and it is opaque. Allow `opaque`, and name the
 * tokens as `recipients`. Limits of value count coins, and do not limit tokens. With `approveAbove`, a person has to approve each payment
 * of a token.
 *
 * **Example** (pay 12.5 tokens for an order)
 *
 * ```ts
 * import * as TokenPayout from "@effect-klaytn/payouts/TokenPayout"
 * import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
 *
 * export const program = TokenPayout.pay({
 *   key: "order-4711",
 *   token: "0x3333333333333333333333333333333333333333",
 *   from: "0x1111111111111111111111111111111111111111",
 *   to: "0x2222222222222222222222222222222222222222",
 *   amount: "12.5",
 *   payer: FeeDelegation.service
 * })
 * ```
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import type { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import * as Input from "@effect-klaytn/core/Input"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import type { SpendRefused } from "@effect-klaytn/wallet/SpendPolicy"
import type { HttpClient } from "@effect/platform/HttpClient"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as transfers from "./internal/moves.js"
import * as nodes from "./internal/node.js"
import type { Content, Payout } from "./Payout.js"
import type { DatabaseFailed, KeyConflict } from "./PayoutError.js"
import * as Payouts from "./Payouts.js"

/**
 * The contract is no KIP-7 token that can be paid with, or it refuses the transfer. Nothing was sent.
 *
 * @category errors
 */
export class TokenRefused extends Data.TaggedError("TokenRefused")<{
  readonly token: Address.Address
  readonly problem: string
}> {
  override get message(): string {
    return `the token ${Address.checksum(this.token)}: ${this.problem}`
  }
}

/**
 * Input of {@link transfer} and {@link pay}: `amount` is a decimal number of whole tokens, such as `"12.5"`.
 *
 * @category models
 */
export interface TransferInput extends Payouts.CommonInput {
  readonly token: string
  readonly from: string
  readonly to: string
  readonly amount: string
}

/**
 * The transfer that a contract call makes. `amount` is in the smallest unit of the token.
 *
 * @category models
 */
export interface Transfer {
  readonly token: Address.Address
  readonly from: Address.Address
  readonly to: Address.Address
  readonly amount: bigint
}

const read = Input.decode(
  "payouts.transfer",
  Schema.Struct({ token: Address.FromInput, from: Address.FromInput, to: Address.FromInput, amount: Schema.String })
)

const word = (value: bigint | string): string =>
  (typeof value === "bigint" ? value.toString(16) : value.slice(2)).padStart(64, "0")

/** The first word of an answer. */
const firstWord = (answer: string): Option.Option<bigint> =>
  /^0x[0-9a-f]{64}/i.test(answer) ? Option.some(BigInt(answer.slice(0, 66))) : Option.none()

/** The most bytes of a symbol: a contract may return any amount of text. */
const longestSymbol = 100

/** The text of an ABI-encoded `string`: its offset, its length and its bytes. */
const firstText = (answer: string): Option.Option<string> => {
  const [, length = "", rest = ""] = /^0x0{62}20([0-9a-f]{64})([0-9a-f]*)$/i.exec(answer) ?? []
  const digits = Number(`0x${length}`) * 2
  return digits > 0 && digits <= Math.min(rest.length, longestSymbol * 2)
    ? Option.map(Either.getRight(Encoding.decodeHex(rest.slice(0, digits))), (bytes) => new TextDecoder().decode(bytes))
    : Option.none()
}

/** What a contract answers. */
type Answer<A> = Effect.Effect<A, TokenRefused | LookupFailed | InvalidInput, ClientConfig | HttpClient>

/** Calls a contract without changing anything. `refusal` begins the error text if the contract refuses. */
const call = (request: nodes.Call, refusal: string): Answer<string> =>
  Effect.gen(function*() {
    const node = yield* nodes.make
    const answer = yield* node.call(request)
    return yield* Either.mapLeft(
      answer,
      ({ words }) => new TokenRefused({ token: request.to, problem: `${refusal}: ${words}` })
    )
  })

const ask = <A>(token: Address.Address, what: string, input: string, read: (answer: string) => Option.Option<A>) =>
  Effect.flatMap(call({ to: token, input }, `it refuses ${what}`), (answer) =>
    Effect.mapError(
      read(answer),
      () => new TokenRefused({ token, problem: `it does not answer ${what}; is it a KIP-7 token?` })
    ))

/**
 * The decimals that a token reports.
 *
 * @category accessors
 */
export const decimals = (token: Address.Address): Answer<number> =>
  Effect.flatMap(ask(token, "decimals()", "0x313ce567", firstWord), (value) =>
    value <= 255n
      ? Effect.succeed(Number(value))
      : new TokenRefused({ token, problem: "it reports more decimals than a token can have" }))

/**
 * The balance of an account in the smallest unit of a token.
 *
 * @category accessors
 */
export const balance = (token: Address.Address, owner: Address.Address): Answer<bigint> =>
  ask(token, "balanceOf(address)", `0x70a08231${word(owner)}`, firstWord)

/**
 * The symbol that a token reports, of at most 100 bytes. Any contract can report any symbol, so also show the token's
 * address where it matters.
 *
 * @category accessors
 */
export const symbol = (token: Address.Address): Answer<string> => ask(token, "symbol()", "0x95d89b41", firstText)

/**
 * The payout of a transfer, as a contract call. `scale` is the number of decimals; by default, the token is asked. An
 * amount that the token can't express exactly fails as `InvalidInput`.
 *
 * @category constructors
 */
export const transfer = (input: TransferInput, scale?: number): Answer<Payouts.RequestInput> =>
  Effect.gen(function*() {
    const { amount, from: _from, to: _to, token: _token, ...rest } = input
    const { from, to, token } = yield* read({ token: input.token, from: input.from, to: input.to, amount })
    const value = yield* Either.mapLeft(
      Amount.fromDecimal(amount, scale ?? (yield* decimals(token))),
      (problem) => InvalidInput.at("payouts.transfer", ["amount"], problem)
    )
    return {
      ...rest,
      request: { _tag: "Execute", from, to: token, input: `${transfers.selector}${word(to)}${word(value)}` }
    }
  })

/**
 * The transfer that a content makes, if it is the call of a token's `transfer`.
 *
 * @category accessors
 */
export const fromContent: (content: Pick<Content, "request">) => Option.Option<Transfer> = transfers.fromContent

/**
 * Simulates the contract call of a content (`klay_call` on the service's node): fails if the contract would refuse it, or
 * a token's `transfer` would return `false`.
 *
 * @category combinators
 */
export const dryRun = (content: Pick<Content, "request">): Answer<void> =>
  Effect.gen(function*() {
    const { request } = content
    if (request._tag !== "Execute") return
    const { from, input, to, value } = request
    const answer = yield* call({ from, to, input, value }, "the contract would refuse the call")
    if (Option.isSome(fromContent(content)) && Option.contains(firstWord(answer), 0n)) {
      return yield* new TokenRefused({ token: to, problem: "the transfer would return false and move nothing" })
    }
  })

/**
 * Pays an amount of a token once for the key. A new payout is simulated first; one that is stored already is only waited
 * for.
 *
 * @category combinators
 */
export const pay = (
  input: TransferInput
): Effect.Effect<
  Payout,
  TokenRefused | LookupFailed | InvalidInput | KeyConflict | SpendRefused | DatabaseFailed,
  Payouts.Payouts | ClientConfig | HttpClient
> =>
  Effect.gen(function*() {
    const payouts = yield* Payouts.Payouts
    const request = yield* transfer(input)
    const checked = yield* payouts.check(request)
    if (Option.isNone(checked.stored)) yield* dryRun(checked.content)
    return yield* payouts.pay(request)
  })
