/** Transfer history on a recorded wire. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Testing from "@effect-klaytn/core/Testing"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Client from "../../../core/test/support/client.js"
import * as TransferHistory from "../../src/TransferHistory.js"

const base = "http://127.0.0.1:8080/prefix"

/** The service at one end of a wire. */
export const make = (wire: Testing.Wire, more: Partial<ClientConfig.Options> = {}) =>
  TransferHistory.make().pipe(
    Effect.provide(ClientConfig.layer({ ...Client.options, endpoints: { history: base }, ...more })),
    Effect.provideService(HttpClient.HttpClient, wire.client)
  )

/** An empty last page. */
export const nothing = Testing.json(200, { items: [], cursor: "" })

/** A page of these records; without a cursor it is the last. */
export const page = (items: ReadonlyArray<unknown>, cursor = ""): Testing.Step => Testing.json(200, { items, cursor })

/** The requests of a call: method and path below the base. */
export const requests = (wire: Testing.Wire): ReadonlyArray<string> =>
  wire.sent.map(({ method, url }) => {
    assert.isTrue(url.startsWith(base), `${url} is below the base address`)
    return `${method} ${url.slice(base.length)}`
  })

/** Runs a call against an empty answer and returns its requests. */
export const asked = <A, E>(
  call: (history: TransferHistory.Service) => Effect.Effect<A, E>,
  more?: Partial<ClientConfig.Options>
) =>
  Effect.gen(function*() {
    const wire = Testing.wire(nothing)
    yield* call(yield* make(wire, more))
    return requests(wire)
  })
