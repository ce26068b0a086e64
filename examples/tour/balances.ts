/** Balances folded from a stream over all pages, compared with those that the contracts report. */
import * as Amount from "@effect-klaytn/core/Amount"
import * as BalanceChange from "@effect-klaytn/history/BalanceChange"
import * as TransactionGrouping from "@effect-klaytn/history/TransactionGrouping"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import type { TokenContract } from "@effect-klaytn/sandbox/TokenContract"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Market } from "./Market.js"
import { Narrator } from "./Narrator.js"
import type { Step } from "./Step.js"

const coin = "KLAY"

type Balances = ReadonlyMap<string, bigint>

const add = (balances: Balances, key: string, amount: bigint): Balances =>
  new Map(balances).set(key, (balances.get(key) ?? 0n) + amount)

/** What one transaction changed for an account: its transfers, and its fee, which counts once. */
const apply = (account: string) => (balances: Balances, transaction: TransactionGrouping.Transaction): Balances => {
  let next = balances
  for (
    const { amount, asset, contract, tokenId } of transaction.transfers.flatMap((one) => BalanceChange.of(one, account))
  ) {
    next = add(next, asset === "mt" ? `${contract}/${tokenId}` : contract ?? coin, amount)
  }
  const fee = transaction.fee ?? 0n
  const delegated = transaction.feePayer === undefined ? 0n : fee * BigInt(transaction.feeRatio || 100) / 100n
  return transaction.from === account ? add(next, coin, delegated - fee) : next
}

const word = (value: bigint | string): string => BigInt(value).toString(16).padStart(64, "0")

/** `balanceOf` as the EVM executes it, or the balance of KLAY from the state. */
export const contractBalances = (owner: DevAccount) =>
  Effect.gen(function*() {
    const { chains } = yield* Sandbox.Sandbox
    const { apples, cards, tickets } = yield* Market
    const chain = chains.chain(1001)
    const balanceOf = ({ address, kind }: TokenContract, id?: bigint) =>
      Effect.map(
        chain.call({
          to: address,
          data: kind === "mt" && id !== undefined
            ? `0x00fdd58e${word(owner.address)}${word(id)}`
            : `0x70a08231${word(owner.address)}`
        }),
        ({ data }) => BigInt(data)
      )
    const account = yield* chain.account(owner.address)
    return new Map([
      [coin, Option.match(account, { onNone: () => 0n, onSome: ({ balance }) => balance })],
      [apples.address, yield* balanceOf(apples)],
      [tickets.address, yield* balanceOf(tickets)],
      [`${cards.address}/7`, yield* balanceOf(cards, 7n)],
      [`${cards.address}/8`, yield* balanceOf(cards, 8n)]
    ])
  })

const sorted = (balances: Balances): ReadonlyArray<readonly [string, bigint]> =>
  [...balances].sort(([a], [b]) => a < b ? -1 : 1)

export const balances: Step = {
  title: "A stream over several pages, folded into balances by token",
  run: Effect.gen(function*() {
    const { alice, apples, cards, tickets } = yield* Market
    const history = yield* TransferHistory.TransferHistory
    const { expect, progress, say } = yield* Narrator

    let pages = 0
    let transfers = 0
    const folded = yield* history.getTransfersByEoa.pages({ address: alice.address, size: 10 }).pipe(
      Stream.tap(({ items }) => {
        pages++
        transfers += items.length
        return progress(`page ${pages}, ${transfers} transfers`)
      }),
      Stream.mapConcat(({ items }) => items),
      TransactionGrouping.fromTransfers,
      Stream.runFold<Balances, TransactionGrouping.Transaction>(new Map(), apply(alice.address))
    )

    yield* say(`${transfers} transfers on ${pages} pages`)
    yield* say(`${Amount.format(folded.get(coin) ?? 0n)}`)
    yield* say(`${Number(folded.get(apples.address) ?? 0n) / 100} APL, ${folded.get(tickets.address)} tickets`)
    yield* say([7, 8].map((id) => `${folded.get(`${cards.address}/${id}`)} cards #${id}`).join(", "))

    yield* expect("the history came in several pages", pages > 2, true)
    yield* expect(
      "balances folded from the stream are those that the contracts and the chain answer, fees to the last peb",
      sorted(folded),
      sorted(yield* contractBalances(alice))
    )
  })
}
