/**
 * A client of the control interface for other processes, derived from its contract.
 */
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import type { HttpClient } from "@effect/platform/HttpClient"
import type * as Effect from "effect/Effect"
import { ControlApi } from "./ControlApi.js"

/**
 * Makes a client for the sandbox at the address that it printed.
 *
 * @example
 * ```ts
 * import * as ControlClient from "@effect-klaytn/sandbox/ControlClient"
 * import * as Effect from "effect/Effect"
 *
 * export const funded = Effect.gen(function*() {
 *   const control = yield* ControlClient.make("http://127.0.0.1:40001")
 *   return yield* control.chain.fund({ path: { chainId: 1001 }, payload: { to: "alice", amount: 10n ** 18n } })
 * })
 * ```
 *
 * @category constructors
 */
export const make = (url: string): Effect.Effect<ControlClient, never, HttpClient> => derive(url)

/**
 * One method for each endpoint of `ControlApi`; those of a chain are under `chain`.
 *
 * @category models
 */
export type ControlClient = Effect.Effect.Success<ReturnType<typeof derive>>

const derive = (url: string) => HttpApiClient.make(ControlApi, { baseUrl: url })
