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

/** Warns of fee payers that have little, once an hour each. */
const warner = () => {
  const warned = new Map<string, number>()
  return (payers: ReadonlyArray<feePayers.PayerBalance>): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.forEach(payers, (payer) => {
        if (!payer.isLow) {
          warned.delete(payer.address)
          return Effect.void
        }
        if (now - (warned.get(payer.address) ?? -Infinity) < warnEvery) return Effect.void
        warned.set(payer.address, now)
        const has = payer.balance === 0n
          ? "has no coin, and can pay no fee"
          : `has ${Amount.format(payer.balance)} left for fees`
        return Effect.logWarning(`${nameOf(payer)} ${has}: send coin to this address`)
      }, { discard: true }))
}

/** Watches for the time of a scope, and gives the health as it is known. */
export const make = (
  { chain, guard, lowBalance, openByAccount, wallet }: Parts
): Effect.Effect<Effect.Effect<WalletHealth, { readonly message: string }>, never, Scope.Scope> =>
  Effect.gen(function*() {
    let payers: WalletHealth["feePayers"] = []
    const warn = warner()
    const look = Effect.gen(function*() {
      const all = yield* feePayers.list(wallet.store, wallet.globalFeePayer.address)
      const found = yield* feePayers.balances(chain, all, lowBalance)
      payers = lowest(found)
      yield* warn(found)
    }).pipe(Effect.catchAll(({ message }) => Effect.logWarning(`the fee payers can't be looked at: ${message}`)))
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(look, Effect.sleep(every))))
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
