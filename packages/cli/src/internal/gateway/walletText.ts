/** What `klaytn gateway wallet status` writes. */
import * as Amount from "@effect-klaytn/core/Amount"
import type { wallet } from "@effect-klaytn/gateway/command"
import type * as Effect from "effect/Effect"
import { counted, duration } from "../terminal/progress.js"
import * as Screen from "../terminal/Screen.js"

/** The state of a wallet. */
export type WalletStatus = Effect.Effect.Success<ReturnType<typeof wallet.status>>

/** The most sends that are listed. */
const mostSends = 20

const indented = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  Screen.table(rows).map((line) => `  ${line}`)

const accounts = ({ keys, pools }: WalletStatus): ReadonlyArray<string> => {
  const own = pools.filter(({ type }) => type === "account-pool")
  const all = own.reduce((sum, pool) => sum + pool.accounts, 0)
  return [
    `${counted(all, "account")} in ${counted(own.length, "pool")}, ${counted(keys, "key")} in all`,
    ...indented(own.map((pool) => [pool.name, counted(pool.accounts, "account")]))
  ]
}

const has = ({ balance, isLow }: WalletStatus["feePayers"][number]): string => {
  if (balance === undefined) return "balance not asked"
  return `${Amount.format(balance)}${balance === 0n ? "  EMPTY" : isLow === true ? "  LOW" : ""}`
}

const feePayers = ({ feePayers }: WalletStatus): ReadonlyArray<string> => {
  if (feePayers.length === 0) return ["no fee payers"]
  const rows = feePayers.map((payer) => [payer.address, payer.pool ?? "the global one", has(payer)])
  const isAsked = feePayers.some(({ balance }) => balance !== undefined)
  return [
    counted(feePayers.length, "fee payer"),
    ...indented(rows),
    ...(isAsked ? [] : ["  name the node with --node or KLAYTN_OWN_NODE_URL to see what they have"])
  ]
}

const sends = ({ sendsUnderWay }: WalletStatus): ReadonlyArray<string> => {
  if (sendsUnderWay.length === 0) return ["no send is under way"]
  const shown = sendsUnderWay.slice(0, mostSends)
  const more = sendsUnderWay.length - shown.length
  return [
    `${counted(sendsUnderWay.length, "send")} under way`,
    ...indented(shown.map(({ attempts, from, hash, isCancel, nonce, seconds }) => [
      hash,
      `${isCancel ? "cancels " : ""}nonce ${nonce} of ${from}`,
      `signed ${duration(seconds)} ago`,
      `given to the node ${attempts === 0 ? "once" : `${attempts + 1} times`}`
    ])),
    ...(more > 0 ? [`  and ${counted(more, "other")}: --json lists all`] : [])
  ]
}

const limits = ({ limitsUsed }: WalletStatus): ReadonlyArray<string> => {
  if (limitsUsed.length === 0) return ["no caller with a limit by day has sent today (UTC)"]
  return [
    "signed today (UTC) for callers with a limit by day",
    ...indented(limitsUsed.map(({ caller, limit, pool, spent }) => [
      caller,
      `pool ${pool}`,
      limit === undefined
        ? `${Amount.format(spent)}, and no limit any more`
        : `${Amount.toKlay(spent)} of ${Amount.format(limit)}`
    ]))
  ]
}

/** The state of a wallet for people. */
export const page = (status: WalletStatus): ReadonlyArray<string> => [
  `The wallet in ${status.file} is on chain ${status.chain} and ${
    status.frozen === undefined ? "signs" : `FROZEN: ${Screen.clean(status.frozen)}`
  }`,
  "",
  ...accounts(status),
  "",
  ...feePayers(status),
  "",
  ...sends(status),
  "",
  ...limits(status)
]
