/**
 * Fills a chain with generated transfers and reports how far it is.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { Chain, SendFailure } from "../Chain.js"
import * as Generator from "../Generator.js"
import * as Progress from "./Progress.js"

/** Fewer accounts for few transfers: preparing an account makes three of them. */
const accountsFor = (transfers: number): number => Math.max(2, Math.min(100, Math.floor((transfers - 3) / 3)))

/**
 * The fewest transfers that can be asked for: two accounts and three contracts make that many.
 *
 * @category constants
 */
export const least = 9

/**
 * Adds exactly `transfers` transfers. Watches the blocks of the chain for the report, which `output` gets.
 *
 * @category operations
 */
export const fill = (
  chain: Chain,
  options: { readonly seed: string; readonly transfers: number; readonly output: Progress.Output }
): Effect.Effect<Generator.Generated, SendFailure> =>
  Effect.gen(function*() {
    const { number } = yield* chain.head
    const counted = yield* Ref.make({ block: number, transfers: 0 })
    const progress = Progress.begin(options.output, "transfers generated", options.transfers)
    const look = Effect.gen(function*() {
      const head = yield* chain.head
      let { block, transfers } = yield* Ref.get(counted)
      while (block < head.number) {
        const next = yield* Effect.flatten(chain.block(++block))
        transfers += next.transferCount
      }
      yield* Ref.set(counted, { block, transfers })
      progress.at(transfers)
    })
    const watch = Effect.forever(Effect.zipRight(Effect.sleep("200 millis"), Effect.ignore(look)))
    const generated = yield* Effect.raceFirst(
      Generator.generate(chain, {
        seed: options.seed,
        transfers: options.transfers,
        accounts: accountsFor(options.transfers)
      }),
      watch
    )
    progress.at(generated.transfers)
    progress.end()
    return generated
  })
