import type { BadRequest, InternalError } from "@effect-klaytn/core/ErrorBody"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { attempt } from "../chain/reads.js"
import type { ChainWallet } from "../wallet/ChainWallet.js"
import type { WalletRequest } from "./WalletRequest.js"

/** A transaction that is to be cancelled, as a body names it. */
interface CancellationBody {
  readonly from: string
  readonly nonce?: number | undefined
  readonly gas?: number | undefined
  readonly transactionHash?: string | undefined
}

/** Nonce and gas of a transaction of the chain, be it in a block or waiting for one. */
const findTransaction = (wallet: ChainWallet, hash: Hex) =>
  Effect.gen(function*() {
    const mined = yield* wallet.chain.transaction(hash)
    if (Option.isSome(mined)) return mined
    const waiting = yield* wallet.chain.pendingTransaction(hash)
    return yield* attempt("cancel", () =>
      Option.flatMap(waiting, ({ from, raw }) => {
        const decoded = Transaction.decode(raw)
        return decoded.ok ? Option.some({ from, nonce: decoded.value.nonce, gas: decoded.value.gas }) : Option.none()
      }))
  })

/** The body of a cancellation, with the nonce of the transaction that it names by its hash, and its gas (inferred). */
export const completeCancellation = <Body extends CancellationBody>(
  request: WalletRequest,
  wallet: ChainWallet,
  body: Body
): Effect.Effect<Body & { readonly nonce: number | undefined }, BadRequest | InternalError> => {
  const { nonce, transactionHash } = body
  if (transactionHash === undefined || (nonce !== undefined && nonce !== 0)) {
    return nonce === undefined || nonce === 0
      ? Effect.fail(request.refusals.empty("nonce"))
      : Effect.succeed({ ...body, nonce })
  }
  return Effect.flatMap(
    request.mapStoreFailure(findTransaction(wallet, `0x${transactionHash.slice(2)}`)),
    (transaction) =>
      Option.isSome(transaction) && transaction.value.from === body.from
        ? Effect.succeed({
          ...body,
          nonce: Number(transaction.value.nonce),
          gas: body.gas || Number(transaction.value.gas)
        })
        : Effect.fail(request.refusals.unknownTransaction())
  )
}
