import { instructionCosts } from "./computationCosts.js"

/** Ends an execution from outside: it used up what the chain gives it, of computation or of time. */
export class Halted extends Error {
  constructor(readonly reason: "computation limit" | "time limit") {
    super(reason)
  }
}

const jumpDestination = 0x5b

/** Instructions after which the next one is not reached but by a jump: STOP, JUMP, RETURN, REVERT, INVALID and SELFDESTRUCT. */
const ends: ReadonlySet<number> = new Set([0x00, 0x56, 0xf3, 0xfd, 0xfe, 0xff])

const costs = Float64Array.from({ length: 256 }, (_, opcode) => Number(instructionCosts.get(opcode) ?? 0n))

const bytesOfPush = (opcode: number): number => opcode >= 0x60 && opcode <= 0x7f ? opcode - 0x5f : 0

/**
 * What the instructions from a place on can cost until the next place where a jump can arrive, by the places: the start of the
 * code, and the byte after each JUMPDEST, whose own cost counts there.
 */
export const stretchesOf = (code: Uint8Array): Float64Array => {
  const stretches = new Float64Array(code.length + 1)
  let start = 0
  let isReached = true
  for (let at = 0; at < code.length; at++) {
    const opcode = code[at] ?? 0
    if (opcode === jumpDestination) {
      start = at + 1
      isReached = true
    }
    if (isReached) stretches[start] = (stretches[start] ?? 0) + (costs[opcode] ?? 0)
    if (ends.has(opcode)) isReached = false
    at += bytesOfPush(opcode)
  }
  return stretches
}

/**
 * Bounds the computation cost of an execution from above, at the price of an addition per stretch of code. It never is less than what
 * the exact count comes to: that leaves out the rest of a stretch after a jump or a failure. An execution that stays below the limit
 * here need not be counted exactly.
 */
export class ComputationBound {
  /** What is left until the limit. */
  left = Number.POSITIVE_INFINITY
  readonly #known = new WeakMap<Uint8Array, Float64Array>()
  #code: Uint8Array | undefined
  #stretches: Float64Array = new Float64Array(1)

  /** Code runs on from a place where a jump arrives; `next` is the byte after it. */
  add(code: Uint8Array, next: number): void {
    if (code !== this.#code) this.#look(code)
    this.spend(this.#stretches[next] ?? 0)
  }

  /** Something costs this much. */
  spend(cost: number): void {
    this.left -= cost
    if (this.left < 0) throw new Halted("computation limit")
  }

  #look(code: Uint8Array): void {
    const known = this.#known.get(code) ?? stretchesOf(code)
    this.#known.set(code, known)
    this.#code = code
    this.#stretches = known
  }
}
