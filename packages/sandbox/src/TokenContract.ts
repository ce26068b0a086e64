/**
 * Deploys, mints, burns and transfers tokens by signed transactions.
 */
import { type AbiValue, encodeArguments, encodeCall } from "@effect-klaytn/indexer/Abi"
import type { TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import { InvalidRequest } from "@effect-klaytn/local-chain/ChainError"
import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import type { SendRequest } from "@effect-klaytn/local-chain/SendRequest"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Chain, SendFailure } from "./Chain.js"
import { artifacts } from "./internal/contracts/artifacts.generated.js"

/**
 * A contract to deploy. `minter` says who may mint: with `anyone` (default) it is the sandbox's own open contract, with
 * `deployer` the published preset of `@kaiachain/contracts`, whose deployer has the minter role.
 *
 * @category models
 */
export type TokenSpec =
  | {
    readonly kind: "ft"
    readonly name: string
    readonly symbol: string
    /** 0 to 255, default 18; the published preset always has 18. */
    readonly decimals?: number | undefined
    readonly minter?: "anyone" | "deployer" | undefined
  }
  | {
    readonly kind: "nft"
    readonly name: string
    readonly symbol: string
    /** Prefix of every token's URI in the published preset. In the open contract, each token has a URI of its own. */
    readonly baseUri?: string | undefined
    readonly minter?: "anyone" | "deployer" | undefined
  }
  | {
    readonly kind: "mt"
    /** URI of all tokens without one of their own. */
    readonly uri: string
    readonly minter?: "anyone" | "deployer" | undefined
  }

/**
 * A deployed token contract.
 *
 * @category models
 */
export interface TokenContract {
  readonly address: Hex
  readonly kind: "ft" | "nft" | "mt"
  readonly minter: "anyone" | "deployer"
}

/**
 * What to mint. The published KIP-17 preset numbers its tokens itself, from 0 on, and ignores `tokenId` and `uri`. In the
 * published KIP-37 preset, a token must be created before it is minted: the first time, set `create` to its URI.
 *
 * @category models
 */
export type Mint =
  | { readonly kind: "ft"; readonly to: Hex; readonly amount: bigint }
  | { readonly kind: "nft"; readonly to: Hex; readonly tokenId: bigint; readonly uri?: string | undefined }
  | {
    readonly kind: "mt"
    readonly to: Hex
    readonly tokenId: bigint
    readonly amount: bigint
    readonly create?: string | undefined
  }

/**
 * What to transfer. The sender is the owner.
 *
 * @category models
 */
export type TokenTransfer =
  | { readonly kind: "ft"; readonly to: Hex; readonly amount: bigint }
  | { readonly kind: "nft"; readonly to: Hex; readonly tokenId: bigint }
  | {
    readonly kind: "mt"
    readonly to: Hex
    readonly ids: ReadonlyArray<bigint>
    readonly amounts: ReadonlyArray<bigint>
  }

/**
 * Settings of the transaction: fee payer, gas limit and nonce.
 *
 * @category models
 */
export type Carrier = Pick<SendRequest, "feePayer" | "feeRatio" | "gas" | "nonce">

const call = (signature: string, values: ReadonlyArray<AbiValue>): Hex => fromBytes(encodeCall(signature, values))

const creation = (name: keyof typeof artifacts, signature: string, values: ReadonlyArray<AbiValue>): Hex =>
  `0x${artifacts[name].bytecode.slice(2)}${fromBytes(encodeArguments(signature, values)).slice(2)}`

/**
 * Creation code of a contract with its arguments: the input of the deploying transaction.
 *
 * @category encoding
 */
export const creationCode = (spec: TokenSpec): Hex => {
  const isPreset = spec.minter === "deployer"
  switch (spec.kind) {
    case "ft":
      return isPreset
        ? creation("KIP7PresetMinterPauser", "(string,string)", [spec.name, spec.symbol])
        : creation("OpenKIP7", "(string,string,uint8)", [spec.name, spec.symbol, BigInt(spec.decimals ?? 18)])
    case "nft":
      return isPreset
        ? creation("KIP17PresetMinterPauserAutoId", "(string,string,string)", [
          spec.name,
          spec.symbol,
          spec.baseUri ?? ""
        ])
        : creation("OpenKIP17", "(string,string)", [spec.name, spec.symbol])
    case "mt":
      return creation(isPreset ? "KIP37PresetMinterPauser" : "OpenKIP37", "(string)", [spec.uri])
  }
}

/**
 * Call data that mints tokens.
 *
 * @category encoding
 */
