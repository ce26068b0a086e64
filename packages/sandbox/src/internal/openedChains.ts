import { attempt, type StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import * as LocalChain from "@effect-klaytn/local-chain/LocalChain"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import type { Chain, ChainId, Mining, SandboxRecords } from "../Chain.js"
import type { Chains, ChainsOptions } from "../Chains.js"
import { NamedAccounts } from "./control/NamedAccounts.js"
import { predeploys } from "./predeploys.generated.js"
import { openStore, type Store } from "./store/Store.js"
import { loadWasmCurve } from "./wasmCurve.js"

const seedOf = (store: Store, wanted: string | undefined): string => {
  const kept = store.meta("seed")
  if (kept !== undefined) return kept
  const seed = wanted ?? randomBytes(32).toString("hex")
  store.setMeta("seed", seed)
  return seed
}

/** When a chain builds blocks; the fiber of an interval ends with the scope. */
const miningOf = (
  chain: LocalChain.LocalChain<SandboxRecords>,
  initial: Mining
): Effect.Effect<Pick<Chain, "mining" | "setMining">, StoreFailure, Scope.Scope> =>
  Effect.gen(function*() {
    const miner = yield* FiberHandle.make<never>()
    let current = initial
    const follow = (mining: Mining): Effect.Effect<unknown> =>
      typeof mining === "object"
        // The chain itself logs a failing database; the next round tries again.
        ? FiberHandle.run(
          miner,
          Effect.forever(Effect.zipRight(Effect.sleep(mining.every), Effect.ignore(chain.mine())))
        )
        : FiberHandle.clear(miner)
    yield* follow(initial)
    return {
      mining: Effect.sync(() => current),
      setMining: (mining) =>
        Effect.suspend(() => {
          current = mining
          return Effect.zipRight(follow(mining), chain.setAutomine(mining === "auto"))
        })
    }
  })

/** The options of the chains, and what becomes of transactions that are submitted to them in place of the pool. */
interface OpenOptions extends ChainsOptions {
  readonly submitFault?: (chainId: ChainId) => LocalChain.SubmitFault | undefined
}

/** Opens the chains, with their database and the accounts that were registered, for the lifetime of a scope. */
export const open = ({ submitFault = () => undefined, ...options }: OpenOptions) =>
  Effect.gen(function*() {
    const { mining = "auto" } = options
    const curve = options.curve ??
      (yield* Effect.promise(() => loadWasmCurve({ isRepeatable: options.seed !== undefined })))
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
    const funded = (options.accounts ?? []).map(({ balance, name }) => ({ address: account(name).address, balance }))
    const openChain = (chainId: ChainId): Effect.Effect<Chain, StoreFailure, Scope.Scope> =>
      Effect.gen(function*() {
        const { index, storage } = store.chain(chainId)
        const contracts = predeploys.map(({ addresses, code }) => ({ address: addresses[chainId], balance: 0n, code }))
        const chain = yield* LocalChain.makeWith(storage, {
          ...options,
          chainId,
          mining: mining === "auto" ? "auto" : "onDemand",
          faucet: account("faucet"),
          proposer: account("validator").address,
          accounts: [...funded, ...contracts],
          curve,
          submitFault: () => submitFault(chainId)
        })
        // Before the database is closed, and after all that sends to the chain or mines.
        yield* Effect.addFinalizer(() =>
          Effect.catchAll(
            chain.keepPool,
            ({ message }) => Effect.logError(`the transactions that wait on chain ${chainId} are lost: ${message}`)
          )
        )
        if (chain.rules !== "kaiaExecution") {
          yield* Effect.logInfo(
            `chain ${chainId} goes on with the rules that its file was made with: ${
              LocalChain.describeRules(chain.rules)
            }`
          )
        }
        return {
          ...index.reader,
          ...chain,
          ...yield* miningOf(chain, mining),
          chainId,
          validator: account("validator").address,
          setLabel: (contract, status) => Effect.flatMap(chain.now, (now) => index.setLabel(contract, status, now)),
          removeLabel: (contract) => Effect.flatMap(chain.now, (now) => index.removeLabel(contract, now)),
          addPreset: index.addPreset,
          removePreset: index.removePreset
        }
      })
    const mainnet = yield* openChain(8217)
    const testnet = yield* openChain(1001)
    const service: Context.Tag.Service<Chains> = {
      chain: (chainId) => chainId === 8217 ? mainnet : testnet,
      all: [mainnet, testnet],
      account,
      register: (name) => namedAccounts.add(name),
      seed
    }
    return { service, store, curve, namedAccounts }
  })
