/**
 * JSON-RPC methods that describe the chain, its rules and the node.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
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
import * as schemas from "./internal/schemas.js"
import * as Method from "./Method.js"
import * as Param from "./Param.js"

/**
 * `false` when the node is up to date, else how far it has come, in block heights and state entries.
 *
 * @category schemas
 */
export const Syncing = Schema.Union(
  Schema.Literal(false),
  Schema.Struct({
    startingBlock: BigIntFromQuantity,
    currentBlock: BigIntFromQuantity,
    highestBlock: BigIntFromQuantity,
    pulledStates: schemas.optional(BigIntFromQuantity),
    knownStates: schemas.optional(BigIntFromQuantity)
  })
).annotations({ identifier: "Syncing" })

/**
 * `false` when the node is up to date, else how far it has come, in block heights and state entries.
 *
 * @category models
 */
export type Syncing = typeof Syncing.Type

const read = { namespace: "klay", safety: "safe" } as const

/**
 * The chain, its rules and governance, and the node itself.
 *
 * @category methods
 */
export const chainMethods = {
  /** [`klay_chainID`](https://docs.kaia.io/references/json-rpc/klay/chain-id/): the chain ID of the node. */
  chainId: Method.make({
    ...read,
    name: "chainID",
    params: () => [],
    result: BigIntFromQuantity
  }),
  /**
   * [`klay_clientVersion`](https://docs.kaia.io/references/json-rpc/klay/client-version/): the node's software and
   * version.
   */
  clientVersion: Method.make({
    ...read,
    name: "clientVersion",
    params: () => [],
    result: Schema.String
  }),
  /**
   * [`klay_protocolVersion`](https://docs.kaia.io/references/json-rpc/klay/protocol-version/): the version of the
   * protocol that nodes speak to each other.
   */
  protocolVersion: Method.make({
    ...read,
    name: "protocolVersion",
    params: () => [],
    result: BigIntFromQuantity
  }),
  /**
   * [`klay_syncing`](https://docs.kaia.io/references/json-rpc/klay/syncing/): whether the node is still syncing, and
   * how far it has come.
   */
  syncing: Method.make({
    ...read,
    name: "syncing",
    params: () => [],
    result: Syncing
  }),
  /** [`klay_sha3`](https://docs.kaia.io/references/json-rpc/klay/sha-3/): the Keccak-256 hash of some bytes. */
  sha3: Method.make({
    ...read,
    name: "sha3",
    params: (data: string) => [Param.data("data", data)],
    result: Hash.FromWire
  }),
  /**
   * [`klay_isParallelDBWrite`](https://docs.kaia.io/references/json-rpc/klay/is-parallel-db-write/): a setting of the
   * node.
   */
  isParallelDBWrite: Method.make({
    ...read,
    name: "isParallelDBWrite",
    params: () => [],
    result: Schema.Boolean
  }),
  /**
   * [`klay_isSenderTxHashIndexingEnabled`](https://docs.kaia.io/references/json-rpc/klay/is-sender-tx-hash-indexing-enabled/):
   * whether the node finds transactions by the sender's hash.
   */
  isSenderTxHashIndexingEnabled: Method.make({
    ...read,
    name: "isSenderTxHashIndexingEnabled",
    params: () => [],
    result: Schema.Boolean
  }),
  /** `klay_isConsoleLogEnabled`: a setting of the node. Newer nodes only. */
  isConsoleLogEnabled: Method.make({
    ...read,
    name: "isConsoleLogEnabled",
    params: () => [],
    result: Schema.Boolean
  }),
  /**
   * [`klay_nodeAddress`](https://docs.kaia.io/references/json-rpc/klay/node-address/): the node's address. Newer nodes
   * only.
   */
  nodeAddress: Method.make({
    ...read,
    name: "nodeAddress",
    params: () => [],
    result: Address.FromWire
  }),
  /**
   * [`klay_rewardbase`](https://docs.kaia.io/references/json-rpc/klay/rewardbase/): where the node's rewards go; fails
   * if it is not set.
   */
  rewardbase: Method.make({
    ...read,
    name: "rewardbase",
    params: () => [],
    result: Address.FromWire
  }),
  /**
   * [`klay_accounts`](https://docs.kaia.io/references/json-rpc/klay/accounts/): the accounts whose keys the node holds;
   * empty on a hosted node.
   */
  accounts: Method.make({
    ...read,
    name: "accounts",
    params: () => [],
    result: Schema.Array(Address.FromWire)
  }),
  /**
   * [`klay_forkStatus`](https://docs.kaia.io/references/json-rpc/klay/fork-status/): the upgrades in force at a block.
   * Newer nodes only.
   */
  forkStatus: Method.make({
    ...read,
    name: "forkStatus",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block)],
    result: ForkStatus
  }),
  /**
   * [`klay_getChainConfig`](https://docs.kaia.io/references/json-rpc/klay/get-chain-config/): the rules of the chain at
   * a block. Newer nodes only.
   */
  getChainConfig: Method.make({
    ...read,
    name: "getChainConfig",
    params: (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))],
    result: ChainConfig
  }),
  /** `klay_getParams`: the governance parameters at a block. Newer nodes only. */
  getParams: Method.make({
    ...read,
    name: "getParams",
    params: (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))],
    result: ParamMap
  }),
  /**
   * [`klay_getStakingInfo`](https://docs.kaia.io/references/json-rpc/klay/get-staking-info/): the stakes of the
   * validators at a block. Newer nodes only.
   */
  getStakingInfo: Method.make({
    ...read,
    name: "getStakingInfo",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block)],
    result: StakingInfo
  }),
  /**
   * [`klay_getRewards`](https://docs.kaia.io/references/json-rpc/klay/get-rewards/): the rewards of a block, in peb.
   * Newer nodes only.
   */
  getRewards: Method.make({
    ...read,
    name: "getRewards",
    params: (block?: BlockNumber) => [Param.optional(Param.blockNumber("block", block))],
    result: Rewards
  }),
  /**
   * [`klay_getTotalSupply`](https://docs.kaia.io/references/json-rpc/klay/get-total-supply/): the supply of the native
   * coin at a block, in peb. Newer nodes only.
   */
  getTotalSupply: Method.make({
    ...read,
    name: "getTotalSupply",
    params: (block?: BlockNumber, showPartial?: boolean) => [
      Param.optional(Param.blockNumber("block", showPartial === undefined ? block : block ?? "latest")),
      Param.optional(Param.flag("showPartial", showPartial))
    ],
    result: TotalSupply
  }),
  /**
   * [`klay_getBlsInfos`](https://docs.kaia.io/references/json-rpc/klay/get-bls-infos/): the BLS keys of the validators.
   * Newer nodes only.
   */
  getBlsInfos: Method.make({
    ...read,
    name: "getBlsInfos",
    params: (block: BlockNumber = "latest") => [Param.blockNumber("block", block)],
    result: BlsInfos
  }),
  /**
   * [`klay_getActiveAddressFromRegistry`](https://docs.kaia.io/references/json-rpc/klay/get-active-address-from-registry/):
   * the address that a system name stands for at a block. Newer nodes only.
   */
  getActiveAddressFromRegistry: Method.make({
    ...read,
    name: "getActiveAddressFromRegistry",
    params: (name: string, block: BlockNumber = "latest") => [
      Param.text("name", name),
      Param.blockNumber("block", block)
    ],
    result: Address.FromWire
  }),
  /**
   * [`klay_getAllRecordsFromRegistry`](https://docs.kaia.io/references/json-rpc/klay/get-all-records-from-registry/):
   * all addresses that a system name has stood for. Newer nodes only.
   */
  getAllRecordsFromRegistry: Method.make({
    ...read,
    name: "getAllRecordsFromRegistry",
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
    params: () => [],
    result: Schema.Struct({
      photo: Schema.String,
      names: Schema.String,
      endingPhoto: Schema.String,
      endingNames: Schema.String
    })
  }),
  /**
   * [`klay_recoverFromTransaction`](https://docs.kaia.io/references/json-rpc/klay/recover-from-transaction/): the
   * signer of a raw transaction. Newer nodes only.
   */
  recoverFromTransaction: Method.make({
    ...read,
    name: "recoverFromTransaction",
    params: (raw: string, block: BlockNumber = "latest") => [
      Param.data("raw", raw),
      Param.blockNumber("block", block)
    ],
    result: Address.FromWire
  }),
  /**
   * [`klay_recoverFromMessage`](https://docs.kaia.io/references/json-rpc/klay/recover-from-message/): the signer of a
   * message; the signature has 65 bytes and ends in 27 or 28. Newer nodes only.
   */
  recoverFromMessage: Method.make({
    ...read,
    name: "recoverFromMessage",
    params: (address: string, message: string, signature: string, block: BlockNumber = "latest") => [
      Param.address("address", address),
      Param.data("message", message),
      Param.data("signature", signature),
      Param.blockNumber("block", block)
    ],
    result: Address.FromWire
  })
}
