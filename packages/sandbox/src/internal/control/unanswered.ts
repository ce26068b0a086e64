import * as Chain from "@effect-klaytn/core/Chain"
import type { Service } from "@effect-klaytn/core/Endpoints"
import { exchange } from "@effect-klaytn/service/Route"
import { zeroAddress } from "@effect-klaytn/transaction/Hex"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { CredentialStore } from "../http/CredentialStore.js"

interface Read {
  readonly path: string
  /** The body of a POST; without one, the request is a GET. */
  readonly body?: unknown
}

/** The smallest read of each service. */
const reads: Readonly<Record<Service, Read>> = {
  history: { path: `/v2/transfer/account/${zeroAddress}?size=1` },
  tokens: { path: `/v2/contract/nft/${zeroAddress}/token?size=1` },
  wallet: { path: "/v2/stat/count" },
  node: { path: exchange.template, body: { jsonrpc: "2.0", id: 1, method: "klay_blockNumber", params: [] } },
  resource: { path: "/v1/resource/account/health?size=1" }
}

/** A service that takes longer counts as one that does not work. */
const longest = "5 seconds"

const requestOf = ({ body, path }: Read, credentials: CredentialStore): Request => {
  const [first] = credentials.list()
  const pair = first === undefined ? "" : `${first.accessKeyId}:${Redacted.value(first.secretAccessKey)}`
  return new Request(`http://sandbox${path}`, {
    headers: {
      authorization: `Basic ${Buffer.from(pair).toString("base64")}`,
      "content-type": "application/json",
      [Chain.header]: "1001"
    },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) })
  })
}

/** Fails with a description of the problem. A refusal, for example of a missing credential, is an answer too. */
const ask = (service: HttpApp.Default, request: Request): Effect.Effect<void, string> =>
  Effect.provideService(
    service,
    HttpServerRequest.HttpServerRequest,
    HttpServerRequest.fromWeb(request)
  ).pipe(
    Effect.scoped,
    Effect.catchAllCause(() => Effect.fail("failed to answer a read")),
    Effect.filterOrFail(({ status }) => status < 499, ({ status }) => `answered a read with HTTP ${status}`),
    Effect.timeoutFail({ duration: longest, onTimeout: () => `did not answer a read within ${longest}` })
  )

/**
 * Sends each service a small read, and returns the problem of each service that fails. The reads bypass faults and the
 * request log, which belong to the program under test.
 */
export const make = (service: HttpApp.Default, credentials: CredentialStore): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(
    Effect.partition(
      Object.entries(reads),
      ([name, read]) => Effect.mapError(ask(service, requestOf(read, credentials)), (problem) => `${name} ${problem}`)
    ),
    ([problems]) => problems
  )
