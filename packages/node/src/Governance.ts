/**
 * The chain's rules, staking, rewards and supply, as a node reports them.
 *
 * **Details**
 *
 * The keys of these answers changed between node versions; every known spelling is read. JSON numbers that may exceed
 * 2^53 are decoded as exact `bigint`s.
 */
import * as Schema from "effect/Schema"
import * as schemas from "./internal/records/schemas.js"

const flag = schemas.optional(Schema.Boolean)
const word = schemas.optional(Schema.String)
const count = schemas.optional(schemas.BigNumber)
const free = schemas.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/**
 * The rules of the chain at a block. Fork heights (`istanbulCompatibleBlock`, ...) and everything else not listed here
 * are kept under the node's own keys.
 *
 * @category schemas
 */
export const ChainConfig = Schema.Struct(
  {
    chainId: schemas.BigNumber,
    /** In peb. */
    unitPrice: count,
    deriveShaImpl: count,
    istanbul: free,
    governance: schemas.optional(Schema.Struct({
      governingNode: word,
      governanceMode: word,
      govParamContract: word,
      reward: schemas.optional(Schema.Struct({
        /** In peb. */
        mintingAmount: count,
        ratio: word,
        kip82ratio: word,
        useGiniCoeff: flag,
        deferredTxFee: flag,
        stakingUpdateInterval: count,
        proposerUpdateInterval: count,
        minimumStake: count
      })),
      kip71: schemas.optional(Schema.Struct({
        lowerboundbasefee: count,
        upperboundbasefee: count,
        gastarget: count,
        maxblockgasusedforbasefee: count,
        basefeedenominator: count
      }))
    }))
  },
  Schema.Record({ key: Schema.String, value: Schema.Unknown })
).annotations({ identifier: "ChainConfig" })

/**
 * The rules of the chain at a block.
 *
 * @category models
 */
export interface ChainConfig extends Schema.Schema.Type<typeof ChainConfig> {}

/**
 * Governance parameters by dotted key, such as `governance.unitprice`.
 *
 * @category schemas
 */
export const ParamMap = Schema.Record({
  key: Schema.String,
  value: Schema.Union(Schema.String, Schema.Boolean, Schema.Number, Schema.BigIntFromSelf)
}).annotations({ identifier: "ParamMap" })

/**
 * Governance parameters by dotted key, such as `governance.unitprice`.
 *
 * @category models
 */
export type ParamMap = typeof ParamMap.Type

const addresses = Schema.Array(schemas.Address)

const stakingInfo = Schema.Struct({
  blockNum: schemas.BigNumber,
  councilNodeAddrs: schemas.optional(addresses),
  councilStakingAddrs: schemas.optional(addresses),
  councilRewardAddrs: schemas.optional(addresses),
  /** In whole coins, not in peb. */
  councilStakingAmounts: schemas.optional(Schema.Array(schemas.BigNumber)),
  kefAddr: word,
  kifAddr: word,
  KIRAddr: word,
  PoCAddr: word,
  kcfAddr: word,
  kffAddr: word,
  useGini: flag,
  /** -1 when it is undefined. */
  gini: schemas.optional(Schema.Number),
  clStakingInfos: schemas.optional(Schema.Array(Schema.Struct({
    clNodeId: schemas.Address,
    clPoolAddr: schemas.Address,
    clStakingAmount: schemas.BigNumber
  })))
}).annotations({ identifier: "StakingInfo" })

/**
 * The stakes of the validators. The capitalised keys of old nodes are read too.
 *
 * @category models
 */
export interface StakingInfo extends Schema.Schema.Type<typeof stakingInfo> {}

/**
 * The schema of the stakes of the validators.
 *
 * @category schemas
 */
export const StakingInfo: Schema.Schema<StakingInfo, unknown> = schemas.prepare(
  stakingInfo,
  schemas.respell({
    BlockNum: "blockNum",
    CouncilNodeAddrs: "councilNodeAddrs",
    CouncilStakingAddrs: "councilStakingAddrs",
    CouncilRewardAddrs: "councilRewardAddrs",
    CouncilStakingAmounts: "councilStakingAmounts",
    UseGini: "useGini",
    Gini: "gini"
  })
)

const rewards = Schema.Struct({
  minted: schemas.BigNumber,
  totalFee: schemas.BigNumber,
  burntFee: schemas.BigNumber,
  proposer: schemas.BigNumber,
  stakers: schemas.BigNumber,
  kif: count,
  kef: count,
  rewards: Schema.Record({ key: Schema.String, value: schemas.BigNumber })
}).annotations({ identifier: "Rewards" })

/**
 * The rewards of a block in peb, and who received them. `kgf` and `kir` of old nodes are read as `kif` and `kef`.
 *
 * @category models
 */
export interface Rewards extends Schema.Schema.Type<typeof rewards> {}

/**
 * The schema of the rewards of a block.
 *
 * @category schemas
 */
export const Rewards: Schema.Schema<Rewards, unknown> = schemas.prepare(
  rewards,
  schemas.respell({ kgf: "kif", kir: "kef" })
)

const supply = schemas.optional(schemas.Peb)

/**
 * The supply of the native coin in peb. `error` is present only if a partial answer was requested and given.
 *
 * @category schemas
 */
export const TotalSupply = Schema.Struct({
  number: schemas.Quantity,
  totalSupply: supply,
  totalMinted: supply,
  totalBurnt: supply,
  burntFee: supply,
  zeroBurn: supply,
  deadBurn: supply,
  kip103Burn: supply,
  kip160Burn: supply,
  error: word
}).annotations({ identifier: "TotalSupply" })

/**
 * The supply of the native coin in peb.
 *
 * @category models
 */
export interface TotalSupply extends Schema.Schema.Type<typeof TotalSupply> {}

/**
 * Which upgrades are in force, by the node's own names, and the chain ID.
 *
 * @category schemas
 */
export const ForkStatus = Schema.Record({ key: Schema.String, value: Schema.Union(Schema.Boolean, schemas.BigNumber) })
  .annotations({ identifier: "ForkStatus" })

/**
 * Which upgrades are in force, by the node's own names, and the chain ID.
 *
 * @category models
 */
export type ForkStatus = typeof ForkStatus.Type

/**
 * BLS keys by address, the key and its proof in hex without `0x`.
 *
 * @category schemas
 */
export const BlsInfos = Schema.Record({
  key: Schema.String,
  value: Schema.Struct({ publicKey: Schema.String, pop: Schema.String, verifyErr: schemas.optional(Schema.Unknown) })
}).annotations({ identifier: "BlsInfos" })

/**
 * BLS keys by address, the key and its proof in hex without `0x`.
 *
 * @category models
 */
export type BlsInfos = typeof BlsInfos.Type

/**
 * Entries of the registry contract for one name, each with the height from which it is in force.
 *
 * @category schemas
 */
export const RegistryRecords = Schema.Array(Schema.Struct({ addr: schemas.Address, activation: schemas.BigNumber }))
  .annotations({ identifier: "RegistryRecords" })

/**
 * Entries of the registry contract for one name, each with the height from which it is in force.
 *
 * @category models
 */
export type RegistryRecords = typeof RegistryRecords.Type
