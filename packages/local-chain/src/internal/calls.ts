import type { Hardfork } from "@effect-klaytn/transaction/Hardfork"
import { bytesOf, fromBytes, type Hex, zeroAddress } from "@effect-klaytn/transaction/Hex"
import { floorGas, intrinsicGas, type Of } from "@effect-klaytn/transaction/Transaction"
import { Address, createContractAddress, hexToBytes } from "@ethereumjs/util"
import * as BigInteger from "effect/BigInt"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type {
  AccessList,
  AccountOverride,
  CallAccess,
  CallRequest,
  CallResult,
  GasEstimate,
  MeasuredCall
} from "../Call.js"
import { catchThrown, type ReadFailure, type StoreFailure } from "../ChainError.js"
import type { Trace, TraceOptions } from "../Trace.js"
import type { ChainState } from "./ChainState.js"
import type { ComputationMeter } from "./ComputationMeter.js"
import { delegate } from "./delegations.js"
import type { Prepare } from "./Evm.js"
import { charge } from "./Executor.js"
import type { JournalState } from "./JournalState.js"
import { type Deadline, type Message, type Outcome, txErrorOf } from "./Message.js"
import { heightOf } from "./reads.js"
import { Touched } from "./Touched.js"
import { Tracer } from "./Tracer.js"

/**
 * The most gas of a call and of an estimate, as of a transaction; what a transaction pays before it runs is part of it. They
 * may cost any amount of computation.
 */
export const mostGas = 500_000_000n

/** How long a call may run, and all runs of an estimate together, in milliseconds. */
export const longestCall = 20_000

const messageOf = (request: CallRequest, deadline: Deadline): Omit<Message, "gasLimit" | "gasPrice"> => {
  const from = request.from ?? zeroAddress
  return {
    from,
    to: request.to,
    value: request.value ?? 0n,
    data: bytesOf(request.data ?? "0x"),
    feePayer: from,
    accessList: request.accessList ?? [],
    skipBalance: request.movesValue !== true,
    deadline
  }
}

/** A transaction with this message. */
const transactionOf = (request: CallRequest): Of<"EthereumDynamicFee" | "EthereumSetCode"> => {
  const { accessList = [], authorizationList = [], data = "0x", to, value = 0n } = request
  const prices = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
  const common = { chainId: 0, nonce: 0n, gas: 0n, ...prices, value, input: data, accessList, signatures: [] }
  return to === undefined || authorizationList.length === 0
    ? { type: "EthereumDynamicFee", ...common, ...(to !== undefined && { to }) }
    : { type: "EthereumSetCode", ...common, to, authorizationList }
}

/** Gas that every transaction with this message pays before it runs, and the least gas that it pays. */
export const gasOf = (
  request: CallRequest,
  hardfork: Hardfork
): { readonly intrinsic: bigint; readonly floor: bigint } => {
  const transaction = transactionOf(request)
  return { intrinsic: intrinsicGas(transaction, hardfork), floor: floorGas(transaction, hardfork) }
}

/** A slot or a value, which may lack leading zeros. */
const wordOf = (hex: Hex): Uint8Array => bytesOf(`0x${hex.slice(2).padStart(64, "0")}`)

const override = async (state: JournalState, address: Hex, account: AccountOverride): Promise<void> => {
  const owner = new Address(bytesOf(address))
  const { balance, code, nonce } = account
  if (nonce !== undefined || balance !== undefined) {
    state.update(address, { ...(nonce !== undefined && { nonce }), ...(balance !== undefined && { balance }) })
  }
  if (code !== undefined) await state.putCode(owner, bytesOf(code))
  if (account.state !== undefined) await state.clearStorage(owner)
  for (const [slot, value] of account.state ?? account.stateDiff ?? []) {
    await state.putStorage(owner, wordOf(slot), wordOf(value))
  }
}

/** Puts the overrides of a request in place, and then the code that its authorizations set. */
const preparation =
  ({ chainId, curve }: ChainState, { authorizationList = [], overrides = new Map() }: CallRequest): Prepare =>
  async (state) => {
    for (const [address, account] of overrides) await override(state, address, account)
    return () => delegate(authorizationList, { chainId, curve, state })
  }

/** The result of a message. */
const resultOf = ({ fault, gasUsed, returnValue }: Outcome): CallResult => ({
  txError: fault && txErrorOf(fault),
  fault,
  data: fromBytes(returnValue),
  gasUsed
})

/** The parts of a message that differ from one run of a request to the next. */
type Run = Pick<Message, "gasLimit"> & Partial<Pick<Message, "accessList" | "touched" | "meter" | "tracer">>

