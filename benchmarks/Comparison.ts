/** Two ways to do the same work, measured in turns, and one line of JSON about it. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

export interface Comparison<E, R> {
  readonly figure: string
  /** How much work one turn is, in what the figure counts. */
  readonly amount: number
  readonly runs: number
  /** Each gives the amount of work it did, which has to be the one above. */
  readonly sdk: Effect.Effect<number, E, R>
  readonly fetch: () => Promise<number>
}

/** A side did not do the work that it was measured for. */
export class WrongAmount extends Data.TaggedError("WrongAmount")<{ readonly message: string }> {}

interface Turn {
  readonly milliseconds: number
  /** Processor time of this process: what other programs on the machine hardly change. */
  readonly cpu: number
}

const warmUps = 3

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits))

const turn = <E, R>(what: string, amount: number, work: Effect.Effect<number, E, R>) =>
  Effect.gen(function*() {
    const cpu = process.cpuUsage()
    const since = performance.now()
    const done = yield* work
    const milliseconds = performance.now() - since
    const { system, user } = process.cpuUsage(cpu)
    if (done !== amount) return yield* new WrongAmount({ message: `${what}: did ${done}, expected ${amount}` })
    return { milliseconds, cpu: (system + user) / 1000 } satisfies Turn
  })

export const compare = <E, R>(comparison: Comparison<E, R>): Effect.Effect<void, E | WrongAmount, R> =>
  Effect.gen(function*() {
    const { amount, figure, runs } = comparison
    const ours = turn(`${figure}, SDK`, amount, comparison.sdk)
    const theirs = turn(`${figure}, fetch`, amount, Effect.promise(comparison.fetch))
    for (let i = 0; i < warmUps; i++) yield* Effect.zip(theirs, ours)
    const pairs: Array<readonly [sdk: Turn, fetch: Turn]> = []
    for (let i = 0; i < runs; i++) {
      // Who comes first changes, so that neither always has the warmer machine.
      const first = i % 2 === 0
      const [a, b] = yield* first ? Effect.zip(ours, theirs) : Effect.zip(theirs, ours)
      pairs.push(first ? [a, b] : [b, a])
    }
    const ratios = pairs.map(([sdk, fetch]) => sdk.milliseconds / fetch.milliseconds)
    const perSecond = (turns: ReadonlyArray<Turn>) =>
      Math.round(amount / (median(turns.map((one) => one.milliseconds)) / 1000))
    const line = {
      figure,
      amount,
      runs,
      sdkPerSecond: perSecond(pairs.map(([sdk]) => sdk)),
      fetchPerSecond: perSecond(pairs.map(([, fetch]) => fetch)),
      timeRatio: rounded(median(ratios)),
      lowest: rounded(Math.min(...ratios)),
      highest: rounded(Math.max(...ratios)),
      cpuRatio: rounded(median(pairs.map(([sdk, fetch]) => sdk.cpu / fetch.cpu)))
    }
    yield* Effect.sync(() => process.stdout.write(`${JSON.stringify(line)}\n`))
  })
