/** A sandbox with a chain of generated transactions, and what a client needs to call its node. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as DevAccount from "../../packages/local-chain/src/DevAccount.js"
import * as Eip1193 from "../../packages/node/src/Eip1193.js"
import * as KlaytnNode from "../../packages/node/src/KlaytnNode.js"
import * as Generator from "../../packages/sandbox/src/Generator.js"
import * as Sandbox from "../../packages/sandbox/src/Sandbox.js"
import * as TokenContract from "../../packages/sandbox/src/TokenContract.js"
import type { Hex } from "../../packages/transaction/src/Hex.js"

export const chainId = 1001

const layer = KlaytnNode.layer().pipe(
  Layer.provide(Sandbox.clientConfig(chainId)),
  Layer.provide(FetchHttpClient.layer),
  Layer.provideMerge(Sandbox.layer({ seed: "referees", clock: { start: 1_700_000_000, step: 1 } }))
)

/** What the generator leaves out: transactions without a recipient, deployments with a fee payer, and one that fails. */
const oddities = (chains: Sandbox.Sandbox["Type"]["chains"], apples: TokenContract.TokenContract) =>
  Effect.gen(function*() {
    const chain = chains.chain(chainId)
    const [from, feePayer, other] = [chains.account("alice"), chains.account("bob"), chains.account("carol")]
    yield* chain.send({ kind: "cancel", from })
    yield* chain.send({ kind: "anchor", from, feePayer, data: "0xf8" })
    yield* chain.send({ kind: "updateKey", from: other, key: { type: "AccountKeyPublic", publicKey: other.publicKey } })
    const code = TokenContract.creationCode({ kind: "nft", name: "Picture", symbol: "PIC" })
    yield* chain.send({ kind: "deploy", from, feePayer, feeRatio: 30, code })
    const much = TokenContract.transferCall(from.address, { kind: "ft", to: other.address, amount: 10n ** 60n })
    yield* chain.send({ kind: "execute", from, to: apples.address, data: much, gas: 200_000n })
  })

export const open = async () => {
  const runtime = ManagedRuntime.make(layer)
  const run = <A, E>(effect: Effect.Effect<A, E, Layer.Layer.Success<typeof layer>>): Promise<A> =>
    runtime.runPromise(effect)
  const { accessKeyId, control, chains, secretAccessKey, url } = await run(Sandbox.Sandbox)
  const chain = chains.chain(chainId)
  const { accounts, busiest, tokens } = await run(
    Generator.generate(chain, { seed: "node", transfers: 400, accounts: 8 })
  )
  await run(oddities(chains, tokens.ft))
  const someone = <A>(found: Option.Option<A>): A => Option.getOrThrow(found)
  return {
    run,
    close: () => runtime.dispose(),
    chain,
    control,
    accounts,
    busiest,
    tokens,
    /** A new account with some KLAY for each caller. */
    funded: async (name: string) => {
      const account = chains.account(name)
      await run(chain.fund(account.address, 1000n * 10n ** 18n))
      return {
        address: account.address,
        publicKey: account.publicKey,
        privateKey: DevAccount.revealPrivateKey(account)
      }
    },
    /** The SDK's client as a provider for other libraries. */
    bridge: await run(Eip1193.make),
    /** The node's address and the credential. */
    node: {
      url: `${url}/v1/klaytn`,
      headers: {
        authorization: `Basic ${btoa(`${accessKeyId}:${Redacted.value(secretAccessKey)}`)}`,
        "x-chain-id": `${chainId}`
      }
    },
    /** A transaction as the chain has it. */
    record: (hash: string) => run(Effect.map(chain.transaction(hash as Hex), someone)),
    state: (address: string) => run(Effect.map(chain.account(address as Hex), someone))
  }
}

export type World = Awaited<ReturnType<typeof open>>
