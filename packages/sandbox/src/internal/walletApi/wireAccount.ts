import * as Address from "@effect-klaytn/core/Address"
import type { Account, FeePayerAccount } from "@effect-klaytn/wallet/Account"
import * as Schema from "effect/Schema"
import type { WalletAccount } from "../store/WalletRecord.js"
import type { ChainWallet } from "../wallet/ChainWallet.js"

const addressOf = Schema.decodeSync(Address.FromWire)

/** An address in checksum case, as the wallet's own records have it. */
export const checksum = (address: string): string => Address.checksum(addressOf(address))

/** A fee payer, or an account without what only those of several keys have. */
export const wireFeePayer = (wallet: ChainWallet, account: WalletAccount): typeof FeePayerAccount.Encoded => ({
  address: checksum(account.address),
  chainId: wallet.chain.chainId,
  createdAt: account.createdAt,
  keyId: wallet.keyId(account.key, account.pool),
  krn: wallet.krn(account.pool),
  publicKey: account.key.publicKey,
  updatedAt: account.updatedAt
})

/** An account. */
export const wireAccount = (wallet: ChainWallet, account: WalletAccount): typeof Account.Encoded => ({
  ...wireFeePayer(wallet, account),
  ...(account.multiSig !== undefined &&
    { multiSigKeys: account.multiSig.keys, threshold: account.multiSig.threshold })
})
