import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import type { ChainWallet } from "../../ChainWallet.js"
import { type CustodyFailure, TransactionRejected } from "../../CustodyError.js"
import { asks } from "./nonces.js"

/** Why a node would refuse a transaction, in the node's words. */
const rejected = (reason: string, message: string): TransactionRejected => new TransactionRejected({ reason, message })

const noSignature = rejected(
  "InvalidSenderSignature",
  "invalid sender: invalid transaction v, r, s values of the sender"
)

const wrongKey = rejected("InvalidSenderSignature", "invalid sender: invalid account key")

const legacyKeyRequired = rejected(
  "LegacyKeyRequired",
  "invalid sender: a legacy transaction must be with a legacy account key"
)

/**
 * Fails unless the signatures of a transaction are those of its sender, by the key that the chain has for the account. Nothing may be
 * stored for an account on the word of a caller, so this is asked of all that the wallet has not signed itself.
 */
export const authenticate = (
  wallet: ChainWallet,
  from: Hex,
  transaction: Transaction.Transaction
): Effect.Effect<void, TransactionRejected | CustodyFailure> =>
  Effect.gen(function*() {
    const { chain: { chainId }, curve } = wallet
    const recovered = Transaction.recoverSenders(transaction, { chainId, curve })
    if (!recovered.ok || recovered.value.length === 0) return yield* noSignature
    const question = { role: Transaction.senderRole(transaction), address: from, signers: recovered.value }
    let problem = wrongKey
    // A copy of the node that lags behind may show an older key.
    for (let asked = 0; asked < asks; asked++) {
      const key = yield* wallet.accountKey(from)
      problem = "from" in transaction || key.type === "AccountKeyLegacy" ? wrongKey : legacyKeyRequired
      if (problem === wrongKey && AccountKey.isSatisfiedBy(key, question)) return
    }
    return yield* problem
  })

/** Fails like a node for a gas limit or a size that no node takes. `size` is that of the bytes. */
export const checkLimits = (
  { gas }: Pick<Transaction.Transaction, "gas">,
  size: number
): Effect.Effect<void, TransactionRejected> => {
  if (size > Transaction.largestSize) return rejected("OversizedData", "oversized data")
  return gas > Transaction.largestGas
    ? rejected("GasLimitTooHigh", `tx gas limit exceeds the upper limit: gas ${gas}, limit ${Transaction.largestGas}`)
    : Effect.void
}
