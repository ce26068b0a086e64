/**
 * JSON-RPC methods that simulate an execution, and those about the price of gas.
 *
 * @since 0.1.0
 */
import { FromQuantity as PebFromQuantity } from "@effect-klaytn/core/Amount"
import { BigIntFromQuantity, HexDataFromWire } from "@effect-klaytn/core/Hex"
import { AccessListResult } from "./AccessList.js"
import type { BlockNumber, BlockSelector } from "./BlockSelector.js"
import type { CallRequest, StateOverride } from "./CallRequest.js"
import { FeeHistory } from "./FeeHistory.js"
import * as Method from "./Method.js"
import * as Param from "./Param.js"

const read = { namespace: "klay", safety: "safe" } as const

/**
 * Calls, estimates and prices. A reverted execution fails with `ExecutionReverted` and the reason. Prices are in peb
 * per unit of gas.
 *
 * **Details**
 *
 * `gasPrice` is the fixed unit price before the Magma upgrade, twice the base fee after it, and a little more than the
 * base fee plus a tip since the Kaia upgrade. `lowerBoundGasPrice` and `upperBoundGasPrice` are the bounds of the base
 * fee.
 *
 * @since 0.1.0
 * @category methods
 */
export const gasMethods = {
  /** `klay_call`: what an execution returns. */
  call: Method.make({
    ...read,
    name: "call",
    summary: "What an execution returns",
    params: (call: CallRequest, block: BlockSelector = "latest") => [
      Param.call("call", call),
      Param.block("block", block)
    ],
    result: HexDataFromWire
  }),
  /** `klay_estimateGas`: the gas that an execution needs; older nodes accept only the call. */
  estimateGas: Method.make({
    ...read,
    name: "estimateGas",
    summary: "The gas that an execution needs; older nodes accept only the call",
    params: (
      call: CallRequest,
      block?: BlockSelector,
      overrides?: Readonly<Record<string, StateOverride>>
    ) => [
      Param.call("call", call),
      Param.optional(Param.block("block", overrides === undefined ? block : block ?? "latest")),
      Param.optional(Param.overrides("overrides", overrides))
    ],
    result: BigIntFromQuantity
  }),
  /** `klay_estimateComputationCost`: the computation cost of an execution. */
  estimateComputationCost: Method.make({
    ...read,
    name: "estimateComputationCost",
    summary: "The computation cost of an execution",
    params: (call: CallRequest, block: BlockSelector = "latest") => [
      Param.call("call", call),
      Param.block("block", block)
    ],
    result: BigIntFromQuantity
  }),
  /** `klay_createAccessList`: the addresses and storage slots that an execution touches. */
  createAccessList: Method.make({
    ...read,
    name: "createAccessList",
    summary: "The addresses and storage slots that an execution touches",
    since: "newer nodes",
    params: (call: CallRequest, block?: BlockSelector) => [
      Param.call("call", call),
      Param.optional(Param.block("block", block))
    ],
    result: AccessListResult
  }),
  /** `klay_gasPrice`: the gas price that the node suggests. */
  gasPrice: Method.make({
    ...read,
    name: "gasPrice",
    summary: "The gas price that the node suggests",
    params: () => [],
    result: PebFromQuantity
  }),
  /** `klay_gasPriceAt`: the gas price at a block. */
  gasPriceAt: Method.make({
    ...read,
    name: "gasPriceAt",
    summary: "The gas price at a block",
    since: "until v2.0",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block)],
    result: PebFromQuantity
  }),
  /** `klay_upperBoundGasPrice`: the upper bound of the base fee. */
  upperBoundGasPrice: Method.make({
    ...read,
    name: "upperBoundGasPrice",
    summary: "The upper bound of the base fee",
    since: "v1.9",
    params: () => [],
    result: PebFromQuantity
  }),
  /** `klay_lowerBoundGasPrice`: the lower bound of the base fee. */
  lowerBoundGasPrice: Method.make({
    ...read,
    name: "lowerBoundGasPrice",
    summary: "The lower bound of the base fee",
    since: "v1.9",
    params: () => [],
    result: PebFromQuantity
  }),
  /** `klay_maxPriorityFeePerGas`: the tip that the node suggests. */
  maxPriorityFeePerGas: Method.make({
    ...read,
    name: "maxPriorityFeePerGas",
    summary: "The tip that the node suggests",
    since: "v1.8",
    params: () => [],
    result: PebFromQuantity
  }),
  /** `klay_feeHistory`: base fees, gas usage and tips of some blocks, ending at `newest`. */
  feeHistory: Method.make({
    ...read,
    name: "feeHistory",
    summary: "Base fees, gas usage and tips of some blocks, ending at `newest`",
    since: "v1.8",
    params: (blocks: bigint | number, newest: BlockNumber = "latest", percentiles: ReadonlyArray<number> = []) => [
      Param.quantity("blocks", blocks),
      Param.blockNumber("newest", newest),
      Param.percentiles("percentiles", percentiles)
    ],
    result: FeeHistory
  })
}
