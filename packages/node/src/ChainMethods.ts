/**
 * JSON-RPC methods that describe the chain, its rules and the node.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import type { BlockNumber } from "./BlockSelector.js"
import {
  BlsInfos,
  ChainConfig,
  ForkStatus,
  ParamMap,
  RegistryRecords,
  Rewards,
  StakingInfo,
  TotalSupply
} from "./Governance.js"
import * as Method from "./Method.js"
import * as Param from "./Param.js"
import { Syncing } from "./Syncing.js"

const read = { namespace: "klay", safety: "safe" } as const
const newer = { ...read, since: "newer nodes" } as const

/**
 * The chain, its rules and governance, and the node itself.
 *
 * @since 0.1.0
 * @category methods
 */
export const chainMethods = {
  chainId: Method.make({
    ...read,
    name: "chainID",
    summary: "The chain ID of the node",
    params: () => [],
    result: BigIntFromQuantity
  }),
  clientVersion: Method.make({
    ...read,
    name: "clientVersion",
    summary: "The node's software and version",
    params: () => [],
    result: Schema.String
  }),
  protocolVersion: Method.make({
    ...read,
    name: "protocolVersion",
    summary: "The version of the protocol that nodes speak to each other",
    params: () => [],
    result: BigIntFromQuantity
  }),
  syncing: Method.make({
    ...read,
    name: "syncing",
    summary: "Whether the node is still syncing, and how far it has come",
    params: () => [],
    result: Syncing
  }),
  sha3: Method.make({
    ...read,
    name: "sha3",
    summary: "The Keccak-256 hash of some bytes",
    params: (data: string) => [Param.data("data", data)],
    result: Hash.FromWire
  }),
  isParallelDBWrite: Method.make({
    ...read,
    name: "isParallelDBWrite",
    summary: "A setting of the node",
    params: () => [],
    result: Schema.Boolean
  }),
  isSenderTxHashIndexingEnabled: Method.make({
    ...read,
    name: "isSenderTxHashIndexingEnabled",
    summary: "Whether the node finds transactions by the sender's hash",
    params: () => [],
    result: Schema.Boolean
  }),
  isConsoleLogEnabled: Method.make({
    ...newer,
    name: "isConsoleLogEnabled",
    summary: "A setting of the node",
    params: () => [],
    result: Schema.Boolean
  }),
  nodeAddress: Method.make({
    ...newer,
    name: "nodeAddress",
    summary: "The node's address",
    params: () => [],
    result: Address.FromWire
  }),
  rewardbase: Method.make({
    ...read,
    name: "rewardbase",
    summary: "Where the node's rewards go; fails if it is not set",
    params: () => [],
    result: Address.FromWire
  }),
  accounts: Method.make({
    ...read,
    name: "accounts",
    summary: "The accounts whose keys the node holds; empty on a hosted node",
    params: () => [],
    result: Schema.Array(Address.FromWire)
  }),
  forkStatus: Method.make({
    ...newer,
    name: "forkStatus",
    summary: "The upgrades in force at a block",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block)],
    result: ForkStatus
  }),
  getChainConfig: Method.make({
    ...newer,
    name: "getChainConfig",
    summary: "The rules of the chain at a block",
    params: (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))],
    result: ChainConfig
  }),
  getParams: Method.make({
    ...newer,
    name: "getParams",
    summary: "The governance parameters at a block",
    params: (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))],
    result: ParamMap
  }),
  getStakingInfo: Method.make({
    ...newer,
    name: "getStakingInfo",
    summary: "The stakes of the validators at a block",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block)],
    result: StakingInfo
  }),
  getRewards: Method.make({
    ...newer,
    name: "getRewards",
    summary: "The rewards of a block, in peb",
    params: (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))],
    result: Rewards
  }),
  getTotalSupply: Method.make({
    ...newer,
    name: "getTotalSupply",
    summary: "The supply of the native coin at a block, in peb",
    params: (block?: BlockNumber, showPartial?: boolean) => [
      Param.optional(Param.blockNumber("block", showPartial === undefined ? block : block ?? "latest")),
      Param.optional(Param.flag("showPartial", showPartial))
    ],
    result: TotalSupply
  }),
  getBlsInfos: Method.make({
    ...newer,
    name: "getBlsInfos",
    summary: "The BLS keys of the validators",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block)],
    result: BlsInfos
  }),
  getActiveAddressFromRegistry: Method.make({
    ...newer,
    name: "getActiveAddressFromRegistry",
    summary: "The address that a system name stands for at a block",
    params: (name: string, block: BlockNumber = "latest") => [
      Param.text("name", name),
      Param.blockNumber("block", block)
    ],
    result: Address.FromWire
  }),
  getAllRecordsFromRegistry: Method.make({
    ...newer,
    name: "getAllRecordsFromRegistry",
    summary: "All addresses that a system name has stood for",
    params: (name: string, block: BlockNumber = "latest") => [
      Param.text("name", name),
      Param.blockNumber("block", block)
    ],
    result: RegistryRecords
  }),
  getCypressCredit: Method.make({
    ...read,
    name: "getCypressCredit",
    summary: "The credits of the people who made the main network",
    params: () => [],
    result: Schema.Struct({
      photo: Schema.String,
      names: Schema.String,
      endingPhoto: Schema.String,
      endingNames: Schema.String
    })
  }),
  recoverFromTransaction: Method.make({
    ...newer,
    name: "recoverFromTransaction",
    summary: "The signer of a raw transaction",
    params: (raw: string, block: BlockNumber = "latest") => [
      Param.data("raw", raw),
      Param.blockNumber("block", block)
    ],
    result: Address.FromWire
  }),
  recoverFromMessage: Method.make({
    ...newer,
    name: "recoverFromMessage",
    summary: "The signer of a message; the signature has 65 bytes and ends in 27 or 28",
    params: (address: string, message: string, signature: string, block: BlockNumber = "latest") => [
      Param.address("address", address),
      Param.data("message", message),
      Param.data("signature", signature),
      Param.blockNumber("block", block)
    ],
    result: Address.FromWire
  })
}