/** Runs messages at the block of a request. */
const at = <A>(
  chainState: ChainState,
  request: CallRequest,
  operation: string,
  use: (view: (run: Run) => Effect.Effect<Outcome, StoreFailure>) => Effect.Effect<A, StoreFailure>
): Effect.Effect<A, ReadFailure> =>
  Effect.flatMap(Effect.suspend(() => heightOf(chainState, request.block)), (height) => {
    const deadline: Deadline = { at: performance.now() + longestCall }
    const message = messageOf(request, deadline)
    const prepare = preparation(chainState, request)
    const run = chainState.views(
      height,
      request.blockOverride ?? {},
      (view, { baseFeePerGas }) => {
        // A price below the base fee is none, which a node takes for the base fee.
        const gasPrice = BigInteger.max(request.gasPrice ?? 2n * baseFeePerGas, baseFeePerGas)
        return use((run) => view({ ...message, gasPrice, ...run }, prepare))
      }
    ).pipe(catchThrown(operation))
    return endsEarly(run, Effect.sync(() => void (deadline.at = Number.NEGATIVE_INFINITY)))
  })

/**
 * Runs work that must come to its end, because the state of another block may be in place. Interrupted, it is told to end, and
 * waited for.
 */
const endsEarly = <A, E>(work: Effect.Effect<A, E>, end: Effect.Effect<void>): Effect.Effect<A, E> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.forkDaemon(work),
      (fiber) => Effect.onInterrupt(restore(Fiber.join(fiber)), () => Effect.zipRight(end, Fiber.await(fiber)))
    )
  )

/** The gas for a call's execution. */
const gasOfCall = ({ gas }: CallRequest): bigint => BigInteger.min(gas ?? mostGas, mostGas)

/** Runs a message and undoes it. */
export const call = (chainState: ChainState, request: CallRequest): Effect.Effect<CallResult, ReadFailure> =>
  at(chainState, request, "call", (view) => Effect.map(view({ gasLimit: gasOfCall(request) }), resultOf))

/** The same, and counts the computation cost. */
export const measure = (chainState: ChainState, request: CallRequest): Effect.Effect<MeasuredCall, ReadFailure> =>
  at(chainState, request, "measure", (view) => {
    const meter: ComputationMeter = { cost: 0n }
    return Effect.map(view({ gasLimit: gasOfCall(request), meter }), (outcome) => ({
      ...resultOf(outcome),
      computationCost: meter.cost
    }))
  })

/** The same, and traces it. As at a node, a call that is traced has the computation of a transaction, and others have any. */
export const traceCall = (
  chainState: ChainState,
  request: CallRequest,
  options: TraceOptions
): Effect.Effect<{ readonly result: CallResult; readonly trace: Trace; readonly gasUsed: bigint }, ReadFailure> =>
  at(chainState, request, "traceCall", (view) => {
    const tracer = new Tracer(chainState.state, options)
    const meter: ComputationMeter = { cost: 0n, limit: chainState.rules.computationCost }
    return Effect.map(view({ gasLimit: gasOfCall(request), meter, tracer }), (outcome) => ({
      result: resultOf(outcome),
      trace: tracer.trace(),
      gasUsed: charge(outcome, gasOf(request, chainState.hardfork))
    }))
  })

/** The least gas between one that fails and one that suffices. */
const search = <E>(
  fails: bigint,
  suffices: bigint,
  test: (gas: bigint) => Effect.Effect<boolean, E>
): Effect.Effect<bigint, E> =>
  Effect.gen(function*() {
    let [low, high] = [fails, suffices]
    while (low + 1n < high) {
      const middle = (low + high) / 2n
      if (yield* test(middle)) high = middle
      else low = middle
    }
    return high
  })

/** The least gas that a node's search tries. */
const leastGas = 21_000n

/** What the runs of a node's search may use together: its search is left where they would take seconds. */
const mostSearched = 10_000_000n

/**
 * Finds the gas that suffices, as a node's search between all and nothing does, but from what an execution with plenty used. Most
 * need exactly that; one that hands gas on to another contract needs a little more. Where code called other code, which may fail
 * without failing the whole, less gas may do as well: then the search is the node's, which takes any gas that does, unless it runs
 * too much.
 */
