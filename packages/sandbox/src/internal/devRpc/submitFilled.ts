import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Transaction } from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import type { Chain } from "../../Chain.js"
import { type Failure, failure } from "../rpc/Method.js"
import type { DevRpcState } from "./DevRpcState.js"
import { signAsSender } from "./signingKeys.js"

/** A send whose fields may be missing. */
interface Filling<Args extends { readonly nonce?: bigint | undefined }> {
  readonly chain: Chain
  readonly state: DevRpcState
  readonly from: Hex
  readonly args: Args
  /** Whether the sender is impersonated. */
  readonly isUnsigned: boolean
  /** Adds the fields that are missing, and finds who signs. Its arguments have a nonce. */
  readonly fill: (args: Args & { readonly nonce: bigint }) => Effect.Effect<
    { readonly transaction: Transaction; readonly signers: ReadonlyArray<DevAccount> },
    Failure
  >
}

/**
 * Fills in, signs and submits a transaction. One without a nonce gets the next one of its sender when it is submitted, so that
 * no other transaction takes it in between, and the sends of one sender are filled in one after the other, as in a node.
 */
export const submitFilled = <Args extends { readonly nonce?: bigint | undefined }>(
  { args, chain, fill, from, isUnsigned, state }: Filling<Args>
): Effect.Effect<Hex, Failure> => {
  const { nonce } = args
  const sent = nonce === undefined
    ? state.inTurn(
      from,
      // The nonce is in no field but its own, and takes no part in the estimate of the gas.
      Effect.flatMap(
        fill({ ...args, nonce: 0n }),
        ({ signers, transaction }) =>
          chain.submitNext(from, (next) => signAsSender(chain, { ...transaction, nonce: next }, signers), {
            isUnsigned
          })
      )
    )
    : Effect.flatMap(fill({ ...args, nonce }), ({ signers, transaction }) =>
      Effect.flatMap(
        signAsSender(chain, transaction, signers),
        (signed) => isUnsigned ? chain.submitAs(signed, from) : chain.submit(signed)
      ))
  return Effect.catchTag(sent, "TransactionRejected", ({ message }) => failure(message))
}
