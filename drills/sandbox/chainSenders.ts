/** Accounts with keys of every kind, and transactions of every type that they sign. */
import type * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { Result } from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as DevAccount from "../../packages/local-chain/src/DevAccount.js"
import type { Chain } from "../../packages/sandbox/src/Chain.js"
import type { Random } from "../../packages/sandbox/src/internal/Random.js"

/** An account, the signers of each of its roles, and whether it still has its original key. */
export interface Sender {
  readonly address: Hex
  signers: Readonly<Record<AccountKey.Role, ReadonlyArray<DevAccount.DevAccount>>>
  isLegacy: boolean
}

export const senderOf = (account: DevAccount.DevAccount): Sender => ({
  address: account.address,
  signers: { transaction: [account], accountUpdate: [account], feePayer: [account] },
  isLegacy: true
})

const publicKey = ({ publicKey }: DevAccount.DevAccount) => ({ type: "AccountKeyPublic", publicKey } as const)

/** A new key and its signers. */
export const keyOf = (
  random: Random,
  holders: ReadonlyArray<DevAccount.DevAccount>
): { readonly key: AccountKey.AccountKey; readonly signers: Sender["signers"] } | undefined => {
  const [one, two, three] = [random.pick(holders), random.pick(holders), random.pick(holders)]
  if (one === undefined || two === undefined || three === undefined || two === one || three === one || three === two) {
    return undefined
  }
  const all = (signers: ReadonlyArray<DevAccount.DevAccount>) => ({
    transaction: signers,
    accountUpdate: signers,
    feePayer: signers
  })
  switch (random.between(0, 2)) {
    case 0:
      return { key: publicKey(one), signers: all([one]) }
    case 1:
      return {
        key: {
          type: "AccountKeyWeightedMultiSig",
          threshold: 3,
          keys: [one, two, three].map(({ publicKey }, index) => ({ weight: index + 1, publicKey }))
        },
        signers: all([one, two])
      }
    default:
      return {
        key: { type: "AccountKeyRoleBased", keys: [publicKey(one), publicKey(two), publicKey(three)] },
        signers: { transaction: [one], accountUpdate: [two], feePayer: [three] }
      }
  }
}

/** What a transaction should do. */
export type Deed =
  | { readonly kind: "transfer"; readonly to: Hex; readonly value: bigint; readonly memo?: Hex }
  | { readonly kind: "execute" | "call"; readonly to: Hex; readonly input: Hex; readonly value: bigint }
  | { readonly kind: "create" | "deploy"; readonly input: Hex; readonly value: bigint }
  | { readonly kind: "update"; readonly key: AccountKey.AccountKey }
  | { readonly kind: "cancel" }
  | { readonly kind: "anchor"; readonly input: Hex }

interface Carrier {
  readonly nonce: bigint
  /** Gas for the execution, on top of the intrinsic gas. */
  readonly gas: bigint
  readonly feePayer?: Sender | undefined
  readonly feeRatio?: number | undefined
}

const unsigned = (chain: Chain, { address }: Sender, deed: Deed, { feePayer, feeRatio, gas, nonce }: Carrier) => {
  const ethereum = { nonce, gas }
  const common = { nonce, gasPrice: 4n * chain.unitPrice, gas, from: address }
  const payer = feePayer === undefined ? undefined : { ...common, feePayer: feePayer.address }
  const shared = payer === undefined || feeRatio === undefined ? undefined : { ...payer, feeRatio }
  switch (deed.kind) {
    case "transfer": {
      const { to, value } = deed
      return shared !== undefined
        ? Transaction.make({ type: "FeeDelegatedValueTransferWithRatio", ...shared, to, value })
        : payer !== undefined
        ? Transaction.make({ type: "FeeDelegatedValueTransfer", ...payer, to, value })
        : Transaction.make({ type: "ValueTransfer", ...common, to, value })
    }
    case "execute": {
      const { input, to, value } = deed
      return shared !== undefined
        ? Transaction.make({ type: "FeeDelegatedSmartContractExecutionWithRatio", ...shared, to, value, input })
        : payer !== undefined
        ? Transaction.make({ type: "FeeDelegatedSmartContractExecution", ...payer, to, value, input })
        : Transaction.make({ type: "SmartContractExecution", ...common, to, value, input })
    }
    case "deploy": {
      const fields = { value: deed.value, input: deed.input, humanReadable: false, codeFormat: 0 }
      return shared !== undefined
        ? Transaction.make({ type: "FeeDelegatedSmartContractDeployWithRatio", ...shared, ...fields })
        : payer !== undefined
        ? Transaction.make({ type: "FeeDelegatedSmartContractDeploy", ...payer, ...fields })
        : Transaction.make({ type: "SmartContractDeploy", ...common, ...fields })
    }
    case "update":
      return payer !== undefined
        ? Transaction.make({ type: "FeeDelegatedAccountUpdate", ...payer, key: deed.key })
        : Transaction.make({ type: "AccountUpdate", ...common, key: deed.key })
    case "cancel":
      return payer !== undefined
        ? Transaction.make({ type: "FeeDelegatedCancel", ...payer })
        : Transaction.make({ type: "Cancel", ...common })
    case "anchor":
      return payer !== undefined
        ? Transaction.make({ type: "FeeDelegatedChainDataAnchoring", ...payer, input: deed.input })
        : Transaction.make({ type: "ChainDataAnchoring", ...common, input: deed.input })
    case "create":
      return Transaction.make({
        type: "LegacyTransaction",
        ...ethereum,
        gasPrice: 4n * chain.unitPrice,
        value: deed.value,
        input: deed.input
      })
    case "call":
      return Transaction.make({
        type: "EthereumDynamicFee",
        ...ethereum,
        chainId: chain.chainId,
        maxFeePerGas: 4n * chain.unitPrice,
        maxPriorityFeePerGas: 0n,
        to: deed.to,
        value: deed.value,
        input: deed.input,
        accessList: [{ address: deed.to, storageKeys: [`0x${"0".repeat(64)}`] }]
      })
  }
}

/** A transaction with all the signatures that it needs. */
export const transactionOf = (
  chain: Chain,
  sender: Sender,
  deed: Deed,
  carrier: Carrier
): Transaction.Transaction | undefined => {
  const free = unsigned(chain, sender, deed, carrier)
  if (!free.ok) return undefined
  // Each additional signature costs gas too.
  const signatures = sender.isLegacy && carrier.feePayer?.isLegacy !== false ? 0n : 30_000n
  const gas = carrier.gas + Transaction.intrinsicGas(free.value) + signatures
  const made = unsigned(chain, sender, deed, { ...carrier, gas })
  if (!made.ok) return undefined
  let transaction: Transaction.Transaction = made.value
  const key = { chainId: chain.chainId }
  for (const signer of sender.signers[Transaction.senderRole(transaction)]) {
    const signed: Result<Transaction.Transaction> = Transaction.signAsSender(transaction, {
      ...key,
      privateKey: DevAccount.revealPrivateKey(signer)
    })
    if (!signed.ok) return undefined
    transaction = signed.value
  }
  if (carrier.feePayer === undefined || !Transaction.isFeeDelegatedTransaction(transaction)) return transaction
  let paid: Transaction.FeeDelegatedTransaction = transaction
  for (const signer of carrier.feePayer.signers.feePayer) {
    const signed: Result<Transaction.FeeDelegatedTransaction> = Transaction.signAsFeePayer(paid, {
      ...key,
      privateKey: DevAccount.revealPrivateKey(signer),
      feePayer: carrier.feePayer.address
    })
    if (!signed.ok) return undefined
    paid = signed.value
  }
  return paid
}