export const estimateGas = (chainState: ChainState, request: CallRequest): Effect.Effect<GasEstimate, ReadFailure> => {
  const { floor, intrinsic } = gasOf(request, chainState.hardfork)
  const least = BigInteger.max(intrinsic, floor)
  const limit = BigInteger.min(request.gas ?? mostGas, mostGas)
  if (limit < least) return Effect.succeed({ kind: "tooLittle", limit })
  return at(chainState, request, "estimateGas", (view) =>
    Effect.gen(function*() {
      const plenty = yield* view({ gasLimit: limit - intrinsic })
      if (plenty.fault !== undefined) {
        return plenty.fault === "out of gas"
          ? { kind: "tooLittle", limit } as const
          : { kind: "fails", result: resultOf(plenty) } as const
      }
      const used = intrinsic + plenty.gasUsed
      let late: Outcome | undefined
      let searched = 0n
      const test = (gas: bigint) =>
        Effect.map(view({ gasLimit: gas - intrinsic }), (outcome) => {
          if (outcome.fault === "time limit") late = outcome
          searched += outcome.gasUsed
          return outcome.fault === undefined
        })
      const enough = (gas: bigint): GasEstimate =>
        late === undefined
          ? { kind: "enough", gas: BigInteger.max(gas, floor) }
          : { kind: "fails", result: resultOf(late) }
      // The 64th that a call keeps back, once.
      const likely = (used + 2_300n) * 64n / 63n
      const usual = Effect.gen(function*() {
        if (used >= limit || (yield* test(used))) return used
        if (likely >= limit) return yield* search(used, limit, test)
        return yield* (yield* test(likely)) ? search(used, likely, test) : search(likely, limit, test)
      })
      if (plenty.messages <= 1) return enough(yield* usual)
      const surely = likely < limit && (yield* test(likely)) ? likely : limit
      searched = 0n
      const isOver = () => late !== undefined || searched > mostSearched
      // What is surely enough is not run: it does what plenty did.
      const asNode = yield* search(leastGas - 1n, limit, (gas) =>
        gas < least || isOver()
          ? Effect.succeed(false)
          : gas >= surely
          ? Effect.succeed(true)
          : test(gas))
      if (!isOver()) return enough(asNode)
      late = undefined
      return enough(yield* usual)
    }))
}

/** Where a message goes: to its contract, or to the one that it creates. */
const targetOf = ({ state }: ChainState, { from = zeroAddress, overrides, to }: CallRequest): Hex => {
  if (to !== undefined) return to
  const nonce = overrides?.get(from)?.nonce ?? state.accountOrEmpty(from).nonce
  return createContractAddress(new Address(hexToBytes(from)), nonce).toString()
}

/** One execution: its result with its list, and the list with everything that it touched. */
interface Round {
  readonly access: CallAccess
  readonly found: AccessList
  readonly isStable: boolean
}

/** Runs the message with the list of the request. */
const runRound = (chainState: ChainState, request: CallRequest): Effect.Effect<Round, ReadFailure> =>
  at(chainState, request, "accessList", (view) =>
    Effect.gen(function*(): Effect.fn.Return<Round, StoreFailure> {
      // Sender, target and precompiles are warm without being announced; slots of theirs are not.
      const free = new Set([request.from ?? zeroAddress, targetOf(chainState, request), ...chainState.precompiles])
      const touched = new Touched(free, request.accessList ?? [])
      const accessList = touched.list()
      const known = touched.size
      const { floor, intrinsic } = gasOf({ ...request, accessList }, chainState.hardfork)
      const limit = request.gas ?? mostGas
      if (limit < BigInteger.max(intrinsic, floor)) {
        return { access: { kind: "tooLittle", limit }, found: accessList, isStable: true }
      }
      const outcome = yield* view({ gasLimit: limit - intrinsic, accessList, touched })
      const gasUsed = charge(outcome, { floor, intrinsic })
      return {
        access: { kind: "listed", accessList, gasUsed, result: resultOf(outcome) },
        found: touched.list(),
        isStable: touched.size === known
      }
    }))

/**
 * Runs a message again and again, each time with everything that it touched before as its list, until it touches nothing
 * new. A longer list changes the gas that the code has left, and code can depend on that; mostly the second run is the
 * last. Each run takes its own `turn`, so that the call can be interrupted between two.
 */
export const accessList = (
  chainState: ChainState,
  request: CallRequest,
  turn: <A>(work: Effect.Effect<A, ReadFailure>) => Effect.Effect<A, ReadFailure>
): Effect.Effect<CallAccess, ReadFailure> =>
  Effect.flatMap(Effect.suspend(() => heightOf(chainState, request.block)), (block) => {
    const from = (list: AccessList): Effect.Effect<CallAccess, ReadFailure> =>
      Effect.flatMap(
        turn(runRound(chainState, { ...request, block, accessList: list })),
        ({ access, found, isStable }) => isStable ? Effect.succeed(access) : Effect.zipRight(yieldToOthers, from(found))
      )
    return from(request.accessList ?? [])
  })

/** Yields to the event loop after an execution, which blocks it. */
export const yieldToOthers = Effect.async<void>((resume) => {
  const timer = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(timer))
})
