/**
 * A tail whose time passes as fast as it looks: the service is a function of the time, and each pause between two looks is a
 * minute of a clock of its own. What a look costs is measured: time of the processor, which other programs don't change, requests, memory,
 * and what is stored.
 */
import * as Testing from "@effect-klaytn/core/Testing"
import * as Range from "@effect-klaytn/history/Range"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Exports from "../../packages/exports/src/Exports.js"
import * as Plan from "../../packages/exports/src/Plan.js"
import type { Sink } from "../../packages/exports/src/Sink.js"
import { addressOf } from "./records.js"

/** The second at which the tail begins. */
export const began = 1_700_000_000

const hex = (value: number, digits: number): string => `0x${value.toString(16).padStart(digits, "0")}`

/** An account with an odd number is quiet; the others get a coin every so many seconds: the first of them in the shortest time. */
const interval = (account: number, shortest: number): number => account % 2 === 1 ? 0 : shortest * (1 + account)

const coin = (account: number, second: number) => ({
  transferType: "klay",
  from: hex(0xb0b, 40),
  to: addressOf(account),
  value: "0x1",
  fee: "0x1",
  feePayer: "",
  feeRatio: 0,
  status: 1,
  transactionHash: hex(account * 2 ** 40 + second, 64),
  transactionIndex: 0,
  blockNumber: second - began + 1,
  typeInt: 8,
  timestamp: second
})

/** How many coins an account got in a period, with one every so many seconds. */
const countOf = (every: number, from: number, to: number): number => {
  return every === 0 ? 0 : Math.max(0, Math.floor(to / every) - Math.ceil(from / every) + 1)
}

/** The answer to a search: at most a page. */
const answer = (url: URL, shortest: number): unknown => {
  const account = Number(BigInt(`0x${url.pathname.slice(-8)}`) - 0xa000_0000n)
  const [from = 0, end = Number.MAX_SAFE_INTEGER] = (url.searchParams.get("range") ?? "").split(",").map((one) =>
    one === "" ? Number.MAX_SAFE_INTEGER : Number(one)
  )
  const every = interval(account, shortest)
  if (every === 0 || end === Number.MAX_SAFE_INTEGER) return { items: [], cursor: "" }
  const size = Number(url.searchParams.get("size"))
  const items: Array<unknown> = []
  let at = Number(url.searchParams.get("cursor") ?? "") || Math.floor(end / every) * every
  for (; at >= from && items.length < size; at -= every) items.push(coin(account, at))
  return { items, cursor: at >= from ? String(at) : "" }
}

/** A clock that a pause of a minute moves on at once; other pauses take their time. */
const makeClock = () => {
  const real = Clock.make()
  let now = (began + 3600) * 1000
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    sleep: (duration) =>
      Duration.toMillis(duration) === 60_000
        ? Effect.zipRight(Effect.sync(() => void (now += 60_000)), Effect.yieldNow())
        : real.sleep(duration),
    currentTimeMillis: Effect.sync(() => now),
    unsafeCurrentTimeMillis: () => now,
    currentTimeNanos: real.currentTimeNanos,
    unsafeCurrentTimeNanos: () => real.unsafeCurrentTimeNanos()
  }
  return {
    clock,
    now: () => Math.floor(now / 1000),
    skip: (seconds: number) => {
      now += seconds * 1000
    }
  }
}

/** Some looks one after the other. */
export interface Stretch {
  /** How many days the tail had run before. */
  readonly days: number
  /** The time of the processor for a look, of this process with all its threads: the median. */
  readonly millis: number
  readonly requests: number
  /** The heap after the looks, once what is not used any more was collected. */
  readonly heapMiB: number
  readonly windows: number
}

export interface Options {
  readonly sink: Sink
  readonly accounts: number
  /** How many seconds pass between two transfers of the account that has the most. */
  readonly shortest: number
  /** Looks of each stretch, and the days that pass between two stretches. */
  readonly stretches: ReadonlyArray<{ readonly looks: number; readonly days: number }>
  readonly collect: () => void
}

/** The time of the processor that this process has taken, in milliseconds. */
const processorMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

const median = (all: ReadonlyArray<number>): number => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0

/** What a look costs in the middle of some stretches. */
export const middle = (stretches: ReadonlyArray<Stretch>) => ({
  millis: median(stretches.map(({ millis }) => millis)),
  heapMiB: median(stretches.map(({ heapMiB }) => heapMiB)),
  requests: median(stretches.map(({ requests }) => requests))
})

/** Runs a tail in stretches, and measures each. Each begins with a look of its own, which is not measured: it reads what was skipped. */
export const run = ({ accounts, collect, shortest, sink, stretches }: Options) =>
  Effect.gen(function*() {
    const { clock, now, skip } = makeClock()
    let requests = 0
    const wire = Testing.wire((sent) =>
      Effect.sync(() => {
        requests++
        return Response.json(answer(new URL(sent.url), shortest))
      })
    )
    const history = TransferHistory.layer().pipe(Layer.provide(Testing.layer(wire)))
    const measured: Array<Stretch> = []
    const looking = Effect.gen(function*() {
      const range = yield* Range.time({ from: began })
      const addresses = Array.from({ length: accounts }, (_, account) => addressOf(account))
      const plan = yield* Plan.make({ accounts: addresses, range, windows: 1 })
      for (const { days, looks } of stretches) {
        const millis: Array<number> = []
        let windows = 0
        let last = 0
        let before = 0
        yield* Exports.tail({ plan, sink }).pipe(
          Stream.filterMap((event) => {
            if (event._tag !== "Finished") return Option.none()
            windows = event.manifest.windows.length
            return Option.some(processorMillis())
          }),
          Stream.tap((at) =>
            Effect.sync(() => {
              if (last === 0) before = requests
              else millis.push(at - last)
              last = at
            })
          ),
          Stream.take(looks + 1),
          Stream.runDrain
        )
        collect()
        measured.push({
          days: Math.round((now() - began) / 86_400),
          millis: median(millis),
          requests: (requests - before) / looks,
          heapMiB: process.memoryUsage().heapUsed / 2 ** 20,
          windows
        })
        skip(days * 86_400)
      }
      // The look that was under way.
      yield* Exports.run({ sink })
    })
    yield* looking.pipe(Effect.provide(history), Effect.withClock(clock))
    const to = (yield* Exports.manifest(sink)).to
    const expected = Array.from({ length: accounts }, (_, account) => countOf(interval(account, shortest), began, to))
    return { stretches: measured, rows: expected.reduce((sum, one) => sum + one, 0) }
  })
