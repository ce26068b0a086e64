import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AccountOverride, CallRequest, CallResult } from "../../Call.js"
import { yieldToOthers } from "../chain/breath.js"
import { intrinsicGasOf } from "../chain/calls.js"
import { executionGasLimit } from "../chain/Executor.js"
import { txError } from "../evm/Message.js"
import { blockNumberOrHash, type Selector, stateHeight } from "./BlockSelector.js"
import { type CallArguments, ethCall, klayCall, stateOverrides } from "./CallArguments.js"
import { type Failure, method, type Methods, type Run } from "./Method.js"
import type { NodeChain } from "./NodeChain.js"
import { optional } from "./ParamDecoder.js"
import { quantity } from "./quantity.js"
import { revertReason } from "./revertReason.js"
import { failure, revertFailure, type RpcFailure } from "./RpcFailure.js"

type Overrides = ReadonlyMap<Hex, AccountOverride> | undefined

const texts: ReadonlyMap<number, string> = new Map([
  [txError.depth, "max call depth exceeded"],
  [txError.addressCollision, "contract address collision"],
  [txError.codeStoreOutOfGas, "contract creation code storage out of gas"],
  [txError.codeTooLarge, "evm: max code size exceeded"],
  [txError.outOfGas, "out of gas"],
  [txError.writeProtection, "evm: write protection"],
  [txError.reverted, "evm: execution reverted"]
])

/** What a node says of an execution that failed. */
export const faultText = ({ txError: code = txError.vm }: CallResult): string =>
  texts.get(code) ?? "VM error occurs while running smart contract"

const faultOf = (result: CallResult, gas: bigint): RpcFailure => {
  const { data, fault } = result
  if (fault === "revert" && data !== "0x") return revertFailure(data, revertReason(data))
  if (fault === "insufficient balance") {
    return failure(`err: insufficient balance for transfer (supplied gas ${gas})`)
  }
  return failure(faultText(result))
}

/** Rules about prices that do not fit together. */
export const priceFault = ({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: CallArguments): RpcFailure | undefined => {
  if (gasPrice !== undefined && (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined)) {
    return failure("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified")
  }
  return maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined && maxFeePerGas < maxPriorityFeePerGas
    ? failure(`maxFeePerGas (${maxFeePerGas}) < maxPriorityFeePerGas (${maxPriorityFeePerGas})`)
    : undefined
}

const overridesFault = (overrides: Overrides): RpcFailure | undefined => {
  for (const [address, { state, stateDiff }] of overrides ?? []) {
    if (state !== undefined && stateDiff !== undefined) {
      return failure(`account ${address} has both 'state' and 'stateDiff'`)
    }
  }
  return undefined
}

/** The message that the arguments of a call stand for. */
export const requestOf = (
  { accessList, data, from, gasPrice, input, to, value }: CallArguments,
  block: number | undefined,
  overrides?: Overrides
): CallRequest => ({
  movesValue: true,
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
  ...(value !== undefined && { value }),
  ...((input ?? data) !== undefined && { data: input ?? data ?? "0x" }),
  ...(gasPrice !== undefined && { gasPrice }),
  ...(accessList !== undefined && { accessList }),
  ...(block !== undefined && { block }),
  ...(overrides !== undefined && { overrides })
})

const call = (chain: NodeChain, args: CallArguments, selector: Selector, overrides: Overrides): Run => {
  const fault = priceFault(args) ?? overridesFault(overrides)
  if (fault !== undefined) return fault
  return Effect.flatMap(stateHeight(chain, selector), (block): Run => {
    const request = requestOf(args, block, overrides)
    const intrinsic = intrinsicGasOf(request)
    const most = intrinsic + executionGasLimit
    const gas = args.gas === undefined || args.gas === 0n || args.gas > most ? most : args.gas
    if (gas < intrinsic) {
      return Effect.fail(failure(`intrinsic gas too low: msg.gas ${gas}, want ${intrinsic}`))
    }
    return Effect.flatMap(
      Effect.zipLeft(chain.call({ ...request, gas: gas - intrinsic }), yieldToOthers),
      (result) => result.fault === undefined ? Effect.succeed(result.data) : Effect.fail(faultOf(result, gas))
    )
  })
}

/** The most gas that a sender could pay for at the price it names. */
const affordable = (
  chain: NodeChain,
  { from, gasPrice, maxFeePerGas, value = 0n }: CallArguments,
  block: number | undefined,
  overrides: Overrides
): Effect.Effect<bigint | undefined, Failure> => {
  const price = gasPrice ?? maxFeePerGas ?? 0n
  if (price === 0n || from === undefined) return Effect.succeed(undefined)
  return Effect.flatMap(chain.account(from, block), (account) => {
    const stored = Option.match(account, { onNone: () => 0n, onSome: ({ balance }) => balance })
    const balance = overrides?.get(from)?.balance ?? stored
    return value >= balance
      ? Effect.fail(failure("insufficient funds for transfer"))
      : Effect.succeed((balance - value) / price)
  })
}

const leastGas = 21_000n

const estimate = (
  chain: NodeChain,
  args: CallArguments,
  selector: Selector,
  overrides: Overrides
): Run => {
  const fault = priceFault(args) ?? overridesFault(overrides)
  if (fault !== undefined) return fault
  return Effect.gen(function*() {
    const block = yield* stateHeight(chain, selector)
    const allowance = yield* affordable(chain, args, block, overrides)
    const asked = args.gas !== undefined && args.gas >= leastGas ? args.gas : undefined
    const gas = asked === undefined || (allowance !== undefined && allowance < asked) ? allowance : asked
    const request = { ...requestOf(args, block, overrides), ...(gas !== undefined && { gas }) }
    const found = yield* Effect.zipLeft(chain.estimateGas(request), yieldToOthers)
    switch (found.kind) {
      case "enough":
        return quantity(found.gas)
      case "tooLittle":
        return yield* Effect.fail(failure(`gas required exceeds allowance (${found.limit})`))
      case "fails":
        return yield* Effect.fail(faultOf(found.result, gas ?? intrinsicGasOf(request) + executionGasLimit))
    }
  })
}

const block = optional(blockNumberOrHash)
const overrides = optional(stateOverrides)

/** Running code without a transaction. */
export const klayCalls: Methods = {
  call: method([klayCall, blockNumberOrHash], (chain, args, selector) => call(chain, args, selector, undefined)),
  estimateGas: method(
    [klayCall, block, overrides],
    (chain, args, selector = "latest", accounts) => estimate(chain, args, selector, accounts)
  )
}

/** The same with the parameters of `eth`. */
export const ethCalls: Methods = {
  call: method([ethCall, blockNumberOrHash, overrides], call),
  estimateGas: method(
    [ethCall, block, overrides],
    (chain, args, selector = "latest", given) => estimate(chain, args, selector, given)
  )
}
