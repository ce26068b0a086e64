import { unlimited, type WalletCaller } from "@effect-klaytn/custody/WalletCaller"
import * as WalletPolicy from "@effect-klaytn/custody/WalletPolicy"
import type { Transaction } from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"

const friend = `0x${"ab".repeat(20)}` as const
const fields = { nonce: 0n, gas: 21_000n, gasPrice: 25n, from: friend, value: 0n, signatures: [] }
const delegated = { ...fields, feePayer: friend, feePayerSignatures: [] }
const creation = { input: "0x01", humanReadable: false, codeFormat: 0 } as const
const call = { to: friend, input: "0x01" } as const
const dynamic = {
  type: "EthereumDynamicFee",
  chainId: 1001,
  nonce: 0n,
  gas: 21_000n,
  maxFeePerGas: 25n,
  maxPriorityFeePerGas: 25n,
  value: 0n,
  accessList: [],
  signatures: []
} as const

const caller = { ...unlimited("careful"), limits: { contractCalls: false } }

const reasonOf = (transaction: Transaction, hasCode?: boolean) =>
  WalletPolicy.ofSignature(
    { caller, operation: "test", isFrozen: false },
    { role: "sender", pool: "default", address: friend, transaction, hasCode }
  )?.reason

describe("a caller who may not call contracts", () => {
  it.each<Transaction>([
    { ...fields, type: "SmartContractDeploy", ...creation },
    { ...delegated, type: "FeeDelegatedSmartContractDeploy", ...creation },
    { ...delegated, type: "FeeDelegatedSmartContractDeployWithRatio", feeRatio: 1, ...creation },
    { ...fields, type: "SmartContractExecution", ...call },
    { ...delegated, type: "FeeDelegatedSmartContractExecution", ...call },
    { ...delegated, type: "FeeDelegatedSmartContractExecutionWithRatio", feeRatio: 1, ...call },
    { ...fields, type: "LegacyTransaction", ...call },
    { ...fields, type: "LegacyTransaction", input: "0x01" },
    { ...fields, type: "LegacyTransaction", input: "0x" },
    { ...dynamic, ...call },
    { ...dynamic, input: "0x01" }
  ])("gets no signature for $type with input $input", (transaction) => {
    assert.strictEqual(reasonOf(transaction, false), "limit")
  })

  it("gets one without input only where it is known that the receiver has no code", () => {
    const plain: Transaction = { ...fields, type: "LegacyTransaction", to: friend, input: "0x" }
    assert.deepStrictEqual(
      [reasonOf(plain), reasonOf(plain, true), reasonOf(plain, false)],
      ["limit", "limit", undefined]
    )
  })
})

describe("a caller of some pools", () => {
  it.each(["wallet.countAccounts", "wallet.getChargedFees", "wallet.getChargedFee"])(
    "is not let in to %s, which answers for all pools",
    (operation) => {
      const reasonFor = (pools: ReadonlyArray<string> | undefined) =>
        WalletPolicy.ofOperation({ caller: { ...caller, pools }, operation, pools: [], isFrozen: false })?.reason
      assert.deepStrictEqual([reasonFor(["a"]), reasonFor(undefined)], ["pool", undefined])
    }
  )
})

describe("a caller with limits and without the right to destroy", () => {
  it.each(["disableAccount", "enableAccount", "deleteAccount", "deleteFeePayer", "deleteKey"])(
    "is not let in to %s",
    (name) => {
      const reasonFor = (rights: WalletCaller["rights"]) =>
        WalletPolicy.ofOperation({
          caller: { ...caller, rights },
          operation: `wallet.${name}`,
          pools: [],
          isFrozen: false
        })?.reason
      assert.deepStrictEqual([reasonFor(["wallet"]), reasonFor(["wallet", "destroy"])], ["rights", undefined])
    }
  )
})
