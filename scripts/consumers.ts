/** Two programs for `check:install`: a library that re-exports our types, and an application that uses it. */

/** Its types are inferred, as in most libraries. */
export const library = `import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as TokenData from "@effect-klaytn/tokens/TokenData"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

export * as ServiceError from "@effect-klaytn/core/ServiceError"
export type { Transfer } from "@effect-klaytn/history/Transfer"

export const nft = (contract: string, tokenId: bigint) =>
  Effect.flatMap(TokenData.TokenData, (tokens) => tokens.getNftById({ contract, tokenId }))

export const transfers = (address: string) =>
  Effect.map(TransferHistory.TransferHistory, (history) => history.getTransfersByEoa.items({ address }))

export const layer = (service: string) =>
  Layer.merge(TokenData.layer(), TransferHistory.layer()).pipe(
    Layer.provide(ClientConfig.layer({
      chain: 1001,
      credentials: Effect.suspend(() =>
        Credentials.fromPair({ accessKeyId: "KASK0EXAMPLE", secretAccessKey: Redacted.make("not-a-secret") })
      ),
      endpoints: { tokens: service, history: service }
    })),
    Layer.provide(FetchHttpClient.layer)
  )
`

/** Imports only the library and effect. */
export const application = `import { layer, nft, ServiceError, transfers } from "library"
import type { Transfer } from "library"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false
type Nft = Effect.Effect.Success<ReturnType<typeof nft>>
type Failure = Effect.Effect.Error<ReturnType<typeof nft>>
type Streamed = Stream.Stream.Success<Effect.Effect.Success<ReturnType<typeof transfers>>>

// A type that was lost on the way would be \`any\`, which equals none of these.
export const kept: readonly [Same<Nft["tokenId"], bigint>, Same<Failure, ServiceError.ReadError>, Same<Streamed, Transfer>] = [
  true,
  true,
  true
]
// @ts-expect-error a token has no such field
export const lost = (token: Nft) => token.nonsense

const error = await nft("nobody", 1n).pipe(
  Effect.provide(layer("http://127.0.0.1:8080")),
  Effect.flip,
  Effect.runPromise
)
if (!(error instanceof ServiceError.InvalidInput)) throw new Error(\`not the library's: \${error}\`)
`
