import * as Effect from "effect/Effect"
import { blockNumberOrHash, type Selector, stateHeight } from "./BlockSelector.js"
import { type CallArguments, ethCall } from "./CallArguments.js"
import { faultText, priceFault, requestOf } from "./execution.js"
import { method, type Methods, type Run } from "./Method.js"
import type { NodeChain } from "./NodeChain.js"
import { optional } from "./ParamDecoder.js"
import { quantity } from "./quantity.js"
import { failure, type RpcFailure } from "./RpcFailure.js"

/** A node puts the hash of the transaction that it made up in front of the reason; none is made up here. */
const applyFailure = (reason: string): RpcFailure => failure(`failed to apply transaction: err: ${reason}`)

const argumentsFault = (chain: NodeChain, args: CallArguments): RpcFailure | undefined => {
  const { data, input, maxFeePerGas, to } = args
  const fault = priceFault(args)
  if (fault !== undefined) return fault
  if (maxFeePerGas !== undefined && maxFeePerGas < chain.unitPrice) {
    return failure(`maxFeePerGas (${maxFeePerGas}) < BaseFee (${chain.unitPrice})`)
  }
  if (data !== undefined && input !== undefined && data !== input) {
    return failure(
      "both \"data\" and \"input\" are set and not equal. Please use \"input\" to pass transaction call data"
    )
  }
  return to === undefined && (input ?? data ?? "0x") === "0x"
    ? failure("contract creation without any data provided")
    : undefined
}

const create = (chain: NodeChain, args: CallArguments, selector: Selector): Run => {
  const fault = argumentsFault(chain, args)
  if (fault !== undefined) return fault
  return Effect.gen(function*() {
    const block = yield* stateHeight(chain, selector)
    const request = { ...requestOf(args, block), ...(args.gas !== undefined && { gas: args.gas }) }
    const found = yield* chain.accessList(request)
    if (found.kind === "tooLittle") return yield* Effect.fail(applyFailure("intrinsic gas too low"))
    const { accessList, gasUsed, result } = found
    if (result.fault === "insufficient balance") {
      return yield* Effect.fail(applyFailure("insufficient balance for transfer"))
    }
    return {
      accessList,
      ...(result.fault !== undefined && { error: faultText(result) }),
      gasUsed: quantity(gasUsed)
    }
  })
}

/**
 * Access lists, by the node's code: what `SLOAD`, `SSTORE`, calls and looks at other accounts touch, but neither the
 * sender, the target nor the precompiles, unless it is a slot of theirs. An execution that fails is an answer too.
 *
 * Two things differ from that code. Its default is the pending block, which does not exist here: it is the latest, as
 * in the chain's published clients and in go-ethereum today. And `gasUsed` counts what the list itself costs, as
 * go-ethereum does and as the transaction is charged for; Kaia's own code leaves that out.
 */
export const accessListMethods: Methods = {
  createAccessList: method(
    [ethCall, optional(blockNumberOrHash)],
    (chain, args, selector = "latest") => create(chain, args, selector)
  )
}
