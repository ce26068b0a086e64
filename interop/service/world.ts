/** A sandbox full of generated transactions, and three readers of it: the chain, the SDK and the service's own client. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as TransferHistory from "../../packages/history/src/TransferHistory.js"
import type { TransferRecord } from "../../packages/indexer/src/TransferRecord.js"
import * as Generator from "../../packages/sandbox/src/Generator.js"
import * as Sandbox from "../../packages/sandbox/src/Sandbox.js"
import * as TokenData from "../../packages/tokens/src/TokenData.js"
import { tokenHistory } from "./caver.js"

const sandbox = Sandbox.layer({
  seed: "referees",
  clock: { start: 1_700_000_000, step: 1 },
  feePayerStyle: "paths"
})

const layer = Layer.merge(TransferHistory.layer(), TokenData.layer()).pipe(
  Layer.provide(Sandbox.clientConfig(1001)),
  Layer.provide(FetchHttpClient.layer),
  Layer.provideMerge(sandbox)
)

/** Every transfer of the chain, newest first, walked block by block and transaction by transaction. */
const everything = Effect.gen(function*() {
  const { chains } = yield* Sandbox.Sandbox
  const chain = chains.chain(1001)
  const { number } = yield* chain.head
  const found: Array<TransferRecord> = []
  for (let block = 1; block <= number; block++) {
    for (const { hash } of yield* chain.transactionsOf(block)) found.push(...(yield* chain.transfersOf(hash)))
  }
  return found.toSorted((a, b) => b.id - a.id)
})

export const open = async () => {
  const runtime = ManagedRuntime.make(layer)
  const run = <A, E>(effect: Effect.Effect<A, E, Layer.Layer.Success<typeof layer>>): Promise<A> =>
    runtime.runPromise(effect)
  const service = await run(Sandbox.Sandbox)
  const chain = service.chains.chain(1001)
  const { accounts, busiest, tokens } = await run(
    Generator.generate(chain, { seed: "referees", transfers: 600, accounts: 12 })
  )
  const preset = await run(chain.addPreset({
    name: "everybody",
    accounts: accounts.slice(0, 3).map(({ address }) => address),
    contracts: [tokens.mt.address]
  }))
  const credential = {
    accessKeyId: service.accessKeyId,
    secretAccessKey: Redacted.value(service.secretAccessKey),
    url: service.url
  }
  return {
    run,
    close: () => runtime.dispose(),
    chain,
    tokens,
    account: busiest.address,
    preset,
    everything: await run(everything),
    history: await run(TransferHistory.TransferHistory),
    tokenData: await run(TokenData.TokenData),
    credential,
    caver: tokenHistory(credential)
  }
}

export type World = Awaited<ReturnType<typeof open>>
