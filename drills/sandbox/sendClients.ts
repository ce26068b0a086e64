/** The clients of the send drill, over each HTTP client of the platform. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as Accounts from "@effect-klaytn/wallet/Accounts"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import { flow } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Sandbox from "../../packages/sandbox/src/Sandbox.js"

/** The chain of the drill. */
export const chainId = 1001

/** The platform's HTTP clients. */
export const transports: ReadonlyArray<Layer.Layer<HttpClient.HttpClient>> = [
  FetchHttpClient.layer,
  NodeHttpClient.layerUndici,
  NodeHttpClient.layer
]

/** A client that repeats what fails on the way, writes too: below the SDK, which does not see it. */
export const repeating: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, HttpClient.retryTransient({ times: 2 }))
).pipe(Layer.provide(FetchHttpClient.layer))

/** The header that tells the proxy which send a request belongs to. */
export const sendHeader = "x-drill-send"

const currentSend = FiberRef.unsafeMake<number | undefined>(undefined)

const marked = HttpClient.mapRequestEffect((request) =>
  Effect.map(
    FiberRef.get(currentSend),
    (send) => send === undefined ? request : HttpClientRequest.setHeader(request, sendHeader, String(send))
  )
)

/** Marks the requests of an effect as those of one send. */
export const ofSend = (index: number) => Effect.locally(currentSend, index)

const currentCount = FiberRef.unsafeMake<{ requests: number } | undefined>(undefined)

const counted = HttpClient.mapRequestEffect((request) =>
  Effect.map(FiberRef.get(currentCount), (current) => {
    if (current !== undefined) current.requests++
    return request
  })
)

/** Counts the requests of an effect, however it ends. */
export const counting = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  tell: (requests: number) => void
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const count = { requests: 0 }
    return effect.pipe(Effect.locally(currentCount, count), Effect.ensuring(Effect.sync(() => tell(count.requests))))
  })

/** All clients of one configuration. */
export const make = (
  url: string,
  behaviour: ClientConfig.Behaviour,
  transport: Layer.Layer<HttpClient.HttpClient> = FetchHttpClient.layer
) =>
  Effect.gen(function*() {
    const sandbox = yield* Sandbox.Sandbox
    const configuration = ClientConfig.layer({
      ...behaviour,
      chain: chainId,
      credentials: Effect.suspend(() => Credentials.fromPair(sandbox)),
      endpoints: { wallet: url, node: url },
      feePayerStyle: sandbox.feePayerStyle
    })
    const client = Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, flow(counted, marked)))
    const context = yield* Layer.build(
      Layer.mergeAll(Wallet.layer(), Accounts.layer(), TransactionLookup.layer(), KlaytnNode.layer()).pipe(
        Layer.provide([configuration, Layer.provide(client, transport)])
      )
    )
    return yield* Effect.all({
      wallet: Wallet.Wallet,
      accounts: Accounts.Accounts,
      lookup: TransactionLookup.TransactionLookup,
      node: KlaytnNode.KlaytnNode
    }).pipe(Effect.provide(context))
  })

/** What {@link make} makes. */
export type Clients = Effect.Effect.Success<ReturnType<typeof make>>
