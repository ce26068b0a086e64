/** Checks that the chain drill notices planted faults, one at a time. */
import * as Effect from "effect/Effect"
import { OwnershipFold } from "../../packages/indexer/src/internal/OwnershipFold.js"
import { BlockStore } from "../../packages/indexer/src/internal/sqlite/BlockStore.js"
import { JournalState } from "../../packages/local-chain/src/internal/JournalState.js"
import { Pool } from "../../packages/local-chain/src/internal/Pool.js"
import { StateStore } from "../../packages/sandbox/src/internal/store/StateStore.js"
import type { ChainWrong } from "./chainCounts.js"
import { chainRuns } from "./chainRuns.js"
import { withMethod } from "./withMethod.js"

type Changes = Parameters<StateStore["write"]>[1]
const withoutFirst = (changes: Changes): Changes => changes.slice(1)
const withoutLast = (changes: Changes): Changes => changes.slice(0, -1)

const seen = (seed: string) =>
  Effect.map(
    chainRuns({ transactions: 24, seed, maxGas: 100_000, modes: ["manual"] }),
    ({ wrong }) => wrong.map(({ kind }) => kind)
  )

/** The planted faults that the drill did not notice. */
export const unnoticed = (seed: string): Effect.Effect<ReadonlyArray<ChainWrong["kind"]>> => {
  let count = 0
  let turns = 0
  const every = (times: number): boolean => ++count % times === 0
  const faults: ReadonlyArray<
    readonly [kind: ChainWrong["kind"], found: Effect.Effect<ReadonlyArray<ChainWrong["kind"]>>]
  > = [
    // KLAY out of nowhere.
    [
      "balances",
      withMethod(
        JournalState.prototype,
        "update",
        (update) =>
          function(this: JournalState, address, { balance, ...fields }) {
            const added = balance !== undefined && every(40) ? 1n : 0n
            update.call(this, address, { ...fields, ...(balance !== undefined && { balance: balance + added }) })
          },
        seen(seed)
      )
    ],
    // The database lacks the first or the last thing that a block changed.
    ...[withoutFirst, withoutLast].map((without) =>
      [
        "state",
        withMethod(StateStore.prototype, "write", (write) =>
          function(this: StateStore, block, changes, codes) {
            write.call(this, block, without(changes), codes)
          }, seen(seed))
      ] as const
    ),
    // A transaction vanishes from the pool.
    [
      "lost",
      withMethod(Pool.prototype, "ready", (ready) =>
        function(this: Pool, ...args) {
          const [first] = this.all()
          // Not during the drill's own preparation.
          if (first !== undefined && ++turns > 10) this.remove(first)
          return ready.apply(this, args)
        }, seen(seed))
    ],
    // Blocks can't be stored any more.
    [
      "stuck",
      withMethod(BlockStore.prototype, "apply", (apply) =>
        function(this: BlockStore, executed) {
          if (executed.blocks.some(({ number }) => number > 10)) throw new Error("the disk is full")
          return apply.call(this, executed)
        }, seen(seed))
    ],
    // Token transfers are not followed and the contract is not asked.
    [
      "index",
      withMethod(
        OwnershipFold.prototype,
        "settle",
        () => () => undefined,
        withMethod(OwnershipFold.prototype, "apply", (apply) =>
          function(this: OwnershipFold, id, transfer) {
            if (transfer.kind === "coin" || !every(3)) apply.call(this, id, transfer)
          }, seen(seed))
      )
    ]
  ]
  return Effect.map(
    Effect.forEach(faults, ([kind, found]) => Effect.map(found, (kinds) => kinds.includes(kind) ? [] : [kind])),
    (missed) => missed.flat()
  )
}
