import { StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"

/** Decodes the bytes of a transaction that the store holds. */
export const decodeStored = (operation: string, raw: Hex): Effect.Effect<Transaction.Transaction, StoreFailure> => {
  const decoded = Transaction.decode(raw)
  return decoded.ok ? Effect.succeed(decoded.value) : new StoreFailure({ operation, cause: decoded.error })
}
