import * as Authorization from "@effect-klaytn/transaction/Authorization"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as TransactionType from "@effect-klaytn/transaction/TransactionType"
import { sharesOf } from "@effect-klaytn/transaction/TransactionView"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as DevAccount from "../src/DevAccount.js"
import { expectedAfter } from "./support/kip71.js"
import { openChain } from "./support/openChain.js"

const gpeb = 10n ** 9n
const bounds = [25n * gpeb, 750n * gpeb] as const
const whale: Hex = `0x${"5e".repeat(20)}`
const burner: Hex = `0x${"b0".repeat(20)}`
const receiver: Hex = `0x${"c0".repeat(20)}`
const start = 10n ** 18n
const gas = 900_000n

const accountOf = (name: string) => DevAccount.derive("fees", name)

/** A transaction as it is offered. `paid` is the price that it pays at a base fee, by its type. */
interface Offer {
  readonly type: TransactionType.TransactionType
  readonly price: bigint
  readonly tip: bigint
  readonly ratio: bigint
  readonly value: bigint
}

/** A different offer for each type: above the base fee by an odd number of peb, with a tip below or above what the cap leaves. */
const offerOf = (type: TransactionType.TransactionType, at: number, baseFee: bigint): Offer => ({
  type,
  price: baseFee + BigInt(at) * 1_234_567_891n,
  tip: at % 2 === 0 ? 987_654_321n : 1_000n * gpeb,
  ratio: TransactionType.isFeeRatio(type) ? BigInt(at * 7 % 98 + 1) : TransactionType.isFeeDelegated(type) ? 100n : 0n,
  value: /Transfer|Legacy|Ethereum/.test(type) ? 7n : 0n
})

const isDynamic = (type: string): boolean => type === "EthereumDynamicFee" || type === "EthereumSetCode"

/**
 * What everybody pays: the price, or base fee and tip up to the cap. The fee payer pays its whole percents of all gas at first, and
 * gets back those of the gas that is left; each is rounded down.
 */
const chargesOf = ({ price, ratio, tip, type }: Offer, gasUsed: bigint, baseFee: bigint) => {
  const room = price - baseFee
  const unit = isDynamic(type) ? baseFee + (tip < room ? tip : room) : price
  const fee = gasUsed * unit
  const byFeePayer = gas * unit * ratio / 100n - (gas - gasUsed) * unit * ratio / 100n
  return { unit, fee, byFeePayer, bySender: fee - byFeePayer }
}

/** What the transaction does, in the fields of its type. */
const fieldsOf = (type: TransactionType.TransactionType, at: number): object => {
  if (type.includes("Memo")) return { to: receiver, input: "0x6d656d6f" }
  if (type.includes("Transfer")) return { to: receiver }
  if (type.includes("AccountUpdate")) {
    return { key: { type: "AccountKeyPublic", publicKey: accountOf(`key ${at}`).publicKey } }
  }
  if (type.includes("Deploy")) return { input: "0x600160005500", humanReadable: false, codeFormat: 0 }
  if (type.includes("Execution")) return { to: contract, input: "0x1234" }
  if (type.includes("Anchoring")) return { input: "0x1234" }
  return type.startsWith("Ethereum") || type === "LegacyTransaction" ? { to: receiver, input: "0x" } : {}
}

/** Writes to a slot. */
const contract: Hex = `0x${"cc".repeat(20)}`

const orFail = <A>(
  result: { readonly ok: true; readonly value: A } | { readonly ok: false; readonly error: Error }
): A => result.ok ? result.value : assert.fail(result.error.message)

