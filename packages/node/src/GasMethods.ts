/**
 * JSON-RPC methods that simulate an execution, and those about the price of gas.
 */
import * as Schema from "effect/Schema"
import type { BlockNumber, BlockSelector } from "./BlockSelector.js"
import type { CallRequest, StateOverride } from "./CallRequest.js"
import * as params from "./internal/methods/params.js"
import * as schemas from "./internal/records/schemas.js"
import * as Method from "./Method.js"
import * as Param from "./Param.js"
import { AccessList } from "./Transaction.js"

/**
 * The result of `feeHistory`. Prices are in peb. `baseFeePerGas` has one more entry than there are blocks: that of the
 * next block. `gasUsedRatio` is between 0 and 1. It is absent if no block was requested, and `reward` is absent if no
 * percentiles were. The node may return fewer blocks than requested.
 *
 * @category schemas
 */
export const FeeHistory = Schema.Struct({
  oldestBlock: schemas.Quantity,
  baseFeePerGas: schemas.optional(Schema.Array(schemas.Peb)),
  gasUsedRatio: schemas.optional(Schema.Array(Schema.Number)),
  reward: schemas.optional(Schema.Array(Schema.Array(schemas.Peb))),
  blobBaseFeePerGas: schemas.optional(Schema.Array(schemas.Peb))
}).annotations({ identifier: "FeeHistory" })

/**
 * The result of `feeHistory`.
 *
 * @category models
 */
export interface FeeHistory extends Schema.Schema.Type<typeof FeeHistory> {}

/**
 * What `createAccessList` answers: the list, the gas used with it, and why the execution failed if it did.
 *
 * @category schemas
 */
export const AccessListResult = Schema.Struct({
  accessList: AccessList,
  gasUsed: schemas.Quantity,
  error: schemas.optional(Schema.String)
}).annotations({ identifier: "AccessListResult" })

/**
 * What `createAccessList` answers: the list, the gas used with it, and why the execution failed if it did.
 *
 * @category models
 */
export interface AccessListResult extends Schema.Schema.Type<typeof AccessListResult> {}

const read = Method.makeIn("klay", "safe")

const ofCall = (call: CallRequest, block: BlockSelector = "latest") => [
  Param.call("call", call),
  Param.block("block", block)
]

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
 * @category methods
 */
export const gasMethods = {
  /** [`klay_call`](https://docs.kaia.io/references/json-rpc/klay/call/): what an execution returns. */
  call: read("call", ofCall, schemas.Bytes),
  /**
   * [`klay_estimateGas`](https://docs.kaia.io/references/json-rpc/klay/estimate-gas/): the gas that an execution needs;
   * older nodes accept only the call.
   */
  estimateGas: read(
    "estimateGas",
    (
      call: CallRequest,
      block?: BlockSelector,
      overrides?: Readonly<Record<string, StateOverride>>
    ) => [
      Param.call("call", call),
      Param.optional(Param.block("block", overrides === undefined ? block : block ?? "latest")),
      Param.optional(Param.overrides("overrides", overrides))
    ],
    schemas.Quantity
  ),
  /**
   * [`klay_estimateComputationCost`](https://docs.kaia.io/references/json-rpc/klay/estimate-computation-cost/): the
   * computation cost of an execution, also of one that fails. The chain stops a transaction at 150,000,000.
   */
  estimateComputationCost: read("estimateComputationCost", ofCall, schemas.Quantity),
  /**
   * [`klay_createAccessList`](https://docs.kaia.io/references/json-rpc/klay/create-access-list/): the addresses and
   * storage slots that an execution touches. Newer nodes only.
   */
  createAccessList: read(
    "createAccessList",
    (call: CallRequest, block?: BlockSelector) => [
      Param.call("call", call),
      Param.optional(Param.block("block", block))
    ],
    AccessListResult
  ),
  /**
   * [`klay_gasPrice`](https://docs.kaia.io/references/json-rpc/klay/gas-price/): the gas price that the node suggests.
   */
  gasPrice: read("gasPrice", params.none, schemas.Peb),
  /**
   * [`klay_gasPriceAt`](https://docs.kaia.io/references/json-rpc/klay/gas-price-at/): the gas price at a block. Nodes
   * until v2.0.
   */
  gasPriceAt: read("gasPriceAt", params.block, schemas.Peb),
  /**
   * [`klay_upperBoundGasPrice`](https://docs.kaia.io/references/json-rpc/klay/upper-bound-gas-price/): the upper bound
   * of the base fee. Nodes since v1.9.
   */
  upperBoundGasPrice: read("upperBoundGasPrice", params.none, schemas.Peb),
  /**
   * [`klay_lowerBoundGasPrice`](https://docs.kaia.io/references/json-rpc/klay/lower-bound-gas-price/): the lower bound
   * of the base fee. Nodes since v1.9.
   */
  lowerBoundGasPrice: read("lowerBoundGasPrice", params.none, schemas.Peb),
  /**
   * [`klay_maxPriorityFeePerGas`](https://docs.kaia.io/references/json-rpc/klay/max-priority-fee-per-gas/): the tip
   * that the node suggests. Nodes since v1.8.
   */
  maxPriorityFeePerGas: read("maxPriorityFeePerGas", params.none, schemas.Peb),
  /**
   * [`klay_feeHistory`](https://docs.kaia.io/references/json-rpc/klay/fee-history/): base fees, gas usage and tips of
   * some blocks, ending at `newest`. Nodes since v1.8.
   */
  feeHistory: read(
    "feeHistory",
    (blocks: bigint | number, newest: BlockNumber = "latest", percentiles: ReadonlyArray<number> = []) => [
      Param.quantity("blocks", blocks),
      Param.blockNumber("newest", newest),
      Param.percentiles("percentiles", percentiles)
    ],
    FeeHistory
  )
}
