/** What a drill of the chain counts. Everything of `bad` has to be zero. */
export interface ChainCounts {
  transactions: number
  refused: number
  executed: number
  failed: number
  dropped: number
  blocks: number
  calls: number
  contracts: number
  readonly programs: Record<string, number>
  readonly refusals: Record<string, number>
  readonly txErrors: Record<string, number>
  /** Longest time that the event loop stood still, milliseconds. */
  longestPause: number
  /** Longest that a block took, milliseconds. */
  longestBlock: number
  /** Largest resident memory, MiB. */
  memory: number
}

/** Something that must not be. */
export interface ChainWrong {
  readonly mode: string
  readonly kind:
    | "lost"
    | "stuck"
    | "defect"
    | "balances"
    | "state"
    | "receipt"
    | "index"
    | "view"
    | "block"
  readonly what: string
}

export const emptyCounts = (): ChainCounts => ({
  transactions: 0,
  refused: 0,
  executed: 0,
  failed: 0,
  dropped: 0,
  blocks: 0,
  calls: 0,
  contracts: 0,
  programs: {},
  refusals: {},
  txErrors: {},
  longestPause: 0,
  longestBlock: 0,
  memory: 0
})

/** Counts one more of something. */
export const tally = (of: Record<string, number>, name: string): void => {
  of[name] = (of[name] ?? 0) + 1
}
