import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import { BelievedHeight, isMissingBlock } from "@effect-klaytn/core/SeenBlocks"
import { type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { SourceBlock } from "../../BlockSource.js"
import { NodeFault } from "../../IndexError.js"
import type { Viewer } from "../../Viewer.js"
import { type BlockAnswers, type Check, contradiction } from "./blockChecks.js"
import { bundling } from "./bundles.js"
import * as forms from "./forms.js"
import type { NodeTraces } from "./NodeTraces.js"
import { type Ask, askOne, type Call, type Failure, lacksMethod, stateDepth } from "./requests.js"
import * as stateView from "./stateView.js"
import { transfersIn } from "./traceForm.js"

const namespaces = ["kaia", "klay", "eth"] as const

type Namespace = (typeof namespaces)[number]

/** The first namespace that the node has. */
export const findNamespace = (ask: Ask, wanted: Namespace | undefined): Effect.Effect<Namespace, Failure> =>
  Effect.gen(function*() {
    const candidates = wanted === undefined ? namespaces : [wanted]
    const answers = yield* ask(candidates.map((one) => ({ method: `${one}_blockNumber`, params: [] })))
    const found = candidates[answers.findIndex(Either.isRight)]
    if (found !== undefined) return found
    return yield* answers.find(Either.isLeft)?.left ??
      new NodeFault({ method: "klay_blockNumber", problem: "the node did not answer" })
  })

/** A node has no such block. Kaia answers with an error, Ethereum's nodes with null. */
const present = (answer: Either.Either<unknown, NodeFault>): Either.Either<unknown, NodeFault> =>
  Either.orElse(answer, (fault) => isMissingBlock({ message: fault.problem }) ? Either.right(null) : Either.left(fault))

/** The fault of a node that answered about another block. */
const another = (method: string, height: number, { number }: Pick<forms.BlockForm, "number">): NodeFault =>
  new NodeFault({ method, problem: `it was called for block ${height} and returned block ${number}` })

type Parent = NonNullable<BlockAnswers["before"]>

/** A block of a higher number would be thousands of years away. */
const highestPossible = 2 ** 38

/** Blocks whose answers fit together, and what is wrong with the block behind them. */
interface Checked {
  readonly blocks: ReadonlyArray<SourceBlock<Failure>>
  readonly fault: NodeFault | undefined
}

/** The blocks that a node has now. */
export class NodeBlocks {
  /** How high the node is. */
  readonly #height = new BelievedHeight()
  #hasBlockReceipts = true
  /** The last block that was read. */
  #last: BlockAnswers["before"]
  readonly #questions

  /** Without `traces`, transactions are not traced. */
  constructor(
    private readonly ask: Ask,
    private readonly namespace: Namespace,
    private readonly retry: RetryPolicy.RetryPolicy,
    private readonly traces?: NodeTraces
  ) {
    this.#questions = stateView.collector(bundling(ask))
  }

  /** The chain that the node is on, its height, and the hash of its block at a height. */
  place(
    height?: number
  ): Effect.Effect<{ readonly chainId: number; readonly head: number; readonly hash: Hex | undefined }, Failure> {
    return Effect.gen(this, function*() {
      // The chain's own namespaces spell it chainID.
      const calls = [{ method: "eth_chainId", params: [] }, this.#call("blockNumber")] as const
      const wanted = height === undefined ? [] : [this.#header(height)]
      const [chain, newest, ...headers] = yield* this.ask([...calls, ...wanted])
      const quantity = (answer: typeof chain, { method }: Call) =>
        Effect.flatMap(answer ?? Either.right(null), (found) => Either.map(forms.readQuantity(method, found), Number))
      const chainId = yield* quantity(chain, calls[0])
      const head = yield* this.#see(calls[1].method, yield* quantity(newest, calls[1]))
      const [header = Either.right(null)] = headers
      return { chainId, head, hash: (yield* this.#headerIn(height ?? 0, header))?.hash }
    })
  }

  get head(): Effect.Effect<number, Failure> {
    const call = this.#call("blockNumber")
    return Effect.flatMap(askOne(this.ask, call), (found) =>
      Either.flatMap(
        forms.readQuantity(call.method, found),
        (height) => this.#see(call.method, Number(height))
      ))
  }

  /** The hash of the block at a height; none above the newest one. */
  hash(height: number): Effect.Effect<Hex | undefined, Failure> {
    return Effect.gen(this, function*() {
      const [header = Either.right(null)] = yield* this.ask([this.#header(height)])
      return (yield* this.#headerIn(height, header))?.hash
    })
  }

  /** The header of a height in an answer, if there is such a block. */
  #headerIn(height: number, answer: Either.Either<unknown, NodeFault>): Either.Either<Parent | undefined, NodeFault> {
    return Either.flatMap(present(answer), (found): Either.Either<Parent | undefined, NodeFault> => {
      if (found === null) return Either.right(undefined)
      const method = this.#name("getBlockByNumber")
      return Either.flatMap(
        forms.readHeader(method, found),
        (header) =>
          Number(header.number) === height ? Either.right(header) : Either.left(another(method, height, header))
      )
    })
  }

  /** The first block at or after a Unix second; none if the newest one is older. */
  heightAt(unixSeconds: number): Effect.Effect<number | undefined, Failure> {
    return Effect.gen(this, function*() {
      const newest = (yield* this.head) + 1
      let [low, high] = [0, newest]
      while (low < high) {
        const middle = Math.floor((low + high) / 2)
        const call = this.#header(middle)
        const header = yield* this.#headerIn(middle, Either.right(yield* askOne(this.ask, call)))
        if (header === undefined) return yield* new NodeFault({ ...call, problem: `it has no block ${middle}` })
        if (header.timestamp >= unixSeconds) high = middle
        else low = middle + 1
      }
      return low === newest ? undefined : low
    })
  }

  /**
   * The blocks of a range, as far as the node has them. From the first one on that contradicts itself or lacks something, they are
   * asked for again.
   */
  range(from: number, count: number): Effect.Effect<ReadonlyArray<SourceBlock<Failure>>, Failure> {
    return Effect.gen(this, function*() {
      const found: Array<SourceBlock<Failure>> = []
      for (let made = 1;;) {
        const { blocks, fault } = yield* this.#checked(from + found.length, count - found.length)
        found.push(...blocks)
        if (fault === undefined) return found
        if (blocks.length > 0) made = 1
        if (made >= this.retry.attempts) return yield* fault
        yield* Effect.sleep(yield* RetryPolicy.delay(this.retry, made++))
      }
    })
  }

  /** The blocks before the first one that is wrong, and what is wrong with that. */
  #checked(from: number, count: number): Effect.Effect<Checked, Failure> {
    return Effect.gen(this, function*() {
      const blocks = yield* this.#blocks(from, count)
      const filled = blocks.filter(({ transactions }) => transactions.length > 0)
      const receipts = yield* this.#receipts(filled)
      const traces = yield* this.traces?.of(filled) ?? Effect.succeed([])
      const found: Array<SourceBlock<Failure>> = []
      let [before, place] = [this.#last?.hash === blocks[0]?.parentHash ? this.#last : undefined, 0]
      for (const block of blocks) {
        const at = block.transactions.length > 0 ? place++ : filled.length
        const answers = { block, before, receipts: receipts[at] ?? [], traces: traces[at] }
        const wrong = contradiction(answers)
        if (wrong !== undefined) {
          // The block before it may be the one that is wrong.
          if (wrong.about === "block" && found.pop() === undefined) yield* this.#readLast(from - 1)
          return { blocks: found, fault: this.#fault(wrong.about, block, wrong.problem) }
        }
        const one = this.#sourceBlock(answers)
        if (Either.isLeft(one)) return { blocks: found, fault: one.left }
        found.push(one.right)
        before = block
      }
      if (before !== undefined) this.#last = { hash: before.hash, timestamp: before.timestamp }
      return { blocks: found, fault: undefined }
    })
  }

  /** Reads a block anew, with which the next one is compared. */
  #readLast(height: number): Effect.Effect<void, Failure> {
    return Effect.gen(this, function*() {
      const [header = Either.right(null)] = yield* this.ask([this.#header(height)])
      this.#last = yield* this.#headerIn(height, header)
    })
  }

  #fault(about: Check["about"], { number }: forms.BlockForm, problem: string): NodeFault {
    const method = about === "traces" && this.traces
      ? this.traces.method
      : this.#name(about === "receipts" ? "getBlockReceipts" : "getBlockByNumber")
    return new NodeFault({ method, problem: `block ${number}: ${problem}` })
  }

  /** Blocks that the node may have: none is asked for above its height. */
  #blocks(from: number, count: number): Effect.Effect<ReadonlyArray<forms.BlockForm>, Failure> {
    return Effect.gen(this, function*() {
      const { value: known } = this.#height
      // One answer is enough to ask for a block.
      const highest = from > known || known === 0 ? yield* this.head : known
      if (from > highest) return []
      // How high the node is decides which state it still has.
      const height = this.#call("blockNumber")
      const calls = Array.from(
        { length: Math.min(count, highest + 1 - from) },
        (_, index) => this.#call("getBlockByNumber", quantity(from + index), true)
      )
      const blocks: Array<forms.BlockForm> = []
      const [newest, ...answers] = yield* this.ask([height, ...calls])
      const seen = yield* forms.readQuantity(height.method, yield* newest ?? Either.right(null))
      yield* this.#see(height.method, Number(seen))
      for (const [index, answer] of answers.entries()) {
        const found = yield* present(answer)
        if (found === null) break
        const method = this.#name("getBlockByNumber")
        const block = yield* forms.readBlock(method, found)
        if (Number(block.number) !== from + index) return yield* another(method, from + index, block)
        blocks.push(block)
      }
      return blocks
    })
  }

  /** The receipts of each block: those of a block in one call, or one by one from a node that has no such method. */
  #receipts(
    blocks: ReadonlyArray<forms.BlockForm>
  ): Effect.Effect<ReadonlyArray<ReadonlyArray<forms.ReceiptForm>>, Failure> {
    return Effect.gen(this, function*() {
      if (this.#hasBlockReceipts) {
        const answers = yield* this.ask(blocks.map(({ hash }) => this.#call("getBlockReceipts", hash)))
        if (!answers.some(lacksMethod)) {
          return yield* forms.readAll(answers, this.#name("getBlockReceipts"), forms.readReceipts)
        }
        this.#hasBlockReceipts = false
      }
      const hashes = blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash))
      const answers = yield* this.ask(hashes.map((hash) => this.#call("getTransactionReceipt", hash)))
      const receipts = yield* forms.readAll(answers, this.#name("getTransactionReceipt"), forms.readReceipt)
      let at = 0
      return blocks.map(({ transactions }) => receipts.slice(at, at += transactions.length))
    })
  }

  /** The state at the end of a block, or of the oldest one whose state the node is relied on to have. */
  stateAt(height: number): Viewer<Failure> {
    return stateView.make(this.#questions, this.namespace, () => {
      const oldest = this.#height.value - stateDepth
      return { block: quantity(Math.max(height, oldest)), isLater: height < oldest }
    })
  }

  #sourceBlock({ block, receipts, traces }: BlockAnswers): Either.Either<SourceBlock<Failure>, NodeFault> {
    const state = () => {
      const oldest = this.#height.value - stateDepth
      const isLater = Number(block.number) < oldest
      return { block: isLater ? quantity(oldest) : block.hash, isLater }
    }
    const mined = Either.all(
      Arr.zip(block.transactions, receipts).map(([transaction, receipt], index) => {
        const trace = traces?.[index]
        return Either.mapLeft(
          forms.minedOf(block, transaction, receipt, trace && transfersIn(trace.result)),
          (problem) => `transaction ${index} ${problem}`
        )
      })
    )
    return Either.mapBoth(mined, {
      onLeft: (problem) => this.#fault("receipts", block, problem),
      onRight: (transactions) => ({
        header: forms.headerOf(block),
        transactions,
        viewer: stateView.make(this.#questions, this.namespace, state),
        newest: this.#height.value
      })
    })
  }

  /** Notes how high the node is, unless no chain can be so high. */
  #see(method: string, height: number): Either.Either<number, NodeFault> {
    if (height > highestPossible) {
      return Either.left(new NodeFault({ method, problem: `no chain has ${height} blocks` }))
    }
    this.#height.see(height)
    return Either.right(height)
  }

  #name(method: string): string {
    return `${this.namespace}_${method}`
  }

  #call(method: string, ...params: ReadonlyArray<unknown>): Call {
    return { method: this.#name(method), params }
  }

  #header(height: number): Call {
    return this.#call("getBlockByNumber", quantity(height), false)
  }
}
