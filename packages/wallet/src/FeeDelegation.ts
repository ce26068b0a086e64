/**
 * Who pays the fee of a transaction. Every send must choose.
 *
 * **Details**
 *
 * The document and the service's public clients disagree on how the choice is sent, so that is a setting, {@link
 * CurrentStyle}:
 *
 * | Choice | `field` (the document, default) | `paths` (public clients) |
 * |---|---|---|
 * | {@link user} | `POST /v2/tx/value` with `feePayer` | `POST /v2/tx/fd-user/value` with `feePayer` |
 * | {@link service} | `POST /v2/tx/value` without `feePayer` | `POST /v2/tx/fd/value` |
 * | {@link sender} | refused: the document has no way for it | `POST /v2/tx/value` |
 *
 * **Gotchas**
 *
 * The document sends for {@link service} exactly what public clients send for {@link sender}. How the service
 * interprets it is not known, so with `field` check `feePayer` of the outcome: it is absent if the sender paid.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Schema from "effect/Schema"

const UserFeePayer = Schema.TaggedStruct("UserFeePayer", { address: Address.FromInput })
const ServiceFeePayer = Schema.TaggedStruct("ServiceFeePayer", {})
const SenderPays = Schema.TaggedStruct("SenderPays", {})

/**
 * Who pays the fee. Decodes the values of {@link user}, {@link service} and {@link sender}; the address of a user fee
 * payer is in one case or has a correct checksum.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FeePayer = Schema.Union(UserFeePayer, ServiceFeePayer, SenderPays).annotations({
  identifier: "FeePayer",
  message: () => ({
    message: "say who pays the fee: FeeDelegation.user(address), FeeDelegation.service or FeeDelegation.sender",
    override: false
  })
})

/**
 * Who pays the fee, after validation.
 *
 * @since 0.1.0
 * @category models
 */
export type FeePayer = typeof FeePayer.Type

/**
 * Who pays the fee, as a caller writes it.
 *
 * @since 0.1.0
 * @category models
 */
export type FeePayerInput = typeof FeePayer.Encoded

/**
 * A fee payer of your own pays: one created in the management console, or by `POST /v2/feepayer`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const user = (address: string): FeePayerInput => ({ _tag: "UserFeePayer", address })

/**
 * The service's global fee payer pays; the customer's account is charged later.
 *
 * @since 0.1.0
 * @category constructors
 */
export const service: FeePayerInput = { _tag: "ServiceFeePayer" }

/**
 * The sending account pays. Beyond the document.
 *
 * @since 0.1.0
 * @category constructors
 */
export const sender: FeePayerInput = { _tag: "SenderPays" }

/**
 * How the fee payer is sent, see the table at the top.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Style = Schema.Literal("field", "paths")

/**
 * How the fee payer is sent, see the table at the top.
 *
 * @since 0.1.0
 * @category models
 */
export type Style = typeof Style.Type

/**
 * The style of the current sends. Defaults to `field`.
 *
 * @since 0.1.0
 * @category references
 */
export class CurrentStyle
  extends Context.Reference<CurrentStyle>()("@effect-klaytn/wallet/FeeDelegation/CurrentStyle", {
    defaultValue: (): Style => "field"
  })
{}

/**
 * Sets the style of every send inside an effect.
 *
 * @since 0.1.0
 * @category combinators
 */
export const withStyle: {
  (style: Style): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  <A, E, R>(self: Effect.Effect<A, E, R>, style: Style): Effect.Effect<A, E, R>
} = dual(
  2,
  <A, E, R>(self: Effect.Effect<A, E, R>, style: Style): Effect.Effect<A, E, R> =>
    Effect.provideService(self, CurrentStyle, style)
)
