/** Places of each caller: one that sends much leaves places to others. */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import { performance } from "node:perf_hooks"

/** Runs at most `places` effects of a caller at a time; its others wait. `callerOf` reads the header of a request. */
export const make = (
  callerOf: (header: string | undefined) => { readonly name: string } | undefined,
  places: number
) => {
  const shares = new Map<string, Effect.Semaphore>()
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | HttpServerRequest.HttpServerRequest> =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
      const name = callerOf(headers["authorization"])?.name ?? ""
      const share = shares.get(name) ?? Effect.unsafeMakeSemaphore(places)
      shares.set(name, share)
      return share.withPermits(1)(effect)
    })
}

/** How much of the time a process that is busy computes, from 0 to 1, and how long it counts as busy then, in milliseconds. */
const busyFrom = 0.7
const busyFor = 5_000

/** Whether this process computes most of the time, so that each wait of others takes as long as what it computes at a time. */
export const busyness = (): () => boolean => {
  let last = performance.eventLoopUtilization()
  let seenAt = performance.now()
  let busyUntil = -Infinity
  return () => {
    const now = performance.now()
    if (now - seenAt > 200) {
      if (performance.eventLoopUtilization(last).utilization > busyFrom) busyUntil = now + busyFor
      last = performance.eventLoopUtilization()
      seenAt = now
    }
    return now < busyUntil
  }
}

/**
 * The places at the node. Where this process is busy, a quarter of a caller's are used: answers of a node may be large, and whatever else waits does so
 * behind each of them.
 */
export const ofNode = (
  callerOf: (header: string | undefined) => { readonly name: string } | undefined,
  places: number,
  isBusy: () => boolean
) => {
  const [all, few] = [make(callerOf, places), make(callerOf, Math.max(1, Math.floor(places / 4)))]
  return <A, E, R>(effect: Effect.Effect<A, E, R>) => all(Effect.suspend(() => isBusy() ? few(effect) : effect))
}

/** Whether a page takes long to read and to write: it has many items, or is searched for many accounts. */
const isLarge = ({ url }: HttpServerRequest.HttpServerRequest): boolean =>
  Number(/[?&]size=(\d+)/.exec(url)?.[1] ?? 0) > 100 || /[?&]presets=/.test(url)

/**
 * The places of pages: half of a caller's are for large ones, so that these keep no small ones waiting, whoever asks for them where all are one
 * caller. Where this process is busy, one large page of a caller is read at a time: the blocks that are stored meanwhile are not kept waiting either.
 */
export const ofPages = (
  callerOf: (header: string | undefined) => { readonly name: string } | undefined,
  places: number,
  isBusy: () => boolean
) => {
  const half = Math.max(1, Math.floor(places / 2))
  const [large, small, single] = [make(callerOf, half), make(callerOf, places - half), make(callerOf, 1)]
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | HttpServerRequest.HttpServerRequest> =>
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request) => isLarge(request) ? large(Effect.suspend(() => isBusy() ? single(effect) : effect)) : small(effect)
    )
}