/** Makes the transaction, signed by everybody. */
const signedOf = (offer: Offer, at: number): Transaction.Transaction => {
  const { price, ratio, tip, type, value } = offer
  const [sender, payer] = [accountOf(`sender ${at}`), accountOf(`payer ${at}`)]
  const prices = isDynamic(type) ? { maxFeePerGas: price, maxPriorityFeePerGas: tip < price ? tip : price } : {
    gasPrice: price
  }
  const authorization = Authorization.sign({ chainId: 1001n, nonce: 0n, address: contract }, {
    privateKey: DevAccount.revealPrivateKey(accountOf("authority"))
  })
  const fields = {
    type,
    nonce: 0n,
    gas,
    value,
    ...prices,
    ...fieldsOf(type, at),
    ...(TransactionType.isEthereum(type)
      ? { chainId: 1001, accessList: [{ address: contract, storageKeys: [`0x${"00".repeat(32)}`] }] }
      : {}),
    ...(type === "EthereumSetCode" && { authorizationList: [orFail(authorization)] }),
    ...(!TransactionType.isEthereum(type) && type !== "LegacyTransaction" && { from: sender.address }),
    ...(TransactionType.isFeeDelegated(type) && { feePayer: payer.address }),
    ...(TransactionType.isFeeRatio(type) && { feeRatio: Number(ratio) })
  }
  // A cast: `make` checks the fields of every type.
  const made = orFail(Transaction.make(fields as Transaction.Input<TransactionType.TransactionType>))
  const options = (account: DevAccount.DevAccount) => ({
    chainId: 1001,
    privateKey: DevAccount.revealPrivateKey(account)
  })
  const sent = orFail(Transaction.signAsSender(made, options(sender)))
  return Transaction.isFeeDelegatedTransaction(sent) ? orFail(Transaction.signAsFeePayer(sent, options(payer))) : sent
}

describe("Fees", () => {
  it.effect("of all types are what was offered, to the peb, while the base fee climbs to 150 gpeb", () =>
    Effect.gen(function*() {
      // What blobs cost is tested with their rules.
      const all = TransactionType.all.filter((type) => type !== "EthereumBlob")
      assert.lengthOf(all, 25)
      const { chain, storage } = yield* openChain({
        clock: { start: 1_600_000_000, step: 1 },
        mining: "onDemand",
        accounts: [
          ...all.flatMap((_, at) =>
            [`sender ${at}`, `payer ${at}`].map((name) => ({ address: accountOf(name).address, balance: start }))
          ),
          { address: whale, balance: 10n ** 30n },
          { address: burner, balance: 0n, code: "0xfe" },
          { address: contract, balance: 0n, code: "0x5f5460010160005500" }
        ]
      })
      let baseFee = bounds[0]
      let nonce = 0n
      const mine = (expectedGas?: bigint) =>
        Effect.gen(function*() {
          const [block] = yield* chain.mine()
          assert.strictEqual(block?.baseFeePerGas, baseFee)
          if (expectedGas !== undefined) assert.strictEqual(block?.gasUsed, expectedGas)
          baseFee = block === undefined
            ? 0n
            : block.number === 0
            ? baseFee
            : expectedAfter(baseFee, block.gasUsed, bounds)
        })
      /** Fills a block, after which the base fee is a twentieth higher. */
      const climb = Effect.suspend(() => {
        const burn: Transaction.Transaction = {
          type: "LegacyTransaction",
          nonce: nonce++,
          gasPrice: 750n * gpeb,
          gas: 60_000_000n,
          to: burner,
          value: 0n,
          input: "0x",
          signatures: [{ v: 2_037n, r: 1n, s: 1n }]
        }
        return Effect.zipRight(chain.submitAs(burn, whale), mine(60_000_000n))
      })
      const balances = (at: number) =>
        Effect.forEach(["sender", "payer"], (role) =>
          Effect.map(
            chain.account(accountOf(`${role} ${at}`).address),
            (found) => Option.getOrThrow(found).balance
          ))
      let highest = 0n
      for (const [at, type] of all.entries()) {
        // The block of the transaction itself lets the base fee fall by a twentieth.
        while (baseFee < bounds[0] * BigInt(24 + 6 * at) / 24n && baseFee < 150n * gpeb) yield* climb
        const paying = baseFee
        highest = paying > highest ? paying : highest
        const offer = offerOf(type, at, paying)
        const hash = yield* chain.submit(signedOf(offer, at))
        yield* mine()
        const record = yield* Effect.fromNullable(storage.transactionByHash(hash))
        assert.strictEqual(record.status, 1, type)
        const { byFeePayer, bySender, fee, unit } = chargesOf(offer, record.gasUsed, paying)
        assert.deepInclude(record, { gasPrice: unit, fee }, type)
        assert.deepStrictEqual(sharesOf(record), { byFeePayer, bySender }, type)
        assert.deepStrictEqual(yield* balances(at), [start - offer.value - bySender, start - byFeePayer], type)
      }
      assert.isAtLeast(Number(highest), Number(150n * gpeb))
    }))
})
