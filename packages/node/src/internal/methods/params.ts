/** The lists of parameters that several methods take. */
import type { BlockNumber, BlockSelector } from "../../BlockSelector.js"
import * as Param from "../../Param.js"

export const none = (): ReadonlyArray<Param.Param> => []

export const data = (data: string) => [Param.data("data", data)]

export const hash = (hash: string) => [Param.hash("hash", hash)]

export const hashAndIndex = (hash: string, index: bigint | number) => [
  Param.hash("hash", hash),
  Param.quantity("index", index)
]

export const block = (block: BlockNumber = "latest") => [Param.blockNumber("block", block)]

/** Whether blobs come whole. */
const whole = (isWhole: boolean) => Param.flag("fullBlob", isWhole)

export const blockAndWhole = (block: BlockNumber, isWhole = true) => [Param.blockNumber("block", block), whole(isWhole)]

export const hashAndWhole = (hash: string, isWhole = true) => [Param.hash("hash", hash), whole(isWhole)]

export const anyBlock = (block: BlockSelector) => [Param.block("block", block)]

/** A block that is left out of the call if it is not given: the node has a default of its own. */
export const optionalBlock = (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))]

export const blockAndIndex = (block: BlockNumber, index: bigint | number) => [
  Param.blockNumber("block", block),
  Param.quantity("index", index)
]
