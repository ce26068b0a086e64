/** Measures several ways of doing the same work in turns and prints one line of JSON. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** One way to do the work. Returns how much work it did. */
export type Side = Effect.Effect<number, unknown>

export interface Comparison {
  readonly figure: string
  /** Work in one turn, in the figure's unit. */
  readonly amount: number
  readonly runs: number
  readonly sdk: Side
  /** The peers, by name. */
  readonly peers: { readonly [name: string]: Side }
  /** In how many more turns of each side the heap is measured; none by default. */
  readonly heapRuns?: number
}

/** A side did not do the expected work. */
class WrongAmount extends Data.TaggedError("WrongAmount")<{ readonly message: string }> {}

interface Turn {
  readonly milliseconds: number
  /** CPU time of this process, which other programs hardly affect. */
  readonly cpu: number
}

const isQuick = process.argv.includes("--quick")

const warmUps = isQuick ? 1 : 3

/** How often a figure is measured: less with `--quick`, which shows that everything works. */
export const runsOf = (runs: number): number => isQuick ? 3 : runs

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits))

const turn = (what: string, amount: number, work: Side): Effect.Effect<Turn, unknown> =>
  Effect.gen(function*() {
    const cpu = process.cpuUsage()
    const since = performance.now()
    const done = yield* work
    const milliseconds = performance.now() - since
    const { system, user } = process.cpuUsage(cpu)
    if (done !== amount) return yield* new WrongAmount({ message: `${what}: did ${done}, expected ${amount}` })
    return { milliseconds, cpu: (system + user) / 1000 } satisfies Turn
  })

setFlagsFromString("--expose-gc")
// The flag makes the function, and only for contexts made after it.
const collectGarbage: () => void = runInNewContext("gc")

const megabytes = (): number => process.memoryUsage().heapUsed / 2 ** 20

/** The most that the heap grew during a turn, in megabytes, as seen in each turn of the event loop. */
const heapPeak = (work: Side): Effect.Effect<number, unknown> =>
  Effect.suspend(() => {
    collectGarbage()
    const before = megabytes()
    let peak = 0
    let timer: NodeJS.Immediate | undefined
    const sample = (): void => {
      peak = Math.max(peak, megabytes() - before)
      timer = setImmediate(sample)
    }
    sample()
    return work.pipe(
      Effect.map(() => Math.max(peak, megabytes() - before)),
      Effect.ensuring(Effect.sync(() => clearImmediate(timer)))
    )
  })

/** The medians of some turns of each side. */
const heapPeaks = (
  sides: ReadonlyArray<readonly [name: string, work: Side]>,
  runs: number
): Effect.Effect<{ readonly [name: string]: number }, unknown> =>
  Effect.gen(function*() {
    const peaks = new Map<string, Array<number>>(sides.map(([name]) => [name, []]))
    for (let i = 0; i < runs; i++) {
      for (const [name, work] of sides) peaks.get(name)?.push(yield* heapPeak(work))
    }
    return Object.fromEntries([...peaks].map(([name, values]) => [name, median(values)]))
  })

/** One turn of each side. The order rotates, so that no side always runs on a warmer machine. */
const round = (
  sides: ReadonlyArray<readonly [name: string, side: Effect.Effect<Turn, unknown>]>,
  number: number
): Effect.Effect<Map<string, Turn>, unknown> =>
  Effect.gen(function*() {
    const turns = new Map<string, Turn>()
    for (let i = 0; i < sides.length; i++) {
      const side = sides[(i + number) % sides.length]
      if (side !== undefined) turns.set(side[0], yield* side[1])
    }
    return turns
  })

export const compare = (comparison: Comparison): Effect.Effect<void, unknown> =>
  Effect.gen(function*() {
    const { amount, figure, heapRuns = 0, peers, runs, sdk } = comparison
    const names = Object.keys(peers)
    const sides = Object.entries({ sdk, ...peers }).map(([name, side]) =>
      [name, turn(`${figure}, ${name}`, amount, side)] as const
    )
    for (let i = 0; i < warmUps; i++) yield* round(sides, i)
    const rounds = yield* Effect.forEach(Array.from({ length: runs }), (_, i) => round(sides, i))
    const peaks = yield* heapPeaks(Object.entries({ sdk, ...peers }), heapRuns)
    const of = (name: string, part: keyof Turn) => rounds.map((turns) => turns.get(name)?.[part] ?? Number.NaN)
    const ratios = (name: string, part: keyof Turn) => {
      const theirs = of(name, part)
      return of("sdk", part).map((ours, i) => ours / (theirs[i] ?? Number.NaN))
    }
    const line = {
      figure,
      amount,
      runs,
      perSecond: Object.fromEntries(
        sides.map(([name]) => [name, Math.round(amount / (median(of(name, "milliseconds")) / 1000))])
      ),
      timeRatio: Object.fromEntries(names.map((name) => {
        const times = ratios(name, "milliseconds")
        return [name, {
          median: rounded(median(times)),
          lowest: rounded(Math.min(...times)),
          highest: rounded(Math.max(...times))
        }]
      })),
      cpuRatio: Object.fromEntries(names.map((name) => [name, rounded(median(ratios(name, "cpu")))])),
      ...(heapRuns === 0 ? {} : {
        heapMegabytes: Object.fromEntries(Object.entries(peaks).map(([name, peak]) => [name, rounded(peak, 1)])),
        heapRatio: Object.fromEntries(
          names.map((name) => [name, rounded((peaks["sdk"] ?? Number.NaN) / (peaks[name] ?? Number.NaN))])
        )
      })
    }
    yield* Effect.sync(() => process.stdout.write(`${JSON.stringify(line)}\n`))
  })
