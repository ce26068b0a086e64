/** Whether the wallet has the accounts that payments name: one that it does not have would end the payment, and its key with it. */
import * as Address from "@effect-klaytn/core/Address"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Accounts from "@effect-klaytn/wallet/Accounts"
import * as SpendPolicy from "@effect-klaytn/wallet/SpendPolicy"
import { codes } from "@effect-klaytn/wallet/WalletCode"
import * as Cache from "effect/Cache"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Content } from "../Payout.js"
import { type Context, withRouting } from "./context.js"

/** How long, and of how many accounts, it is remembered that the wallet has one: many lines of a file are paid by one account. */
const remembered = { timeToLive: "1 minute", capacity: 10_000 } as const

/** How long it is remembered that the wallet does not have an account, or does not tell: one may be made at any time. */
const absentFor = "5 seconds"

/**
 * Asks the wallet for accounts by address and pools. Only its answer that there is none counts: a wallet that does not answer, or has
 * no such operation, says nothing about the account.
 */
export const remembering = Effect.flatMap(
  Accounts.make({ policy: SpendPolicy.unlimited }),
  ({ getAccount }) =>
    Cache.makeWith({
      capacity: remembered.capacity,
      lookup: ([address, pool]: readonly [Address.Address, string | undefined]) =>
        Effect.matchEffect(withRouting({ pool })(getAccount({ address })), {
          onSuccess: () => Effect.succeed("held" as const),
          onFailure: (error) =>
            "code" in error && error.code === codes.noData
              ? Effect.succeed("absent" as const)
              : Effect.as(Effect.logDebug(`whether the wallet has ${address} is not known: ${error.message}`), "untold")
        }),
      timeToLive: Exit.match({
        onFailure: () => 0,
        onSuccess: (answer) => answer === "held" ? remembered.timeToLive : absentFor
      })
    })
)

/** Fails for an input whose account the wallet does not have. */
export const check = (
  { holders }: Pick<Context, "holders">,
  { pool, request: { from } }: Content,
  isRequest: boolean
): Effect.Effect<void, InvalidInput> =>
  Effect.flatMap(holders.get(Data.tuple(from, pool)), (answer) =>
    answer === "absent"
      ? InvalidInput.at(
        "payouts.pay",
        isRequest ? ["request", "from"] : ["from"],
        `${Address.checksum(from)} is no account of this wallet (${pool?.split(",")[0] ?? "its default pool"})`
      )
      : Effect.void)
