/** Looks at the fee payers of a running wallet, and warns before one of them is empty. */
import * as Amount from "@effect-klaytn/core/Amount"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import type { ChainWallet } from "@effect-klaytn/custody/ChainWallet"
import type { OpenSends } from "@effect-klaytn/custody/SendStore"
import type { RemoteChain } from "@effect-klaytn/custody/WalletChain"
import type { WalletGuard } from "@effect-klaytn/custody/WalletGuard"
import * as WalletMetrics from "@effect-klaytn/custody/WalletMetrics"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { WalletHealth } from "../GatewayStatus.js"
import * as feePayers from "./feePayers.js"

/** How often the node is asked. */
const every = Duration.seconds(30)

/** A warning is repeated after this, as long as its reason lasts. */
const warnEvery = Duration.toMillis("1 hour")

/** How many accounts are shown with their oldest sends. */
const mostAccounts = 100

/** What is watched. */
export interface Parts {
  readonly chain: Pick<RemoteChain, "account">
  readonly wallet: Pick<ChainWallet, "globalFeePayer" | "store">
  readonly guard: Pick<WalletGuard, "frozen">
  /** The open sends of each account, those with the oldest first. */
  readonly openByAccount: Effect.Effect<ReadonlyArray<OpenSends>, { readonly message: string }>
  readonly lowBalance: bigint | undefined
  /** Which other roles of the database may run code as the gateway, if any may. */
  readonly foreignCode: Effect.Effect<string | undefined, { readonly message: string }>
}

const nameOf = ({ address, pool }: feePayers.FeePayer): string =>
  pool === undefined ? `the global fee payer ${address}` : `the fee payer ${address} of the pool ${pool}`

/** The lowest balance of the global fee payer, and of those of each pool. */
const lowest = (payers: ReadonlyArray<feePayers.PayerBalance>): WalletHealth["feePayers"] => {
  const found = new Map<string | undefined, WalletHealth["feePayers"][number]>()
  for (const { balance, isLow, pool } of payers) {
    const before = found.get(pool)
    found.set(pool, {
      ...(pool === undefined ? {} : { pool }),
      count: (before?.count ?? 0) + 1,
      lowest: before === undefined || balance < before.lowest ? balance : before.lowest,
      low: (before?.low ?? 0) + (isLow ? 1 : 0)
    })
  }
  return [...found.values()]
}

/** What is told of a fee payer that has little. */
const lowText = (payer: feePayers.PayerBalance): string => {
  const has = payer.balance === 0n
    ? "has no coin, and can pay no fee"
    : `has ${Amount.format(payer.balance)} left for fees`
  return `${nameOf(payer)} ${has}: send coin to this address`
}

/** Warns of what is wrong, once an hour each as long as there is a text for it. */
const warner = () => {
  const warned = new Map<string, number>()
  return (key: string, text: string | undefined): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (text === undefined) {
        warned.delete(key)
        return Effect.void
      }
      if (now - (warned.get(key) ?? -Infinity) < warnEvery) return Effect.void
      warned.set(key, now)
      return Effect.logWarning(text)
    })
}

/** Watches for the time of a scope, and gives the health as it is known. */
export const make = (
  { chain, foreignCode, guard, lowBalance, openByAccount, wallet }: Parts
): Effect.Effect<Effect.Effect<WalletHealth, { readonly message: string }>, never, Scope.Scope> =>
  Effect.gen(function*() {
    let payers: WalletHealth["feePayers"] = []
    const warn = warner()
    const look = Effect.gen(function*() {
      const all = yield* feePayers.list(wallet.store, wallet.globalFeePayer.address)
      const found = yield* feePayers.balances(chain, all, lowBalance)
      payers = lowest(found)
      yield* Effect.forEach(found, (payer) => warn(payer.address, payer.isLow ? lowText(payer) : undefined))
    }).pipe(Effect.catchAll(({ message }) => Effect.logWarning(`the fee payers can't be looked at: ${message}`)))
    // A role may have got a right since the start.
    const lookAtOthers = Effect.matchEffect(foreignCode, {
      onFailure: ({ message }) => Effect.logWarning(`the rights of other roles can't be looked at: ${message}`),
      onSuccess: (problem) => warn("foreign code", problem)
    })
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.zipRight(lookAtOthers, look), Effect.sleep(every))))
    return Effect.gen(function*() {
      const frozen = yield* guard.frozen
      const open = yield* openByAccount
      const now = yield* UnixTime.now
      return {
        ...(frozen === undefined ? {} : { frozen: frozen.reason }),
        sendsUnderWay: open.reduce((sum, { count }) => sum + count, 0),
        oldestSends: open.slice(0, mostAccounts).map(({ account, count, since }) => ({
          account,
          sends: count,
          seconds: Math.max(0, now - since)
        })),
        unreadableRows: yield* WalletMetrics.total("unreadable"),
        impossibleAnswers: yield* WalletMetrics.total("impossible"),
        feePayers: payers
      }
    })
  })
