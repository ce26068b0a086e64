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
  /** `klay_chainID`: the chain ID of the node. */
  chainId: Method.make({
    ...read,
    name: "chainID",
    summary: "The chain ID of the node",
    params: () => [],
    result: BigIntFromQuantity
  }),
  /** `klay_clientVersion`: the node's software and version. */
  clientVersion: Method.make({
    ...read,
    name: "clientVersion",
    summary: "The node's software and version",
    params: () => [],
    result: Schema.String
  }),
  /** `klay_protocolVersion`: the version of the protocol that nodes speak to each other. */
  protocolVersion: Method.make({
    ...read,
    name: "protocolVersion",
    summary: "The version of the protocol that nodes speak to each other",
    params: () => [],
    result: BigIntFromQuantity
  }),
  /** `klay_syncing`: whether the node is still syncing, and how far it has come. */
  syncing: Method.make({
    ...read,
    name: "syncing",
    summary: "Whether the node is still syncing, and how far it has come",
    params: () => [],
    result: Syncing
  }),
  /** `klay_sha3`: the Keccak-256 hash of some bytes. */
  sha3: Method.make({
    ...read,
    name: "sha3",
    summary: "The Keccak-256 hash of some bytes",
    params: (data: string) => [Param.data("data", data)],
    result: Hash.FromWire
  }),
  /** `klay_isParallelDBWrite`: a setting of the node. */
  isParallelDBWrite: Method.make({
    ...read,
    name: "isParallelDBWrite",
    summary: "A setting of the node",
    params: () => [],
    result: Schema.Boolean
  }),
  /** `klay_isSenderTxHashIndexingEnabled`: whether the node finds transactions by the sender's hash. */
  isSenderTxHashIndexingEnabled: Method.make({
    ...read,
    name: "isSenderTxHashIndexingEnabled",
    summary: "Whether the node finds transactions by the sender's hash",
    params: () => [],
    result: Schema.Boolean
  }),
  /** `klay_isConsoleLogEnabled`: a setting of the node. */
  isConsoleLogEnabled: Method.make({
    ...newer,
    name: "isConsoleLogEnabled",
    summary: "A setting of the node",
    params: () => [],
    result: Schema.Boolean
  }),
  /** `klay_nodeAddress`: the node's address. */
  nodeAddress: Method.make({
    ...newer,
    name: "nodeAddress",
    summary: "The node's address",
    params: () => [],
    result: Address.FromWire
  }),
  /** `klay_rewardbase`: where the node's rewards go; fails if it is not set. */
  rewardbase: Method.make({
    ...read,
    name: "rewardbase",
    summary: "Where the node's rewards go; fails if it is not set",
    params: () => [],
    result: Address.FromWire
  }),
  /** `klay_accounts`: the accounts whose keys the node holds; empty on a hosted node. */
  accounts: Method.make({
    ...read,
    name: "accounts",
    summary: "The accounts whose keys the node holds; empty on a hosted node",
    params: () => [],
    result: Schema.Array(Address.FromWire)
  }),
  /** `klay_forkStatus`: the upgrades in force at a block. */
  forkStatus: Method.make({
    ...newer,
    name: "forkStatus",
    summary: "The upgrades in force at a block",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block)],
    result: ForkStatus
  }),
  /** `klay_getChainConfig`: the rules of the chain at a block. */
  getChainConfig: Method.make({
    ...newer,
    name: "getChainConfig",
    summary: "The rules of the chain at a block",
    params: (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))],
    result: ChainConfig
  }),
  /** `klay_getParams`: the governance parameters at a block. */
  getParams: Method.make({
    ...newer,
    name: "getParams",
    summary: "The governance parameters at a block",
    params: (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))],
    result: ParamMap
  }),
  /** `klay_getStakingInfo`: the stakes of the validators at a block. */
  getStakingInfo: Method.make({
    ...newer,
    name: "getStakingInfo",
    summary: "The stakes of the validators at a block",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block)],
    result: StakingInfo
  }),
  /** `klay_getRewards`: the rewards of a block, in peb. */
  getRewards: Method.make({
    ...newer,
    name: "getRewards",
    summary: "The rewards of a block, in peb",
    params: (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))],
    result: Rewards
  }),
  /** `klay_getTotalSupply`: the supply of the native coin at a block, in peb. */
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
  /** `klay_getBlsInfos`: the BLS keys of the validators. */
  getBlsInfos: Method.make({
    ...newer,
    name: "getBlsInfos",
    summary: "The BLS keys of the validators",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block)],
    result: BlsInfos
  }),
  /** `klay_getActiveAddressFromRegistry`: the address that a system name stands for at a block. */
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
  /** `klay_getAllRecordsFromRegistry`: all addresses that a system name has stood for. */
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
  /** `klay_getCypressCredit`: the credits of the people who made the main network. */
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
  /** `klay_recoverFromTransaction`: the signer of a raw transaction. */
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
  /** `klay_recoverFromMessage`: the signer of a message; the signature has 65 bytes and ends in 27 or 28. */
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
