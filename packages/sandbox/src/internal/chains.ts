import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { StoreFailure } from "../ChainError.js"
import type { Chains, ChainsOptions } from "../Chains.js"
import * as DevAccount from "../DevAccount.js"
import { ChainTime } from "./chain/BlockClock.js"
import * as chain from "./chain/chain.js"
import { ChainState } from "./chain/ChainState.js"
import { attempt } from "./chain/reads.js"
import { NamedAccounts } from "./control/NamedAccounts.js"
import { randomSeed } from "./derive.js"
import type { ChainId } from "./store/Schema.js"
import { openStore, type Store } from "./store/Store.js"
import { loadWasmCurve } from "./wasmCurve.js"

const defaultUnitPrice = 25_000_000_000n

/** Ten billion KLAY. */
const faucetBalance = 10n ** 28n

const storeFailure = (operation: string) => (cause: unknown) => new StoreFailure({ operation, cause })

const seedOf = (store: Store, wanted: string | undefined): string => {
  const kept = store.meta("seed")
  if (kept !== undefined) return kept
  const seed = wanted ?? randomSeed()
  store.setMeta("seed", seed)
  return seed
}

/** Chains and their parts. */
export interface OpenedEngine {
  readonly service: Context.Tag.Service<Chains>
  readonly store: Store
  readonly curve: Secp256k1
  /** The accounts that were registered. */
  readonly namedAccounts: NamedAccounts
}

/** Opens the chains for the lifetime of a scope. */
export const open = (options: ChainsOptions): Effect.Effect<OpenedEngine, StoreFailure, Scope.Scope> =>
  Effect.gen(function*() {
    const curve = options.curve ??
      (yield* Effect.promise(() => loadWasmCurve({ isRepeatable: options.seed !== undefined })))
    const mining = options.mining ?? "auto"
    const store = yield* Effect.acquireRelease(
      attempt("open", () => openStore(options.database ?? ":memory:")),
      (opened) => Effect.sync(() => opened.close())
    )
    const seed = yield* attempt("seed", () => seedOf(store, options.seed))
    const derived = new Map<string, DevAccount.DevAccount>()
    const account = (name: string): DevAccount.DevAccount => {
      const known = derived.get(name) ?? DevAccount.derive(seed, name, curve)
      derived.set(name, known)
      return known
    }
    const namedAccounts = new NamedAccounts(account)
    const faucet = account("faucet")
    const genesis = [
      { address: faucet.address, balance: faucetBalance },
      ...(options.accounts ?? []).map(({ balance, name }) => ({
        address: account(name).address,
        balance
      }))
    ]
    const openChain = (chainId: ChainId) =>
      Effect.gen(function*() {
        const time = new ChainTime(options.clock ?? "system")
        const genesisTimestamp = yield* time.genesis
        const live = yield* Effect.tryPromise({
          try: () =>
            ChainState.open({
              chainId,
              store: store.chain(chainId),
              unitPrice: options.unitPrice ?? defaultUnitPrice,
              curve,
              genesis,
              genesisTimestamp
            }),
          catch: storeFailure("load")
        })
        return chain.make({ live, time, faucet, curve, mining: mining === "auto" ? "auto" : "onDemand" })
      })
    const mainnet = yield* openChain(8217)
    const testnet = yield* openChain(1001)
    if (typeof mining === "object") {
      for (const one of [mainnet, testnet]) {
        yield* Effect.forkScoped(
          // The chain itself logs a failing database; the next round tries again.
          Effect.forever(Effect.zipRight(Effect.sleep(mining.every), Effect.ignore(one.mine())))
        )
      }
    }
    return {
      service: {
        chain: (chainId) => chainId === 8217 ? mainnet : testnet,
        all: [mainnet, testnet],
        account,
        register: (name) => namedAccounts.add(name),
        seed
      },
      store,
      curve,
      namedAccounts
    }
  })
