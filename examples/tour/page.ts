/** One call, one page: an account's transfers, newest first. */
import * as Amount from "@effect-klaytn/core/Amount"
import type { Transfer } from "@effect-klaytn/history/Transfer"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import * as Match from "effect/Match"
import * as Option from "effect/Option"
import { Market } from "./Market.js"
import { Narrator } from "./Narrator.js"
import type { Step } from "./Step.js"

const size = 6

/** From this type on, transactions call or create a contract. */
const contractExecution = 0x28

const describe = Match.type<Transfer>().pipe(
  Match.tag(
    "CoinTransfer",
    (_) =>
      `${_.typeInt >= contractExecution ? "contract execution, " : ""}${Amount.format(_.value)}` +
      (_.status === "failure" ? ", failed" : "")
  ),
  Match.tag("FtTransfer", (_) => `${_.formattedValue} ${_.contract.symbol}`),
  Match.tag("NftTransfer", (_) => `${_.contract.name} #${_.tokenId}`),
  Match.tag("MtTransfer", (_) => _.ids.map((id, i) => `${_.values[i]} of #${id}`).join(", ")),
  Match.tag("UnknownTransfer", (_) => `a ${_.transferType}`),
  Match.exhaustive
)

/** The same from the chain: the newest transactions that alice sent or that moved something of hers. */
const newestBlocks = (address: string) =>
  Effect.gen(function*() {
    const { chains } = yield* Sandbox.Sandbox
    const chain = chains.chain(1001)
    const { number } = yield* chain.head
    const blocks: Array<number> = []
    for (let block = number; block > 0 && blocks.length < size; block--) {
      for (const { hash } of yield* chain.transactionsOf(block)) {
        for (const one of yield* chain.transfersOf(hash)) {
          if (one.from === address || one.to === address) blocks.push(block)
        }
      }
    }
    return blocks.slice(0, size)
  })

export const page: Step = {
  title: "A page of transfers",
  run: Effect.gen(function*() {
    const { alice } = yield* Market
    const history = yield* TransferHistory.TransferHistory
    const { expect, say } = yield* Narrator

    const { cursor, items } = yield* history.getTransfersByEoa({ address: alice.address, size })
    for (const transfer of items) yield* say(`${transfer._tag.padEnd(13)} ${describe(transfer)}`)

    const blocks = items.map((one) => one._tag === "CoinTransfer" ? one.blockNumber : blockOf(one))
    yield* expect("the newest transfers are those of the newest blocks", blocks, yield* newestBlocks(alice.address))
    yield* expect("there is more to come: the page has a cursor", Option.isSome(cursor), true)
  })
}

const blockOf = (transfer: Exclude<Transfer, { readonly _tag: "CoinTransfer" }>): number | undefined =>
  transfer._tag === "UnknownTransfer" ? undefined : transfer.transaction.blockNumber
