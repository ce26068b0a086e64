import type * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Transaction } from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../ChainError.js"
import { attempt } from "../chain/reads.js"
import type { WalletAccount } from "../store/WalletRecord.js"
import type { ChainWallet } from "./ChainWallet.js"
import { multiSigOf } from "./Multisig.js"

/**
 * What the wallet notes of a transaction that was sent. After an update the account has the keys that it names, where
 * all of them are the wallet's; with a key that lets nobody sign it is disabled. A foreign key it shows as corrupted by
 * itself.
 */
export const recordUpdate = (
  wallet: ChainWallet,
  from: Hex,
  transaction: Transaction
): Effect.Effect<void, StoreFailure> => {
  if (!("key" in transaction)) return Effect.void
  const { key } = transaction
  return Effect.flatMap(wallet.chain.now, (now) =>
    attempt("afterUpdate", () => {
      const account = wallet.store.account(from)
      if (account !== undefined) note(wallet, account, key, now)
    }))
}

const note = ({ store }: ChainWallet, account: WalletAccount, key: AccountKey.AccountKey, now: number): void => {
  if (key.type === "AccountKeyFail") return store.setDisabled(account, true, now)
  const multiSig = multiSigOf(key)
  const areOwn = multiSig?.keys.every(({ publicKey }) => store.accountsOfKey(publicKey).length > 0)
  store.setMultiSig(account, areOwn === true ? multiSig : undefined, now)
}
