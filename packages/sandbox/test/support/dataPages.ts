/** The handlers of history and token data in front of a chain. */
import { Cursors } from "@effect-klaytn/indexer/Cursors"
import type { DataChain } from "@effect-klaytn/indexer/DataChain"
import { deriveKey } from "@effect-klaytn/service/Derive"
import { RequestIds } from "@effect-klaytn/service/RequestIds"
import { ServiceRefusals } from "@effect-klaytn/service/ServiceRefusals"
import * as HttpApp from "@effect/platform/HttpApp"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { CredentialStore } from "../../src/internal/http/CredentialStore.js"
import * as service from "../../src/internal/http/dataService.js"
import * as Sandbox from "../../src/Sandbox.js"
import { basic } from "./wire.js"

/** The data handlers in front of a chain: gives the status and the body for a path. */
export const serve = (chain: DataChain) =>
  Effect.gen(function*() {
    const { accessKeyId, chains, secretAccessKey } = yield* Sandbox.Sandbox
    const app = yield* service.make({
      chain: () => chain,
      callers: new CredentialStore(chains.seed, { accessKeyId, secretAccessKey }),
      wallet: Effect.die("there is no wallet"),
      cursors: new Cursors(deriveKey(chains.seed, "cursors")),
      refusals: new ServiceRefusals(new RequestIds(chains.seed)),
      coin: "klay"
    })
    const handle = HttpApp.toWebHandler(app)
    const headers = { authorization: basic(accessKeyId, Redacted.value(secretAccessKey)), "x-chain-id": "1001" }
    return (path: string) =>
      Effect.promise(async () => {
        const response = await handle(new Request(`http://localhost${path}`, { headers }))
        return { status: response.status, text: await response.text() }
      })
  })
