/**
 * An empty wallet, and the service's own client on it. `WALLET_BEHIND` says whose wallet: that of a sandbox (default), of a gateway
 * in front of the sandbox's node door (`gateway`), or of a gateway whose node is behind a bad proxy (`proxy`): ten calls a request,
 * two copies of which one has each block later, and one answer in a hundred that is lost. What the client itself asks of a node is
 * not asked of that one: a gateway passes on what the node says.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as ClientConfig from "../../packages/core/src/ClientConfig.js"
import * as Credentials from "../../packages/core/src/Credentials.js"
import * as CallerFile from "../../packages/gateway/src/CallerFile.js"
import * as Gateway from "../../packages/gateway/src/Gateway.js"
import * as Sandbox from "../../packages/sandbox/src/Sandbox.js"
import * as Wallet from "../../packages/wallet/src/Wallet.js"
import { keep } from "../zoo/keeper.js"
import { type CaverAccount, type CaverList, type CaverResult, client } from "./caverWallet.js"

export const klay = 10n ** 18n

const sandbox = Sandbox.layer({
  // The history of a gateway is asked for the last days by the clock.
  clock: { start: Math.floor(Date.now() / 1000) - 10_000, step: 1 },
  pools: ["shop"],
  // What a public client sends.
  feePayerStyle: "paths"
})

const layer = Layer.merge(sandbox, FetchHttpClient.layer)

const behind = process.env["WALLET_BEHIND"] ?? "sandbox"

/** What a wallet pays for a unit of gas at rest: what the node suggests, or in a gateway the base fee times its factor. */
export const gasPrice = behind === "sandbox" ? 27_500_000_000n : 27_562_500_000n

/** The proxy between a gateway and its node. */
const badProxy = (target: string) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      keep({
        name: "ten calls a request, one copy late, one lost answer in a hundred",
        refuse: ({ calls, count }) =>
          calls.length > 10
            ? { status: 413, body: "batch too large" }
            : count % 100 === 99
            ? "drop"
            : undefined,
        late: ({ count }) => count % 2 === 0 ? 0 : 250,
        missing: null
      }, target)
    ),
    ({ close }) => Effect.promise(close)
  )

/** A wallet: its address, a credential, whose it is, and who pays for the service. */
const walletOf = (service: Sandbox.Sandbox["Type"]) =>
  Effect.gen(function*() {
    if (behind === "sandbox") {
      const { accessKeyId, accountId, chains, secretAccessKey, url } = service
      const globalFeePayer = chains.account("global fee payer").address
      return { url, accessKeyId, secretAccessKey, customer: accountId, globalFeePayer, indexed: Effect.void }
    }
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "wallet-world-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const door = `${service.url}/rpc/1001`
    const database = join(folder, "index.db")
    const callers = yield* CallerFile.open(CallerFile.beside(database))
    const { accessKeyId, secretAccessKey } = yield* callers.add("caver", { rights: ["read", "wallet"] })
    const { status, url, wallet } = yield* Gateway.make({
      node: { url: behind === "gateway" ? door : (yield* badProxy(door)).url },
      database,
      chain: 1001,
      wallet: { pools: ["shop"], feePayerStyle: "paths" }
    })
    const payer = wallet?.globalFeePayer ?? ""
    yield* service.chains.chain(1001).fund(hex(payer), 10n ** 24n)
    const indexed = Effect.all([status, service.chains.chain(1001).head]).pipe(
      Effect.repeat({
        schedule: Schedule.spaced("50 millis"),
        until: ([{ index }, head]) => index.head?.number === head.number
      }),
      Effect.asVoid,
      Effect.orDie
    )
    return { url, accessKeyId, secretAccessKey, customer: wallet?.accountId ?? "", globalFeePayer: payer, indexed }
  })

/** In lower case, as the chain has it. */
const hex = (text: string): `0x${string}` => `0x${text.slice(2).toLowerCase()}`

