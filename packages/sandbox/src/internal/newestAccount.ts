import type { AccountState } from "@effect-klaytn/local-chain/AccountState"
import { StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chain } from "../Chain.js"

/** The account of an address at the newest block, which every chain has. */
export const newestAccount = (chain: Pick<Chain, "account">, address: Hex) =>
  Effect.catchTag(
    chain.account(address),
    "BlockNotFound",
    (cause) => new StoreFailure({ operation: "account", cause })
  )

const empty: Pick<AccountState, "balance" | "nonce" | "key" | "isContract"> = {
  balance: 0n,
  nonce: 0n,
  key: AccountKey.legacy,
  isContract: false
}

/** The same; one that no transaction touched is empty. */
export const newestState = (chain: Pick<Chain, "account">, address: Hex) =>
  Effect.map(newestAccount(chain, address), Option.getOrElse(() => empty))
