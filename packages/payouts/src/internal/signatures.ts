/** Transactions of accounts with several signers, which the service keeps until enough of them have signed. */
import type { Address } from "@effect-klaytn/core/Address"
import type * as Hash from "@effect-klaytn/core/Hash"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Multisig from "@effect-klaytn/wallet/Multisig"
import type { PendingTransaction } from "@effect-klaytn/wallet/MultisigApi"
import { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import * as SpendPolicy from "@effect-klaytn/wallet/SpendPolicy"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Content } from "../Payout.js"
import type { Context } from "./context.js"

/** Lists what waits for signatures. A service that refuses to list it has no such accounts. */
export const make = Effect.map(
  Multisig.make({ policy: SpendPolicy.unlimited }),
  ({ getPendingTransactions }): Context["waitingOf"] => (address) =>
    Stream.runCollect(getPendingTransactions.items({ address })).pipe(
      Effect.map(Chunk.toReadonlyArray),
      Effect.catchAll((error) =>
        "category" in error && (error.category === "caller" || error.category === "refused")
          ? Effect.as(Effect.logDebug(`what waits for signatures of ${address} is not listed: ${error.message}`), [])
          : new LookupFailed({
            problem: `what waits for signatures of ${address} could not be listed: ${error.message}`
          })
      )
    )
)

const Key = Schema.Struct({ keyType: Schema.Int, key: Schema.Unknown })
const Roles = Schema.Struct({ keyType: Schema.Literal(5), key: Schema.Array(Schema.Struct({ keyType: Schema.Int })) })

/** The type of a key of several, of which enough have to sign. */
const weighted = 4

/** Whether several signers have to sign for an account; undefined where the node does not tell. */
const isShared = ({ node }: Pick<Context, "node">, from: Address): Effect.Effect<boolean | undefined> =>
  Effect.gen(function*() {
    if (Option.isNone(node)) return false
    const key = yield* Effect.option(node.value.read("klay_getAccountKey", [from, "latest"], Schema.NullOr(Key)))
    if (Option.isNone(key)) return undefined
    const own = key.value
    const roles = Option.getOrUndefined(Schema.decodeUnknownOption(Roles)(own))
    return (roles === undefined ? own?.keyType : roles.key[0]?.keyType) === weighted
  })

/**
 * Sends for an account. A request that names its nonce may be repeated by the client, except for an account of several signers: the
 * service would keep each copy.
 */
export const sending =
  (context: Context, from: Address) => <A, E, R>(send: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.gen(function*() {
      const known = context.shared.get(from) ?? (yield* isShared(context, from))
      if (known !== undefined) context.shared.set(from, known)
      // An account that can't be read may be one of several signers.
      return yield* known !== false ? RetryPolicy.withRetryPolicy(send, RetryPolicy.none) : send
    })

/** The same for steps that look again: a list that can't be read now is as good as an empty one. */
const listed = ({ waitingOf }: Pick<Context, "waitingOf">, from: Address) =>
  Effect.orElseSucceed(waitingOf(from), (): ReadonlyArray<PendingTransaction> => [])

const inputOf = ({ request }: Content): string =>
  request._tag === "Value" ? `0x${Encoding.encodeHex(request.memo ?? "")}` : request.input.toLowerCase()

const isOf = (content: Content, { txData: { from, input, to, value } }: PendingTransaction): boolean => {
  const { request } = content
  return from === request.from && to === request.to && (value ?? 0n) === (request.value ?? 0n) &&
    (input === undefined || input.toLowerCase() === inputOf(content))
}

/** The ID of the payment with a nonce, if the service keeps it already: an answer that said so may have been lost. */
export const ofPayment = (
  context: Context,
  content: Content,
  nonce: number
): Effect.Effect<Hash.Hash | undefined> =>
  Effect.map(
    listed(context, content.request.from),
    (all) => all.find((one) => one.txData.nonce === nonce && isOf(content, one))?.transactionId
  )

/** The ID of a transaction that moves nothing with a nonce, if the service keeps one already: a copy would be one more for the signers. */
export const ofCancellation = (
  context: Pick<Context, "waitingOf">,
  { request: { from } }: Content,
  nonce: number
): Effect.Effect<Hash.Hash | undefined> =>
  Effect.map(
    listed(context, from),
    (all) =>
      all.find(({ txData: { nonce: its, to, value } }) =>
        its === nonce && (value ?? 0n) === 0n && (to ?? from) === from
      )?.transactionId
  )