export const open = async () => {
  const runtime = ManagedRuntime.make(layer)
  const run = <A, E>(effect: Effect.Effect<A, E, Layer.Layer.Success<typeof layer>>): Promise<A> =>
    runtime.runPromise(effect)
  const service = await run(Sandbox.Sandbox)
  const chain = service.chains.chain(1001)
  const scope = await run(Scope.make())
  const own = await run(Scope.extend(walletOf(service), scope))
  const { accessKeyId, secretAccessKey, url } = own
  const caver = client(
    { accessKeyId, secretAccessKey: Redacted.value(secretAccessKey), url },
    behind === "proxy" ? { ...service, secretAccessKey: Redacted.value(service.secretAccessKey) } : undefined
  )
  const sdk = Wallet.make().pipe(
    ClientConfig.provide({
      chain: 1001,
      credentials: Credentials.fromPair({ accessKeyId, secretAccessKey }),
      endpoints: { wallet: url, node: url, resource: url },
      feePayerStyle: "paths"
    })
  )
  const { wallet } = caver.kas
  const fund = (address: string, peb = 100n * klay) => run(chain.fund(hex(address), peb))
  return {
    run,
    close: async () => {
      await run(Scope.close(scope, Exit.void))
      await runtime.dispose()
    },
    chain,
    customer: own.customer,
    globalFeePayer: own.globalFeePayer,
    /** Waits until the history has every block. */
    indexed: () => run(own.indexed),
    /** Waits until it is later for the wallet. */
    later: () =>
      behind === "sandbox"
        ? run(chain.advanceTime(1000))
        : new Promise<void>((resolve) => setTimeout(resolve, 1100)),
    caver,
    wallet,
    fund,
    sdk: await run(sdk),
    /** A new account with coin. */
    account: async (): Promise<CaverAccount> => {
      const account = await wallet.createAccount()
      await fund(account.address)
      return account
    },
    /** What the chain holds of an address. */
    balance: (address: string): Promise<bigint> =>
      run(Effect.map(
        chain.account(hex(address)),
        Option.match({ onNone: () => 0n, onSome: (found) => found.balance })
      )),
    /** What the chain holds of a transaction. */
    transaction: (hash: string) => run(Effect.map(chain.transaction(hex(hash)), Option.getOrThrow)),
    /** Runs with a pool that is not the default one. */
    inPool: async <A>(krn: string, body: () => Promise<A>): Promise<A> => {
      wallet.client.defaultHeaders["x-krn"] = krn
      try {
        return await body()
      } finally {
        delete wallet.client.defaultHeaders["x-krn"]
      }
    },
    /** Who signed the bytes, and what they are called, by the client's own codec. */
    proven: ({ rlp }: Pick<CaverResult, "rlp">) => {
      const decoded = caver.transaction.decode(rlp)
      const addresses = (keys: ReadonlyArray<string>) =>
        keys.map((key) => caver.utils.publicKeyToAddress(key).toLowerCase())
      const isDelegated = decoded.type.includes("FeeDelegated")
      return {
        type: decoded.type,
        hash: decoded.getTransactionHash(),
        senders: addresses(decoded.recoverPublicKeys()),
        feePayers: isDelegated ? addresses(decoded.recoverFeePayerPublicKeys()) : []
      }
    }
  }
}

export type WalletWorld = Awaited<ReturnType<typeof open>>

/** Everything on all pages, by the cursors that the client reads. */
export const all = async <A>(
  list: (options: { readonly size: number; readonly cursor?: string }) => Promise<CaverList<A>>,
  size: number
): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for (let cursor: string | undefined = undefined, pages = 0; pages < 1000; pages++) {
    const page: CaverList<A> = await list({ size, ...(cursor === undefined ? {} : { cursor }) })
    if (page.items.length > size) throw new Error(`${page.items.length} items on a page of ${size}`)
    found.push(...page.items)
    if (page.cursor === "") return found
    cursor = page.cursor
  }
  throw new Error("the pages do not end")
}
