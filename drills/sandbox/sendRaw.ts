/** Payments that are signed locally and sent to the node. */
import * as Hash from "@effect-klaytn/core/Hash"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Result } from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { type LookupFailed, SendVerdict } from "@effect-klaytn/wallet/SendOutcome"
import type * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as DevAccount from "../../packages/local-chain/src/DevAccount.js"
import type { Chain } from "../../packages/sandbox/src/Chain.js"

/** A signed transaction and its hash. */
export interface Signed {
  readonly raw: Hex
  readonly hash: Hash.Hash
}

const valueOf = <A>(result: Result<A>): A => {
  if (!result.ok) throw new Error(`a payment of the drill could not be made: ${JSON.stringify(result.error)}`)
  return result.value
}

/** Signs a payment. */
export const sign = (
  chain: Chain,
  account: DevAccount.DevAccount,
  { nonce, to, value }: { readonly nonce: number; readonly to: Hex; readonly value: bigint }
): Signed => {
  const made = valueOf(Transaction.make({
    type: "ValueTransfer",
    nonce: BigInt(nonce),
    gasPrice: 2n * chain.unitPrice,
    gas: 100_000n,
    from: account.address,
    to,
    value
  }))
  const privateKey = DevAccount.revealPrivateKey(account)
  const signed = valueOf(Transaction.signAsSender(made, { chainId: chain.chainId, privateKey }))
  return {
    raw: valueOf(Transaction.encode(signed)),
    hash: Either.getOrThrow(Hash.make(valueOf(Transaction.hash(signed))))
  }
}

/** Looks a signed transaction up by its hash. */
export const reconcile = (
  lookup: TransactionLookup.Service,
  { hash }: Signed
): Effect.Effect<SendVerdict, LookupFailed> =>
  Effect.map(
    lookup.byHash(hash),
    Option.match({
      onNone: () => SendVerdict.NotExecuted({ nextNonce: undefined }),
      onSome: (transaction) =>
        transaction.state === "waiting"
          ? SendVerdict.Waiting({ transaction })
          : SendVerdict.Executed({ transaction, certainty: "nonce" })
    })
  )
