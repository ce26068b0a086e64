/** A sandbox with an empty wallet, and the service's own client on it. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Sandbox from "../../packages/sandbox/src/Sandbox.js"
import * as Wallet from "../../packages/wallet/src/Wallet.js"
import { type CaverAccount, type CaverList, type CaverResult, client } from "./caverWallet.js"

export const klay = 10n ** 18n

const sandbox = Sandbox.layer({
  clock: { start: 1_700_000_000, step: 1 },
  pools: ["shop"],
  // What a public client sends.
  feePayerStyle: "paths"
})

const layer = Wallet.layer().pipe(
  Layer.provide(Sandbox.clientConfig(1001)),
  Layer.provide(FetchHttpClient.layer),
  Layer.provideMerge(sandbox)
)

/** In lower case, as the chain has it. */
const hex = (text: string): `0x${string}` => `0x${text.slice(2).toLowerCase()}`

export const open = async () => {
  const runtime = ManagedRuntime.make(layer)
  const run = <A, E>(effect: Effect.Effect<A, E, Layer.Layer.Success<typeof layer>>): Promise<A> =>
    runtime.runPromise(effect)
  const service = await run(Sandbox.Sandbox)
  const chain = service.chains.chain(1001)
  const caver = client({
    accessKeyId: service.accessKeyId,
    secretAccessKey: Redacted.value(service.secretAccessKey),
    url: service.url
  })
  const { wallet } = caver.kas
  const fund = (address: string, peb = 100n * klay) => run(chain.fund(hex(address), peb))
  return {
    run,
    close: () => runtime.dispose(),
    chain,
    chains: service.chains,
    customer: service.accountId,
    caver,
    wallet,
    fund,
    sdk: await run(Wallet.Wallet),
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