export const mintCall = (token: TokenContract, mint: Mint): Hex => {
  const isPreset = token.minter === "deployer"
  switch (mint.kind) {
    case "ft":
      return call("mint(address,uint256)", [mint.to, mint.amount])
    case "nft":
      return isPreset
        ? call("mint(address)", [mint.to])
        : call("mint(address,uint256,string)", [mint.to, mint.tokenId, mint.uri ?? ""])
    case "mt":
      if (!isPreset) return call("mint(address,uint256,uint256)", [mint.to, mint.tokenId, mint.amount])
      return mint.create === undefined
        ? call("mint(uint256,address,uint256)", [mint.tokenId, mint.to, mint.amount])
        : call("create(uint256,uint256,string)", [mint.tokenId, mint.amount, mint.create])
  }
}

/**
 * Call data that transfers tokens of `from`.
 *
 * @category encoding
 */
export const transferCall = (from: Hex, transfer: TokenTransfer): Hex => {
  switch (transfer.kind) {
    case "ft":
      return call("transfer(address,uint256)", [transfer.to, transfer.amount])
    case "nft":
      return call("transferFrom(address,address,uint256)", [from, transfer.to, transfer.tokenId])
    case "mt": {
      const { amounts, ids, to } = transfer
      const [id] = ids
      return id !== undefined && ids.length === 1
        ? call("safeTransferFrom(address,address,uint256,uint256,bytes)", [from, to, id, amounts[0] ?? 0n, "0x"])
        : call("safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)", [from, to, ids, amounts, "0x"])
    }
  }
}

const limit = 2n ** 256n

/** The amounts and the token IDs of an action. */
const numbersOf = (action: Mint | TokenTransfer): ReadonlyArray<bigint> =>
  Object.values(action).flat().filter(Predicate.isBigInt)

/** Calls the contract of tokens, unless it can't do what is asked. */
const act = (
  chain: Chain,
  from: DevAccount,
  token: TokenContract,
  action: Mint | TokenTransfer,
  carrier: Carrier,
  data: () => Hex
): Effect.Effect<TransactionRecord, SendFailure> =>
  Effect.gen(function*() {
    if (token.kind !== action.kind) {
      return yield* new InvalidRequest({ message: `the contract holds ${token.kind} tokens, not ${action.kind}` })
    }
    if (numbersOf(action).some((value) => value < 0n || value >= limit)) {
      return yield* new InvalidRequest({ message: "amounts and token IDs are from 0 to 2^256 - 1" })
    }
    return yield* chain.execute({ ...carrier, kind: "execute", from, to: token.address, data: data() })
  })

/**
 * Deploys a token contract. The transaction is the newest one of `from`.
 *
 * @example
 * ```ts
 * import * as Chains from "@effect-klaytn/sandbox/Chains"
 * import * as TokenContract from "@effect-klaytn/sandbox/TokenContract"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function*() {
 *   const chains = yield* Chains.Chains
 *   const chain = chains.chain(1001)
 *   const alice = chains.account("alice")
 *   yield* chain.fund(alice.address, 10n ** 19n)
 *   const apples = yield* TokenContract.deploy(chain, alice, { kind: "ft", name: "Apple", symbol: "APL", decimals: 2 })
 *   yield* TokenContract.mint(chain, alice, apples, { kind: "ft", to: alice.address, amount: 1000n })
 * })
 * ```
 *
 * @category operations
 */
export const deploy = (
  chain: Chain,
  from: DevAccount,
  spec: TokenSpec,
  carrier: Carrier = {}
): Effect.Effect<TokenContract, SendFailure> =>
  Effect.gen(function*() {
    const { decimals = 18 } = spec.kind === "ft" ? spec : {}
    if (!(Number.isInteger(decimals) && decimals >= 0 && decimals <= 255)) {
      return yield* new InvalidRequest({ message: `decimals are a whole number from 0 to 255, not ${decimals}` })
    }
    const { contractAddress } = yield* chain.execute({ ...carrier, kind: "deploy", from, code: creationCode(spec) })
    return contractAddress === undefined
      ? yield* new InvalidRequest({ message: "the deployment created no contract" })
      : { address: contractAddress, kind: spec.kind, minter: spec.minter ?? "anyone" }
  })

/**
 * Mints tokens. With the minter `deployer`, only the deployer may.
 *
 * @category operations
 */
export const mint = (
  chain: Chain,
  from: DevAccount,
  token: TokenContract,
  what: Mint,
  carrier: Carrier = {}
): Effect.Effect<TransactionRecord, SendFailure> => act(chain, from, token, what, carrier, () => mintCall(token, what))

/**
 * Transfers tokens of the sender. Fails with `ExecutionFailed` if it does not have enough.
 *
 * @category operations
 */
export const transfer = (
  chain: Chain,
  from: DevAccount,
  token: TokenContract,
  what: TokenTransfer,
  carrier: Carrier = {}
): Effect.Effect<TransactionRecord, SendFailure> =>
  act(chain, from, token, what, carrier, () => transferCall(from.address, what))
