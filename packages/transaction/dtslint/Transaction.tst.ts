import type * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type * as Result from "@effect-klaytn/transaction/Result"
import type { Signer } from "@effect-klaytn/transaction/Signature"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { TransactionError } from "@effect-klaytn/transaction/TransactionError"
import type * as TransactionType from "@effect-klaytn/transaction/TransactionType"
import { describe, expect, test } from "tstyche"

declare const transaction: Transaction.Transaction
declare const update: Transaction.Of<"FeeDelegatedAccountUpdate">
declare const result: Result.Result<Transaction.Transaction>

describe("Transaction", () => {
  test("is told apart by its type", () => {
    expect(transaction.type).type.toBe<TransactionType.TransactionType>()
    if (transaction.type === "FeeDelegatedValueTransferWithRatio") {
      expect(transaction).type.toBe<Transaction.Of<"FeeDelegatedValueTransferWithRatio">>()
      expect(transaction.feeRatio).type.toBe<number>()
      expect(transaction.to).type.toBe<`0x${string}`>()
    }
    if (transaction.type === "AccountUpdate") {
      expect(transaction.key).type.toBe<AccountKey.AccountKey>()
      expect(transaction).type.not.toHaveProperty("value")
      expect(transaction).type.not.toHaveProperty("feePayer")
    }
    if (transaction.type === "LegacyTransaction") {
      expect(transaction).type.not.toHaveProperty("from")
      expect(transaction.to).type.toBe<`0x${string}` | undefined>()
    }
  })

  test("narrows to those with a fee payer", () => {
    if (Transaction.isFeeDelegatedTransaction(transaction)) {
      expect(transaction).type.toBe<Transaction.FeeDelegatedTransaction>()
    }
  })
})

describe("make", () => {
  test("answers the type that was asked for", () => {
    expect(Transaction.make({ type: "Cancel", nonce: 0n, gas: 1n, gasPrice: 1n, from: "0x" })).type.toBe<
      Result.Result<Transaction.Of<"Cancel">>
    >()
  })

  test("wants every field of the type, and only those", () => {
    expect(Transaction.make).type.not.toBeCallableWith({ type: "Cancel", nonce: 0n, gas: 1n, gasPrice: 1n })
    expect(Transaction.make).type.not.toBeCallableWith({ type: "Cancel", nonce: 0, gas: 1n, gasPrice: 1n, from: "0x" })
    expect(Transaction.make).type.not.toBeCallableWith({
      type: "Cancel",
      nonce: 0n,
      gas: 1n,
      gasPrice: 1n,
      from: "0x",
      value: 1n
    })
    expect(Transaction.make).type.not.toBeCallableWith({ type: "Batch" })
  })
})

describe("signing", () => {
  test("keeps the type of the transaction", () => {
    expect(Transaction.signAsSender(update, { chainId: 1001, privateKey: "0x" })).type.toBe<
      Result.Result<typeof update>
    >()
    expect(Transaction.signAsFeePayer(update, { chainId: 1001, privateKey: "0x" })).type.toBe<
      Result.Result<typeof update>
    >()
  })

  test("as fee payer needs a type that has one", () => {
    expect(Transaction.signAsFeePayer).type.not.toBeCallableWith(
      {} as Transaction.Of<"ValueTransfer">,
      { chainId: 1001, privateKey: "0x" }
    )
  })

  test("tells who signed", () => {
    expect(Transaction.recoverSenders(update, { chainId: 1001 })).type.toBe<Result.Result<ReadonlyArray<Signer>>>()
  })
})

describe("Result", () => {
  test("gives the value or the error once looked at", () => {
    if (result.ok) {
      expect(result.value).type.toBe<Transaction.Transaction>()
    } else {
      expect(result.error).type.toBe<TransactionError>()
    }
    expect(result).type.not.toHaveProperty("value")
  })
})
