/** Token data and the directory on a recorded wire. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Testing from "@effect-klaytn/core/Testing"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Client from "../../../core/test/support/client.js"
import * as TokenData from "../../src/TokenData.js"
import * as TokenDirectory from "../../src/TokenDirectory.js"

const base = "http://127.0.0.1:8080/prefix"

const wired = (wire: Testing.Wire, more: Partial<ClientConfig.Options>) =>
  Layer.merge(
    ClientConfig.layer({ ...Client.options, endpoints: { tokens: base }, ...more }),
    Layer.succeed(HttpClient.HttpClient, wire.client)
  )

/** Token data at one end of a wire. */
export const make = (wire: Testing.Wire, more: Partial<ClientConfig.Options> = {}) =>
  Effect.provide(TokenData.make(), wired(wire, more))

/** The directory at one end of a wire. */
export const makeDirectory = (wire: Testing.Wire, more: Partial<ClientConfig.Options> = {}) =>
  Effect.provide(TokenDirectory.make(), wired(wire, more))

/** Token data at one end of a wire, as a layer. */
export const layer = (wire: Testing.Wire, more: Partial<ClientConfig.Options> = {}) =>
  Layer.provide(TokenData.layer(), wired(wire, more))

/** A page of these records; without a cursor it is the last. */
export const page = (items: ReadonlyArray<unknown>, cursor = ""): Testing.Step => Testing.json(200, { items, cursor })

/** The requests of a call: method and path below the base. */
export const requests = (wire: Testing.Wire): ReadonlyArray<string> =>
  wire.sent.map(({ method, url }) => {
    assert.isTrue(url.startsWith(base), `${url} is below the base address`)
    return `${method} ${url.slice(base.length)}`
  })

/** A failure of the service as it stands on the wire. */
export const failure = (status: number, code: number, message: string): Testing.Step =>
  Testing.text(
    status,
    `{"code":${code},"message":${JSON.stringify(message)},"requestId":"7f2ae1c3-1c8a-4d0a-9d8c-0f0c7a5b3e11"}`,
    { "content-type": "application/json" }
  )
