/** Transfer history on a wire that a made-up service answers. */
import type * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Testing from "@effect-klaytn/core/Testing"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Answer, HistoryService } from "../../../../drills/exports/service.js"

export const wire = (answer: (target: string) => Answer): Testing.Wire =>
  Testing.wire((sent) =>
    Effect.sync(() => {
      const { pathname, search } = new URL(sent.url)
      const { body, headers, status } = answer(pathname + search)
      return new Response(body === "" ? null : body, {
        status,
        headers: { "content-type": "application/json", ...headers }
      })
    })
  )

export const layer = (over: Testing.Wire, more: Partial<ClientConfig.Options> = {}) =>
  TransferHistory.layer().pipe(Layer.provide(Testing.layer(over, more)))

export const of = (service: HistoryService, more: Partial<ClientConfig.Options> = {}) =>
  layer(wire((target) => service.answer(target)), more)
