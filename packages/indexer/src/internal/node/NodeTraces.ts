import type { InternalTransfer } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { NodeFault } from "../../IndexError.js"
import { type BlockForm, readAll, type Traces } from "./forms.js"
import { type Ask, type Failure, lacksMethod } from "./requests.js"
import { type BlockTrace, readTrace, readTraces, transfersIn } from "./traceForm.js"

const ofBlock = "debug_traceBlockByHash"
const ofTransaction = "debug_traceTransaction"

const tracer = { tracer: "callTracer" }

/** Asks a node to trace the transactions of blocks: those of a block in one call, or one by one if it has no such method. */
export class NodeTraces {
  #hasBlockTraces = true

  constructor(private readonly ask: Ask) {}

  /** The traces of all transactions of some blocks. */
  of(blocks: ReadonlyArray<BlockForm>): Effect.Effect<Traces, Failure> {
    return Effect.gen(this, function*() {
      if (this.#hasBlockTraces) {
        const answers = yield* this.ask(blocks.map(({ hash }) => ({ method: ofBlock, params: [hash, tracer] })))
        if (!answers.some(lacksMethod)) {
          const traces = yield* readAll(answers, ofBlock, readTraces)
          return new Map((yield* Either.all(Arr.zipWith(blocks, traces, tracesOf))).flat())
        }
        this.#hasBlockTraces = false
      }
      const hashes = blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash))
      const answers = yield* this.ask(hashes.map((hash) => ({ method: ofTransaction, params: [hash, tracer] })))
      const traces = yield* readAll(answers, ofTransaction, readTrace)
      return new Map(Arr.zip(hashes, traces.map(transfersIn)))
    })
  }
}

/** The traces of a block, or why they are not those of its transactions. */
const tracesOf = (
  { number, transactions }: BlockForm,
  traces: ReadonlyArray<BlockTrace>
): Either.Either<ReadonlyArray<readonly [Hex, ReadonlyArray<InternalTransfer>]>, NodeFault> => {
  const fault = (problem: string) =>
    Either.left(new NodeFault({ method: ofBlock, problem: `block ${number}: ${problem}` }))
  if (traces.length !== transactions.length) {
    return fault(`${traces.length} traces for ${transactions.length} transactions`)
  }
  const found: Array<readonly [Hex, ReadonlyArray<InternalTransfer>]> = []
  for (const [index, { hash }] of transactions.entries()) {
    const { error, result, txHash } = traces[index] ?? {}
    if (txHash && txHash !== hash) return fault(`trace ${index} belongs to another transaction`)
    if (!result) return fault(`transaction ${index} was not traced: ${error ?? "no reason was given"}`)
    found.push([hash, transfersIn(result)])
  }
  return Either.right(found)
}
