/**
 * The chain's rules, staking, rewards and supply, as a node reports them.
 *
 * **Details**
 *
 * The keys of these answers changed between node versions; every known spelling is read. JSON numbers that may exceed
 * 2^53 are decoded as exact `bigint`s.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import { FromQuantity as PebFromQuantity } from "@effect-klaytn/core/Amount"
import { BigIntFromQuantity } from "@effect-klaytn/core/Hex"
import * as Schema from "effect/Schema"
import * as field from "./internal/field.js"

const flag = field.absent(Schema.Boolean)
const word = field.absent(Schema.String)
const count = field.absent(field.BigNumber)
const free = field.absent(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/**
 * The rules of the chain at a block. Fork heights (`istanbulCompatibleBlock`, ...) and everything else not listed here
 * are kept under the node's own keys.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ChainConfig = Schema.Struct(
  {
    chainId: field.BigNumber,
    /** In peb. */
    unitPrice: count,
    deriveShaImpl: count,
    istanbul: free,
    governance: field.absent(Schema.Struct({
      governingNode: word,
      governanceMode: word,
      govParamContract: word,
      reward: field.absent(Schema.Struct({
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
      kip71: field.absent(Schema.Struct({
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
 * @since 0.1.0
 * @category models
 */
export interface ChainConfig extends Schema.Schema.Type<typeof ChainConfig> {}

/**
 * Governance parameters by dotted key, such as `governance.unitprice`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ParamMap = Schema.Record({
  key: Schema.String,
  value: Schema.Union(Schema.String, Schema.Boolean, Schema.Number, Schema.BigIntFromSelf)
}).annotations({ identifier: "ParamMap" })

/**
 * Governance parameters by dotted key, such as `governance.unitprice`.
 *
 * @since 0.1.0
 * @category models
 */
export type ParamMap = typeof ParamMap.Type

const addresses = Schema.Array(Address.FromWire)

const stakingInfo = Schema.Struct({
  blockNum: field.BigNumber,
  councilNodeAddrs: field.absent(addresses),
  councilStakingAddrs: field.absent(addresses),
  councilRewardAddrs: field.absent(addresses),
  /** In whole coins, not in peb. */
  councilStakingAmounts: field.absent(Schema.Array(field.BigNumber)),
  kefAddr: word,
  kifAddr: word,
  KIRAddr: word,
  PoCAddr: word,
  kcfAddr: word,
  kffAddr: word,
  useGini: flag,
  /** -1 when it is undefined. */
  gini: field.absent(Schema.Number),
  clStakingInfos: field.absent(Schema.Array(Schema.Struct({
    clNodeId: Address.FromWire,
    clPoolAddr: Address.FromWire,
    clStakingAmount: field.BigNumber
  })))
}).annotations({ identifier: "StakingInfo" })

/**
 * The stakes of the validators. The capitalised keys of old nodes are read too.
 *
 * @since 0.1.0
 * @category models
 */
export interface StakingInfo extends Schema.Schema.Type<typeof stakingInfo> {}

/**
 * The schema of the stakes of the validators.
 *
 * @since 0.1.0
 * @category schemas
 */
export const StakingInfo: Schema.Schema<StakingInfo, unknown> = field.prepared(
  stakingInfo,
  field.spelled({
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
  minted: field.BigNumber,
  totalFee: field.BigNumber,
  burntFee: field.BigNumber,
  proposer: field.BigNumber,
  stakers: field.BigNumber,
  kif: count,
  kef: count,
  rewards: Schema.Record({ key: Schema.String, value: field.BigNumber })
}).annotations({ identifier: "Rewards" })

/**
 * The rewards of a block in peb, and who received them. `kgf` and `kir` of old nodes are read as `kif` and `kef`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rewards extends Schema.Schema.Type<typeof rewards> {}

/**
 * The schema of the rewards of a block.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Rewards: Schema.Schema<Rewards, unknown> = field.prepared(
  rewards,
  field.spelled({ kgf: "kif", kir: "kef" })
)

const supply = field.absent(PebFromQuantity)

/**
 * The supply of the native coin in peb. `error` is present only if a partial answer was requested and given.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TotalSupply = Schema.Struct({
  number: BigIntFromQuantity,
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
 * @since 0.1.0
 * @category models
 */
export interface TotalSupply extends Schema.Schema.Type<typeof TotalSupply> {}

/**
 * Which upgrades are in force, by the node's own names, and the chain ID.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ForkStatus = Schema.Record({ key: Schema.String, value: Schema.Union(Schema.Boolean, field.BigNumber) })
  .annotations({ identifier: "ForkStatus" })

/**
 * Which upgrades are in force, by the node's own names, and the chain ID.
 *
 * @since 0.1.0
 * @category models
 */
export type ForkStatus = typeof ForkStatus.Type

/**
 * BLS keys by address, the key and its proof in hex without `0x`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const BlsInfos = Schema.Record({
  key: Schema.String,
  value: Schema.Struct({ publicKey: Schema.String, pop: Schema.String, verifyErr: field.absent(Schema.Unknown) })
}).annotations({ identifier: "BlsInfos" })

/**
 * BLS keys by address, the key and its proof in hex without `0x`.
 *
 * @since 0.1.0
 * @category models
 */
export type BlsInfos = typeof BlsInfos.Type

/**
 * Entries of the registry contract for one name, each with the height from which it is in force.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RegistryRecords = Schema.Array(Schema.Struct({ addr: Address.FromWire, activation: field.BigNumber }))
  .annotations({ identifier: "RegistryRecords" })

/**
 * Entries of the registry contract for one name, each with the height from which it is in force.
 *
 * @since 0.1.0
 * @category models
 */
export type RegistryRecords = typeof RegistryRecords.Type
