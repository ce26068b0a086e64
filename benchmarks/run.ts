/**
 * What the SDK costs beside `fetch` and `JSON.parse`: `npx -y pnpm@10.34.9 bench`. One JSON line a figure; README.md says
 * how to read it.
 */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as TokenData from "@effect-klaytn/tokens/TokenData"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { history } from "./history.js"
import * as Server from "./Server.js"
import { tokens } from "./tokens.js"

const Config = Layer.effect(
  ClientConfig.ClientConfig,
  Effect.flatMap(Server.Server, ({ accessKeyId, secretAccessKey, url }) =>
    ClientConfig.make({
      chain: 1001,
      credentials: Effect.suspend(() =>
        Credentials.fromPair({ accessKeyId, secretAccessKey: Redacted.make(secretAccessKey) })
      ),
      endpoints: { history: url, tokens: url }
    }))
)

const Clients = Layer.merge(TransferHistory.layer, TokenData.layer).pipe(
  Layer.provide(Config),
  Layer.provide(FetchHttpClient.layer),
  Layer.provideMerge(Server.layer)
)

await Effect.runPromise(Effect.provide(Effect.zipRight(history, tokens), Clients))
