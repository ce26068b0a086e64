/**
 * JSON-RPC methods that describe the chain, its rules and the node.
 */
import * as Schema from "effect/Schema"
import type { BlockNumber } from "./BlockSelector.js"
import * as Governance from "./Governance.js"
import * as params from "./internal/methods/params.js"
import * as schemas from "./internal/records/schemas.js"
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
    startingBlock: schemas.Quantity,
    currentBlock: schemas.Quantity,
    highestBlock: schemas.Quantity,
    pulledStates: schemas.optional(schemas.Quantity),
    knownStates: schemas.optional(schemas.Quantity)
  })
).annotations({ identifier: "Syncing" })

/**
 * `false` when the node is up to date, else how far it has come, in block heights and state entries.
 *
 * @category models
 */
export type Syncing = typeof Syncing.Type

const read = Method.makeIn("klay", "safe")

const ofName = (name: string, block: BlockNumber = "latest") => [
  Param.text("name", name),
  Param.blockNumber("block", block)
]

/**
 * The chain, its rules and governance, and the node itself.
 *
 * @category methods
 */
export const chainMethods = {
  /** [`klay_chainID`](https://docs.kaia.io/references/json-rpc/klay/chain-id/): the chain ID of the node. */
  chainId: read("chainID", params.none, schemas.Quantity),
  /**
   * [`klay_clientVersion`](https://docs.kaia.io/references/json-rpc/klay/client-version/): the node's software and
   * version.
   */
  clientVersion: read("clientVersion", params.none, Schema.String),
  /**
   * [`klay_protocolVersion`](https://docs.kaia.io/references/json-rpc/klay/protocol-version/): the version of the
   * protocol that nodes speak to each other.
   */
  protocolVersion: read("protocolVersion", params.none, schemas.Quantity),
  /**
   * [`klay_syncing`](https://docs.kaia.io/references/json-rpc/klay/syncing/): whether the node is still syncing, and
   * how far it has come.
   */
  syncing: read("syncing", params.none, Syncing),
  /** [`klay_sha3`](https://docs.kaia.io/references/json-rpc/klay/sha-3/): the Keccak-256 hash of some bytes. */
  sha3: read("sha3", params.data, schemas.Hash),
  /**
   * [`klay_isParallelDBWrite`](https://docs.kaia.io/references/json-rpc/klay/is-parallel-db-write/): a setting of the
   * node.
   */
  isParallelDBWrite: read("isParallelDBWrite", params.none, Schema.Boolean),
  /**
   * [`klay_isSenderTxHashIndexingEnabled`](https://docs.kaia.io/references/json-rpc/klay/is-sender-tx-hash-indexing-enabled/):
   * whether the node finds transactions by the sender's hash.
   */
  isSenderTxHashIndexingEnabled: read("isSenderTxHashIndexingEnabled", params.none, Schema.Boolean),
  /** `klay_isConsoleLogEnabled`: a setting of the node. Newer nodes only. */
  isConsoleLogEnabled: read("isConsoleLogEnabled", params.none, Schema.Boolean),
  /**
   * [`klay_nodeAddress`](https://docs.kaia.io/references/json-rpc/klay/node-address/): the node's address. Newer nodes
   * only.
   */
  nodeAddress: read("nodeAddress", params.none, schemas.Address),
  /**
   * [`klay_rewardbase`](https://docs.kaia.io/references/json-rpc/klay/rewardbase/): where the node's rewards go; fails
   * if it is not set.
   */
  rewardbase: read("rewardbase", params.none, schemas.Address),
  /**
   * [`klay_accounts`](https://docs.kaia.io/references/json-rpc/klay/accounts/): the accounts whose keys the node holds;
   * empty on a hosted node.
   */
  accounts: read("accounts", params.none, Schema.Array(schemas.Address)),
  /**
   * [`klay_forkStatus`](https://docs.kaia.io/references/json-rpc/klay/fork-status/): the upgrades in force at a block.
   * Newer nodes only.
   */
  forkStatus: read("forkStatus", params.block, Governance.ForkStatus),
  /**
   * [`klay_getChainConfig`](https://docs.kaia.io/references/json-rpc/klay/get-chain-config/): the rules of the chain at
   * a block. Newer nodes only.
   */
  getChainConfig: read("getChainConfig", params.optionalBlock, Governance.ChainConfig),
  /** `klay_getParams`: the governance parameters at a block. Newer nodes only. */
  getParams: read("getParams", params.optionalBlock, Governance.ParamMap),
  /**
   * [`klay_getStakingInfo`](https://docs.kaia.io/references/json-rpc/klay/get-staking-info/): the stakes of the
   * validators at a block. Newer nodes only.
   */
  getStakingInfo: read("getStakingInfo", params.block, Governance.StakingInfo),
  /**
   * [`klay_getRewards`](https://docs.kaia.io/references/json-rpc/klay/get-rewards/): the rewards of a block, in peb.
   * Newer nodes only.
   */
  getRewards: read("getRewards", params.optionalBlock, Governance.Rewards),
  /**
   * [`klay_getTotalSupply`](https://docs.kaia.io/references/json-rpc/klay/get-total-supply/): the supply of the native
   * coin at a block, in peb. Newer nodes only.
   */
  getTotalSupply: read(
    "getTotalSupply",
    (block?: BlockNumber, showPartial?: boolean) => [
      Param.optional(Param.blockNumber("block", showPartial === undefined ? block : block ?? "latest")),
      Param.optional(Param.flag("showPartial", showPartial))
    ],
    Governance.TotalSupply
  ),
  /**
   * [`klay_getBlsInfos`](https://docs.kaia.io/references/json-rpc/klay/get-bls-infos/): the BLS keys of the validators.
   * Newer nodes only.
   */
  getBlsInfos: read("getBlsInfos", params.block, Governance.BlsInfos),
  /**
   * [`klay_getActiveAddressFromRegistry`](https://docs.kaia.io/references/json-rpc/klay/get-active-address-from-registry/):
   * the address that a system name stands for at a block. Newer nodes only.
   */
  getActiveAddressFromRegistry: read("getActiveAddressFromRegistry", ofName, schemas.Address),
  /**
   * [`klay_getAllRecordsFromRegistry`](https://docs.kaia.io/references/json-rpc/klay/get-all-records-from-registry/):
   * all addresses that a system name has stood for. Newer nodes only.
   */
  getAllRecordsFromRegistry: read("getAllRecordsFromRegistry", ofName, Governance.RegistryRecords),
  /** `klay_getCypressCredit`: the credits of the people who made the main network. */
  getCypressCredit: read(
    "getCypressCredit",
    params.none,
    Schema.Struct({
      photo: Schema.String,
      names: Schema.String,
      endingPhoto: Schema.String,
      endingNames: Schema.String
    })
  ),
  /**
   * [`klay_recoverFromTransaction`](https://docs.kaia.io/references/json-rpc/klay/recover-from-transaction/): the
   * signer of a raw transaction. Newer nodes only.
   */
  recoverFromTransaction: read(
    "recoverFromTransaction",
    (raw: string, block: BlockNumber = "latest") => [
      Param.data("raw", raw),
      Param.blockNumber("block", block)
    ],
    schemas.Address
  ),
  /**
   * [`klay_recoverFromMessage`](https://docs.kaia.io/references/json-rpc/klay/recover-from-message/): the signer of a
   * message; the signature has 65 bytes and ends in 27 or 28. Newer nodes only.
   */
  recoverFromMessage: read(
    "recoverFromMessage",
    (address: string, message: string, signature: string, block: BlockNumber = "latest") => [
      Param.address("address", address),
      Param.data("message", message),
      Param.data("signature", signature),
      Param.blockNumber("block", block)
    ],
    schemas.Address
  )
}
