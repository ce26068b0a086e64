/**
 * The transaction types of the chain: their names, their numbers, and how the fee is shared.
 *
 * Names and numbers are those of the chain's documentation. In JSON a type is written as its wire name (`TxType`
 * followed by the name) and as its number (`typeInt`).
 */

/**
 * The number of every type, as in `typeInt` of a receipt. For Klaytn types it is also the first byte of the raw
 * transaction; its low three bits are 0 if the sender pays the fee, 1 if the fee is delegated, and 2 if a ratio of it
 * is.
 *
 * The chain reserves 24 (account creation) and 64 (batch) and refuses them.
 *
 * @category constants
 */
export const typeInts = {
  LegacyTransaction: 0,
  ValueTransfer: 8,
  FeeDelegatedValueTransfer: 9,
  FeeDelegatedValueTransferWithRatio: 10,
  ValueTransferMemo: 16,
  FeeDelegatedValueTransferMemo: 17,
  FeeDelegatedValueTransferMemoWithRatio: 18,
  AccountUpdate: 32,
  FeeDelegatedAccountUpdate: 33,
  FeeDelegatedAccountUpdateWithRatio: 34,
  SmartContractDeploy: 40,
  FeeDelegatedSmartContractDeploy: 41,
  FeeDelegatedSmartContractDeployWithRatio: 42,
  SmartContractExecution: 48,
  FeeDelegatedSmartContractExecution: 49,
  FeeDelegatedSmartContractExecutionWithRatio: 50,
  Cancel: 56,
  FeeDelegatedCancel: 57,
  FeeDelegatedCancelWithRatio: 58,
  ChainDataAnchoring: 72,
  FeeDelegatedChainDataAnchoring: 73,
  FeeDelegatedChainDataAnchoringWithRatio: 74,
  EthereumAccessList: 30721,
  EthereumDynamicFee: 30722,
  EthereumBlob: 30723,
  EthereumSetCode: 30724
} as const

/**
 * The name of a transaction type; the discriminator `type` of `Transaction`.
 *
 * @category models
 */
export type TransactionType = keyof typeof typeInts

/**
 * The types whose fee is paid by a fee payer, in full or by ratio.
 *
 * @category models
 */
export type FeeDelegatedType = Extract<TransactionType, `FeeDelegated${string}`>

/**
 * The types whose fee is shared between sender and fee payer.
 *
 * @category models
 */
export type FeeRatioType = Extract<TransactionType, `${string}WithRatio`>

/**
 * The types that come from Ethereum and are prefixed with the byte 0x78.
 *
 * @category models
 */
export type EthereumType = Extract<TransactionType, `Ethereum${string}`>

/**
 * The types that change the key of an account.
 *
 * @category models
 */
export type AccountUpdateType = Extract<TransactionType, `${string}AccountUpdate${string}`>

/**
 * Checks whether a value is the name of a type.
 *
 * @category guards
 */
export const isTransactionType = (value: unknown): value is TransactionType =>
  typeof value === "string" && Object.hasOwn(typeInts, value)

/**
 * All names, in the order of their numbers.
 *
 * @category constants
 */
export const all: ReadonlyArray<TransactionType> = Object.keys(typeInts).filter(isTransactionType)

/**
 * The number of a type.
 *
 * @category getters
 */
export const typeInt = (type: TransactionType): number => typeInts[type]

/**
 * The name of a type in JSON: `TxType` followed by the name.
 *
 * @category getters
 */
export const wireName = <T extends TransactionType>(type: T): `TxType${T}` => `TxType${type}`

const byInt: ReadonlyMap<number, TransactionType> = new Map(all.map((type) => [typeInts[type], type]))

/**
 * The type with this number, or `undefined` if this package has none.
 *
 * @category constructors
 */
export const fromTypeInt = (value: number): TransactionType | undefined => byInt.get(value)

/** The lowest number of a type from Ethereum: its prefix 0x78, and the type below. */
const ethereumPrefix = 0x7800

/**
 * Whether a transaction creates a contract if it succeeds: one of the types for that, or one of Ethereum without `to`. A node
 * of Kaia names a `contractAddress` for every transaction without `to`, such as a cancellation, and for those that failed.
 *
 * @category guards
 */
export const createsContract = (typeInt: number, to: string | undefined): boolean =>
  (typeInt & ~7) === typeInts.SmartContractDeploy ||
  to === undefined && (typeInt === typeInts.LegacyTransaction || typeInt >= ethereumPrefix)

/**
 * The type with this wire name (`TxTypeValueTransfer`), or `undefined` if this package has none.
 *
 * @category constructors
 */
export const fromWireName = (value: string): TransactionType | undefined => {
  const name = value.startsWith("TxType") ? value.slice(6) : ""
  return isTransactionType(name) ? name : undefined
}

/**
 * Checks whether a type has a fee payer.
 *
 * @category guards
 */
export const isFeeDelegated = (type: TransactionType): type is FeeDelegatedType =>
  isTransactionType(type) && type.startsWith("FeeDelegated")

/**
 * The type that does the same with a fee payer, or with a ratio of the fee; `undefined` for types that have neither, which are
 * the legacy and Ethereum ones.
 *
 * @category getters
 */
export const withFeePayer = (type: TransactionType, isRatio: boolean): FeeDelegatedType | undefined => {
  const plain = typeInts[type] - typeInts[type] % 8
  const found = plain === 0 ? undefined : fromTypeInt(plain + (isRatio ? 2 : 1))
  return found !== undefined && isFeeDelegated(found) ? found : undefined
}

/**
 * Checks whether fee payer and sender share the fee.
 *
 * @category guards
 */
export const isFeeRatio = (type: TransactionType): type is FeeRatioType =>
  isTransactionType(type) && type.endsWith("WithRatio")

/**
 * Checks whether a type comes from Ethereum: signed without the chain ID in V, and prefixed with 0x78.
 *
 * @category guards
 */
export const isEthereum = (type: TransactionType): type is EthereumType =>
  isTransactionType(type) && type.startsWith("Ethereum")

/**
 * Checks whether a type changes the key of an account, and so has to be signed in the account-update role.
 *
 * @category guards
 */
export const isAccountUpdate = (type: TransactionType): type is AccountUpdateType =>
  isTransactionType(type) && type.includes("AccountUpdate")
