import { blobFeeOf, blockFieldsOf } from "@effect-klaytn/local-chain/Execution"
import { all, includes } from "@effect-klaytn/transaction/Hardfork"
import { bytesOf, type Hex, quantity, zeroAddress } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chain } from "../../Chain.js"
import { blockNumber, find } from "./BlockSelector.js"
import { failure, type Method, method, type Methods } from "./Method.js"
import { optional } from "./ParamDecoder.js"

/** The upgrades of the chain that are older than the oldest rules of the sandbox, and hold in every block. */
const early = ["Istanbul", "London", "EthTxType", "Magma", "Kore", "Shanghai", "Cancun", "Kaia"] as const

/** Upgrades that the sandbox's chain never has: they move treasuries, and draw committees of validators. */
const never = ["KIP103", "KIP160", "Randao"] as const

const later = { Prague: "prague", Osaka: "osaka" } as const

/** What the chain's rules for the base fee are set to. Where it is fixed, both bounds are the constant price. */
const kip71 = ({ feeBounds: { highest, lowest } }: Chain) => ({
  lowerboundbasefee: Number(lowest),
  upperboundbasefee: Number(highest),
  gastarget: 30_000_000,
  maxblockgasusedforbasefee: 60_000_000,
  basefeedenominator: 20
})

const istanbul = { epoch: 604_800, policy: 2, sub: 1 } as const

/** No coin is created, and nobody stakes. */
const reward = {
  mintingAmount: 0,
  ratio: "100/0/0",
  kip82ratio: "100/0",
  useGiniCoeff: false,
  deferredTxFee: true,
  stakingUpdateInterval: 86_400,
  proposerUpdateInterval: 3_600,
  minimumStake: 0
} as const

const governanceMode = "single"

const blobSchedule = { target: 1, max: 1, baseFeeUpdateFraction: 5_007_716 } as const

const activeForks = ({ hardfork }: Chain): ReadonlyArray<string> => [
  ...early,
  ...Object.entries(later).flatMap(([name, rules]) => includes(hardfork, rules) ? [name] : [])
]

const lowerFirst = (name: string): string => name.slice(0, 1).toLowerCase() + name.slice(1)

const chainConfig = (chain: Chain) => ({
  chainId: chain.chainId,
  ...Object.fromEntries(activeForks(chain).map((name) => [`${lowerFirst(name)}CompatibleBlock`, 0])),
  kip103ContractAddress: zeroAddress,
  kip160ContractAddress: zeroAddress,
  istanbul,
  ...(includes(chain.hardfork, "osaka") && { blobSchedule: { osaka: blobSchedule } }),
  unitPrice: Number(chain.unitPrice),
  deriveShaImpl: 2,
  governance: {
    governingNode: chain.validator,
    governanceMode,
    govParamContract: zeroAddress,
    reward,
    kip71: kip71(chain)
  }
})

const withPrefix = (prefix: string, values: object): { readonly [name: string]: unknown } =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name.toLowerCase()}`, value]))

const paramMap = (chain: Chain) => ({
  "governance.deriveshaimpl": 2,
  "governance.governancemode": governanceMode,
  "governance.governingnode": chain.validator,
  "governance.govparamcontract": zeroAddress,
  "governance.unitprice": Number(chain.unitPrice),
  "istanbul.committeesize": istanbul.sub,
  "istanbul.epoch": istanbul.epoch,
  "istanbul.policy": istanbul.policy,
  ...withPrefix("kip71", kip71(chain)),
  // Amounts of coin are decimal text here.
  ...withPrefix("reward", { ...reward, mintingAmount: "0", minimumStake: "0" })
})

const forkStatus = (chain: Chain) => {
  const active = new Set(activeForks(chain))
  const names = [...early, ...Object.keys(later), ...never]
  return { ChainID: chain.chainId, ...Object.fromEntries(names.map((name) => [`Is${name}`, active.has(name)])) }
}

/** What holds at any block, also at one to come: rules never change on a chain of the sandbox. */
const at = (answer: (chain: Chain) => unknown): Method =>
  method([optional(blockNumber)], (chain, _number) => Effect.succeed(answer(chain)))

/** The rules of the chain, as `klay` has them. */
export const klayRules: Methods = {
  getChainConfig: at(chainConfig),
  getParams: at(paramMap),
  forkStatus: method(
    [blockNumber],
    (chain, number) => Effect.map(find(chain, number, "block"), () => forkStatus(chain))
  ),
  rewardbase: method([], (chain) => Effect.map(chain.nextBlock, ({ miner }) => miner))
}

const precompiles = {
  cancun: {
    ECREC: 1,
    SHA256: 2,
    RIPEMD160: 3,
    ID: 4,
    MODEXP: 5,
    BN254_ADD: 6,
    BN254_MUL: 7,
    BN254_PAIRING: 8,
    BLAKE2F: 9,
    KZG_POINT_EVALUATION: 0x0a,
    VMLOG: 0x3fd,
    FEE_PAYER: 0x3fe,
    VALIDATE_SENDER: 0x3ff
  },
  prague: {
    BLS12_G1ADD: 0x0b,
    BLS12_G1MSM: 0x0c,
    BLS12_G2ADD: 0x0d,
    BLS12_G2MSM: 0x0e,
    BLS12_PAIRING_CHECK: 0x0f,
    BLS12_MAP_FP_TO_G1: 0x10,
    BLS12_MAP_FP2_TO_G2: 0x11
  },
  osaka: { P256VERIFY: 0x100 }
} as const

const addressOf = (number: number): Hex => `0x${number.toString(16).padStart(40, "0")}`

const precompilesOf = ({ hardfork }: Chain): { readonly [name: string]: Hex } =>
  Object.fromEntries(
    all.filter((rules) => includes(hardfork, rules)).flatMap((rules) =>
      Object.entries(precompiles[rules]).map(([name, number]) => [name, addressOf(number)] as const)
    )
  )

/** The checksum of EIP-6122 over a genesis hash, which no later upgrade follows. */
const forkId = (hash: Hex): Hex => {
  let sum = 0xffffffff
  for (const byte of bytesOf(hash)) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return `0x${((sum ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0")}`
}

/** The rules in force, as in EIP-7910. All began with the genesis block, and no upgrade is planned. */
const config: Method = method([], (chain) =>
  Effect.flatMap(
    chain.block(0),
    Option.match({
      onNone: () => failure("the genesis block does not exist"),
      onSome: ({ hash }) =>
        Effect.succeed({
          current: {
            activationBlock: 0,
            activationTime: 0,
            ...(includes(chain.hardfork, "osaka") && { blobSchedule }),
            chainId: quantity(chain.chainId),
            forkId: forkId(hash),
            precompiles: precompilesOf(chain),
            systemContracts: includes(chain.hardfork, "prague")
              ? { HISTORY_STORAGE_ADDRESS: "0x0000f90827f1c53a10cb7a02335b175320002935" }
              : {}
          },
          next: null,
          last: null
        })
    })
  ))

const validator: Method = method([], (chain) => Effect.succeed(chain.validator))

/** The rules of the chain, as `eth` has them. */
export const ethRules: Methods = {
  config,
  blobBaseFee: method(
    [],
    (chain) =>
      Effect.map(
        chain.head,
        (head) => quantity(blobFeeOf(blockFieldsOf(head, chain.unitPrice).baseFeePerGas, chain.hardfork))
      )
  ),
  coinbase: validator,
  etherbase: validator
}
