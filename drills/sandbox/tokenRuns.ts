/** The drill of tokens, for the command and for the test. */
import * as Effect from "effect/Effect"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import * as Sandbox from "../../packages/sandbox/src/Sandbox.js"
import { type Running, stories } from "./tokenStories.js"
import { differences, servedBy, toldBy, truthOf, type View } from "./tokenTruth.js"

/** Options of the drill. */
export interface Options {
  /** Random operations for each kind of contract. */
  readonly operations: number
  readonly seed: string
  /** The service is asked, too, after this many blocks. */
  readonly serviceEvery: number
  /** One in this many blocks begins a few that are reverted. */
  readonly revertEvery: number
  readonly onProgress?: (story: string, done: number) => void
}

/** Counts for one kind of contract. */
export interface StoryCounts {
  readonly operations: number
  /** Operations that succeeded on the chain. */
  readonly succeeded: number
  readonly blocks: number
  /** How often blocks were reverted. */
  readonly reverts: number
  /** Facts that were compared with the contract's answers. */
  readonly facts: number
  readonly differences: number
}

/** A fact that differs from the contract's answer. */
export interface Difference {
  readonly story: string
  readonly block: number
  readonly by: "chain" | "service"
  readonly fact: string
}

const perBlock = 10

/** A sandbox for the drill. */
export const sandbox = Sandbox.layer({ seed: "drill of tokens", clock: { start: 1_600_000_000, step: 1 } })

/** Runs all stories in turn on one chain. */
export const tokenRuns = ({ onProgress, operations, revertEvery, seed, serviceEvery }: Options) =>
  Effect.gen(function*() {
    const running = yield* Sandbox.Sandbox
    const chain = running.chains.chain(1001)
    const people = running.accounts
    const counts: Record<string, StoryCounts> = {}
    const wrong: Array<Difference> = []
    for (const { begin, name } of stories) {
      const random = new Random(`${seed} ${name}`)
      const story: Running = yield* begin(chain, people, operations)
      let [done, succeeded, blocks, reverts, facts] = [0, 0, 0, 0, 0]
      const before = wrong.length

      const compare = (withService: boolean) =>
        Effect.gen(function*() {
          const { number } = yield* chain.head
          const truth = yield* truthOf(chain, story)
          const told = yield* toldBy(chain, story)
          const judge = (by: Difference["by"], view: View): void => {
            facts += Object.values(view).flat().length
            for (const fact of differences(truth, view)) wrong.push({ story: name, block: number, by, fact })
          }
          judge("chain", told)
          if (withService) judge("service", yield* servedBy(running, story))
        })

      const block = (size: number) =>
        Effect.gen(function*() {
          const requests = Array.from({ length: size }, (_, index) => story.next(random, done + index))
          const { number } = yield* chain.sendBlock(requests)
          const results = yield* chain.transactionsOf(number)
          blocks++
          yield* compare(blocks % serviceEvery === 0)
          return results.filter(({ status }) => status === 1).length
        })

      while (done < operations) {
        if (blocks % revertEvery === revertEvery - 1) {
          const snapshot = yield* chain.snapshot
          for (let extra = random.between(1, 3); extra > 0; extra--) yield* block(perBlock)
          yield* chain.revert(snapshot)
          reverts++
          yield* compare(true)
        }
        const size = Math.min(perBlock, operations - done)
        succeeded += yield* block(size)
        done += size
        onProgress?.(name, done)
      }
      yield* compare(true)
      counts[name] = { operations: done, succeeded, blocks, reverts, facts, differences: wrong.length - before }
    }
    return { counts, wrong }
  })
