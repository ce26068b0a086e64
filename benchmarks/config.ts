/** The clients' configuration for the server of the benchmarks. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Ready } from "./Ready.js"

export const configOf = ({ accessKeyId, secretAccessKey, url }: Ready) =>
  ClientConfig.make({
    chain: 1001,
    credentials: Effect.suspend(() =>
      Credentials.fromPair({ accessKeyId, secretAccessKey: Redacted.make(secretAccessKey) })
    ),
    endpoints: { history: url, tokens: url, node: url }
  })
