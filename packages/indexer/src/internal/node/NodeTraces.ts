import * as Effect from "effect/Effect"
import { type BlockForm, readAll } from "./forms.js"
import { type Ask, type Failure, lacksMethod } from "./requests.js"
import { type BlockTrace, readTrace, readTraces } from "./traceForm.js"

const ofBlock = "debug_traceBlockByHash"
const ofTransaction = "debug_traceTransaction"

const tracer = { tracer: "callTracer" }

/** Asks a node to trace the transactions of blocks: those of a block in one call, or one by one if it has no such method. */
export class NodeTraces {
  #hasBlockTraces = true

  constructor(private readonly ask: Ask) {}

  /** The method that is asked. */
  get method(): string {
    return this.#hasBlockTraces ? ofBlock : ofTransaction
  }

  /** The traces of the transactions of each block. */
  of(blocks: ReadonlyArray<BlockForm>): Effect.Effect<ReadonlyArray<ReadonlyArray<BlockTrace>>, Failure> {
    return Effect.gen(this, function*() {
      if (this.#hasBlockTraces) {
        const answers = yield* this.ask(blocks.map(({ hash }) => ({ method: ofBlock, params: [hash, tracer] })))
        if (!answers.some(lacksMethod)) return yield* readAll(answers, ofBlock, readTraces)
        this.#hasBlockTraces = false
      }
      const hashes = blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash))
      const answers = yield* this.ask(hashes.map((hash) => ({ method: ofTransaction, params: [hash, tracer] })))
      const traces = yield* readAll(answers, ofTransaction, readTrace)
      let at = 0
      return blocks.map(({ transactions }) =>
        traces.slice(at, at += transactions.length).map((result) => result === null ? {} : { result })
      )
    })
  }
}
