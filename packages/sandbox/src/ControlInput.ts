/**
 * What the control interface takes. Amounts and token IDs are `bigint` here, and decimal text in JSON.
 *
 * @since 0.1.0
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Schema from "effect/Schema"

/**
 * A whole number from 0 to 2^256 - 1, as decimal text in JSON. Amounts of coin are in peb, those of tokens in their
 * smallest unit.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Whole = Schema.transform(
  Schema.String.pipe(Schema.pattern(/^\d{1,78}$/, { message: () => "expected a whole number as decimal text, \"1000\"" })),
  Schema.BigIntFromSelf.pipe(
    Schema.betweenBigInt(0n, 2n ** 256n - 1n, { message: () => "expected a number below 2^256" })
  ),
  { strict: true, decode: BigInt, encode: String }
)

/**
 * Name of an account whose key the sandbox holds: up to 32 lower-case letters, digits and hyphens.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AccountName = Schema.String.pipe(Schema.pattern(/^[a-z][a-z0-9-]{0,31}$/, {
  message: () => "expected the name of an account: up to 32 lower-case letters, digits and hyphens"
}))

/**
 * An account: its name, or any address.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AccountRef = Schema.Union(AccountName, Address.FromInput).annotations({
  message: () => ({
    message: "expected the name of an account, or an address with 40 hexadecimal digits and a right checksum",
    override: true
  })
})

const carrier = {
  /** Who pays the fee instead of the sender; an account whose key the sandbox holds. */
  feePayer: Schema.optionalWith(AccountRef, { exact: true }),
  /** Percent of the fee that the fee payer pays, 1 to 99. Default: all of it. */
  feeRatio: Schema.optionalWith(Schema.Int.pipe(Schema.between(1, 99)), { exact: true })
}

/**
 * A new account.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CreateAccount = Schema.Struct({
  name: AccountName,
  /** Coin to send it from the faucet. Default: none. */
  amount: Schema.optionalWith(Whole, { exact: true })
})

/**
 * Coin from the faucet.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Fund = Schema.Struct({ to: AccountRef, amount: Whole })

/**
 * A transfer of coin.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Transfer = Schema.Struct({ from: AccountRef, to: AccountRef, amount: Whole, ...carrier })

const minter = Schema.optionalWith(Schema.Literal("anyone", "deployer"), { exact: true })

/**
 * A token contract to deploy. `minter`: `anyone` (default) takes the sandbox's open contract, where everybody may mint;
 * `deployer` the published preset.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Deploy = Schema.Union(
  Schema.Struct({
    kind: Schema.Literal("ft"),
    from: AccountRef,
    name: Schema.String,
    symbol: Schema.String,
    /** Default: 18. */
    decimals: Schema.optionalWith(Schema.Int.pipe(Schema.between(0, 255)), { exact: true }),
    minter
  }),
  Schema.Struct({
    kind: Schema.Literal("nft"),
    from: AccountRef,
    name: Schema.String,
    symbol: Schema.String,
    baseUri: Schema.optionalWith(Schema.String, { exact: true }),
    minter
  }),
  Schema.Struct({ kind: Schema.Literal("mt"), from: AccountRef, uri: Schema.String, minter })
)

const minting = { from: AccountRef, to: AccountRef, minter }

/**
 * Tokens to mint. `minter` has to be what the contract was deployed with.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Mint = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("ft"), ...minting, amount: Whole }),
  Schema.Struct({ kind: Schema.Literal("nft"), ...minting, tokenId: Whole, uri: Schema.optionalWith(Schema.String, { exact: true }) }),
  Schema.Struct({
    kind: Schema.Literal("mt"),
    ...minting,
    tokenId: Whole,
    amount: Whole,
    /** URI of a token that does not exist yet, for the published preset. */
    create: Schema.optionalWith(Schema.String, { exact: true })
  })
)

const moving = { from: AccountRef, to: AccountRef, ...carrier }

/**
 * Tokens to transfer.
 *
 * @since 0.1.0
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
)

/**
 * A preset: accounts and token contracts to search the transfer history by.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CreatePreset = Schema.Struct({
  name: Schema.NonEmptyString,
  /** Default: none. */
  accounts: Schema.optionalWith(Schema.Array(AccountRef), { exact: true }),
  /** Default: none. */
  contracts: Schema.optionalWith(Schema.Array(Address.FromInput), { exact: true })
}).pipe(
  Schema.filter(({ accounts = [], contracts = [] }) =>
    accounts.length + contracts.length > 0 || "expected at least one account or contract"
  )
)
