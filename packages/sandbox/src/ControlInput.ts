/**
 * The input of the control interface. Amounts and token IDs are `bigint` here and decimal strings in JSON.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

/**
 * A whole number from 0 to 2^256 - 1, a decimal string in JSON. Coin amounts are in peb, token amounts in the token's
 * smallest unit.
 *
 * @category schemas
 */
export const Whole = Schema.transform(
  Schema.String.pipe(
    Schema.pattern(/^\d{1,78}$/, { message: () => "expected a whole number as decimal text, \"1000\"" })
  ),
  Schema.BigIntFromSelf.pipe(
    Schema.betweenBigInt(0n, 2n ** 256n - 1n, { message: () => "expected a number below 2^256" })
  ),
  { strict: true, decode: BigInt, encode: String }
)

/**
 * Name of an account whose key the sandbox holds: up to 32 lower-case letters, digits and hyphens.
 *
 * @category schemas
 */
export const AccountName = Schema.String.pipe(Schema.pattern(/^[a-z][a-z0-9-]{0,31}$/, {
  message: () => "expected the name of an account: up to 32 lower-case letters, digits and hyphens"
}))

const isName = Schema.is(AccountName)

const isAddress = (text: string): boolean => Either.isRight(Address.make(text))

/**
 * An account: its name, or any address.
 *
 * @category schemas
 */
export const AccountRef = Schema.String.pipe(
  Schema.filter((text) => isName(text) || isAddress(text), {
    identifier: "AccountRef",
    message: () => "expected the name of an account, or an address as 0x and 40 digits (checked if the case is mixed)"
  })
)

/**
 * A token contract, by its address.
 *
 * @category schemas
 */
export const ContractRef = Schema.String.pipe(
  Schema.filter(isAddress, {
    identifier: "ContractRef",
    message: () => "expected an address as 0x and 40 hexadecimal digits (checked if the case is mixed)"
  })
)

/** Unknown fields are errors, so that misspelt ones are not ignored. */
const exact = { parseOptions: { onExcessProperty: "error" } } as const

const carrier = {
  /** Who pays the fee instead of the sender: an account whose key the sandbox holds. */
  feePayer: Schema.optional(AccountRef),
  /** Percent of the fee that the fee payer pays, 1 to 99. Default: all of it. */
  feeRatio: Schema.optional(Schema.Int.pipe(Schema.between(1, 99)))
}

/**
 * A new account.
 *
 * @category schemas
 */
export const CreateAccount = Schema.Struct({
  name: AccountName,
  /** Coin to send it from the faucet. Default: none. */
  amount: Schema.optional(Whole)
}).annotations(exact)

/**
 * Coin from the faucet.
 *
 * @category schemas
 */
export const Fund = Schema.Struct({ to: AccountRef, amount: Whole }).annotations(exact)

/**
 * A transfer of coin.
 *
 * @category schemas
 */
export const Transfer = Schema.Struct({ from: AccountRef, to: AccountRef, amount: Whole, ...carrier }).annotations(
  exact
)

const minter = Schema.optional(Schema.Literal("anyone", "deployer"))

/**
 * A token contract to deploy. `minter` is `anyone` (default) for the sandbox's open contract, which lets everybody
 * mint, or `deployer` for the published preset.
 *
 * @category schemas
 */
export const Deploy = Schema.Union(
  Schema.Struct({
    kind: Schema.Literal("ft"),
    from: AccountRef,
    name: Schema.String,
    symbol: Schema.String,
    /** Default: 18. */
    decimals: Schema.optional(Schema.Int.pipe(Schema.between(0, 255))),
    minter
  }),
  Schema.Struct({
    kind: Schema.Literal("nft"),
    from: AccountRef,
    name: Schema.String,
    symbol: Schema.String,
    baseUri: Schema.optional(Schema.String),
    minter
  }),
  Schema.Struct({ kind: Schema.Literal("mt"), from: AccountRef, uri: Schema.String, minter })
).annotations(exact)

const minting = { from: AccountRef, to: AccountRef, minter }

/**
 * Tokens to mint. `minter` must be what the contract was deployed with.
 *
 * @category schemas
 */
export const Mint = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("ft"), ...minting, amount: Whole }),
  Schema.Struct({ kind: Schema.Literal("nft"), ...minting, tokenId: Whole, uri: Schema.optional(Schema.String) }),
  Schema.Struct({
    kind: Schema.Literal("mt"),
    ...minting,
    tokenId: Whole,
    amount: Whole,
    /** URI of a token that does not exist yet, for the published preset. */
    create: Schema.optional(Schema.String)
  })
).annotations(exact)

const moving = { from: AccountRef, to: AccountRef, ...carrier }

/**
 * Tokens to transfer.
 *
 * @category schemas
 */
export const TokenTransfer = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("ft"), ...moving, amount: Whole }),
  Schema.Struct({ kind: Schema.Literal("nft"), ...moving, tokenId: Whole }),
  Schema.Struct({
    kind: Schema.Literal("mt"),
    ...moving,
    ids: Schema.NonEmptyArray(Whole),
    /** One for each of `ids`. */
    amounts: Schema.NonEmptyArray(Whole)
  }).pipe(
    Schema.filter(({ amounts, ids }) => amounts.length === ids.length || "expected as many amounts as ids")
  )
).annotations(exact)

/**
 * How many blocks to take back, and whether their transactions wait again (`return`, default) or are gone (`drop`).
 *
 * @category schemas
 */
export const Reorg = Schema.Struct({
  depth: Schema.Int.pipe(Schema.between(1, 10_000)),
  transactions: Schema.optional(Schema.Literal("return", "drop"))
}).annotations(exact)

/**
 * The base fee of the next block, peb.
 *
 * @category schemas
 */
export const NextBaseFee = Schema.Struct({ baseFee: Whole }).annotations(exact)

/**
 * The status of a token contract's label.
 *
 * @category schemas
 */
export const LabelStatus = Schema.Literal("completed", "processing", "failed", "cancelled")

/**
 * A label for a token contract.
 *
 * @category schemas
 */
export const SetLabel = Schema.Struct({ status: LabelStatus }).annotations(exact)

/**
 * A preset: accounts and token contracts to search the transfer history by.
 *
 * @category schemas
 */
export const CreatePreset = Schema.Struct({
  name: Schema.NonEmptyString,
  /** Default: none. */
  accounts: Schema.optional(Schema.Array(AccountRef)),
  /** Default: none. */
  contracts: Schema.optional(Schema.Array(ContractRef))
}).pipe(
  Schema.filter(({ accounts = [], contracts = [] }) =>
    accounts.length + contracts.length > 0 || "expected at least one account or contract"
  )
).annotations(exact)

/**
 * Name of pools of the wallet: up to 64 letters, digits, dots, hyphens and underscores.
 *
 * @category schemas
 */
export const PoolName = Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
  message: () => "expected the name of a pool: up to 64 letters, digits, dots, hyphens and underscores"
}))

/**
 * Pools to make: one each for accounts, fee payers and keys.
 *
 * @category schemas
 */
export const CreatePool = Schema.Struct({ name: PoolName }).annotations(exact)
