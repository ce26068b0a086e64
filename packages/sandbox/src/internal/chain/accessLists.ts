import type { Hex } from "@effect-klaytn/transaction/Hex"
import { Address, createContractAddress, hexToBytes } from "@ethereumjs/util"
import * as Effect from "effect/Effect"
import type { AccessList, CallAccess, CallRequest } from "../../Call.js"
import type { ReadFailure } from "../../Chain.js"
import { Touched } from "../evm/Touched.js"
import { yieldToOthers } from "./breath.js"
import { at, intrinsicGasOf, nobody, resultOf } from "./calls.js"
import type { ChainState } from "./ChainState.js"
import { executionGasLimit } from "./Executor.js"
import { heightOf } from "./reads.js"

/** Where a message goes: to its contract, or to the one that it creates. */
const targetOf = ({ state }: ChainState, { from = nobody, overrides, to }: CallRequest): Hex => {
  if (to !== undefined) return to
  const nonce = overrides?.get(from)?.nonce ?? state.accountOrEmpty(from).nonce
  return createContractAddress(new Address(hexToBytes(from)), nonce).toString()
}

/** One execution: the list that it ran with, and the same with what it touched besides. */
interface Round {
  readonly access: CallAccess
  readonly found: AccessList
  readonly isStable: boolean
}

/** Runs the message with the list of the request. */
const runRound = (live: ChainState, request: CallRequest): Effect.Effect<Round, ReadFailure> =>
  at(live, request, "accessList", async (view): Promise<Round> => {
    // Sender, target and precompiles are warm without being announced; slots of theirs are not.
    const free = new Set([request.from ?? nobody, targetOf(live, request), ...live.precompiles])
    const touched = new Touched(free, request.accessList ?? [])
    const accessList = touched.list()
    const known = touched.size
    const intrinsic = intrinsicGasOf({ ...request, accessList })
    const limit = request.gas ?? intrinsic + executionGasLimit
    if (limit < intrinsic) return { access: { kind: "tooLittle", limit }, found: accessList, isStable: true }
    const available = limit - intrinsic
    const isLimited = available > executionGasLimit
    const outcome = await view({ gasLimit: isLimited ? executionGasLimit : available, accessList, touched })
    const spent = intrinsic + (isLimited && outcome.fault === "out of gas" ? available : outcome.gasUsed)
    const most = spent / 5n
    const refund = outcome.fault !== undefined ? 0n : outcome.gasRefund < most ? outcome.gasRefund : most
    return {
      access: { kind: "listed", accessList, gasUsed: spent - refund, result: resultOf(outcome) },
      found: touched.list(),
      isStable: touched.size === known
    }
  })

/**
 * Runs a message with the list of what it touched before, until it touches nothing else. What is warm changes the gas
 * that code has left, and code can go by that: mostly the second execution is the last. Each takes its own `turn`, and
 * whoever waits may give up between two.
 */
export const accessList = (
  live: ChainState,
  request: CallRequest,
  turn: <A>(work: Effect.Effect<A, ReadFailure>) => Effect.Effect<A, ReadFailure>
): Effect.Effect<CallAccess, ReadFailure> =>
  Effect.flatMap(heightOf(live, request.block), (block) => {
    const from = (list: AccessList): Effect.Effect<CallAccess, ReadFailure> =>
      Effect.flatMap(turn(runRound(live, { ...request, block, accessList: list })), ({ access, found, isStable }) =>
        isStable ? Effect.succeed(access) : Effect.zipRight(yieldToOthers, from(found)))
    return from(request.accessList ?? [])
  })
