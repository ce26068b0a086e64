/** Counts of the chain drill. Everything in `bad` must be zero. */
export interface ChainCounts {
  transactions: number
  refused: number
  executed: number
  failed: number
  dropped: number
  blocks: number
  calls: number
  contracts: number
  /** Requests over `/rpc`, by method. */
  readonly sent: Record<string, number>
  readonly programs: Record<string, number>
  readonly refusals: Record<string, number>
  readonly txErrors: Record<string, number>
  /** Longest time that the event loop was blocked, in milliseconds. */
  longestPause: number
  /** Longest time that a block took, in milliseconds. */
  longestBlock: number
  /** Largest resident set size, MiB. */
  memory: number
}

/** A fault. */
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
  sent: {},
  programs: {},
  refusals: {},
  txErrors: {},
  longestPause: 0,
  longestBlock: 0,
  memory: 0
})

/** Increments a count. */
export const tally = (of: Record<string, number>, name: string): void => {
  of[name] = (of[name] ?? 0) + 1
}
