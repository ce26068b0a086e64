import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import type { StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  type ChainView,
  copied,
  limit,
  type Links,
  linksFor,
  type Missing,
  orMissing,
  ownLinks,
  pageOf
} from "./ExplorerReads.js"
import { count, shortCode, time, wide } from "./format.js"
import { type Html, html } from "./Html.js"
import { card, chainPage, facts, heading, type Page, page, pager, table } from "./layout.js"
import { partiesOfTransactions, transactionTable } from "./transactionList.js"

/** Where a page of a list begins. */
interface Begin {
  readonly before?: number
}

/** Blocks below a number, newest first. */
export const readBlocks = ({ chain }: ChainView, before: number, limit: number) => {
  const heights = Array.from({ length: Math.min(before, limit) }, (_, index) => before - 1 - index)
  return Effect.map(
    Effect.forEach(heights, (height) => chain.block(height)),
    (blocks) => blocks.flatMap(Option.toArray)
  )
}

/** A list of blocks. */
const blockTable = (links: Links, blocks: ReadonlyArray<BlockRecord>): Html =>
  table("Blocks", blocks, {
    key: ({ hash }) => hash,
    columns: [
      ["Block", ({ number }) => html`<b>${links.block(number)}</b>`],
      ["Time", ({ timestamp }) => time(timestamp)],
      ["Hash", ({ hash }) => shortCode(hash)],
      ["Transactions", ({ transactionCount }) => count(transactionCount), "number"],
      ["Transfers", ({ transferCount }) => count(transferCount), "number"],
      ["Gas used", ({ gasUsed }) => count(gasUsed), "number"]
    ],
    empty: "No block here."
  })

/** All blocks of a chain. */
export const blocksPage = (view: ChainView, { before }: Begin) =>
  Effect.gen(function*() {
    const head = yield* view.chain.head
    const first = Math.min(before ?? Number.POSITIVE_INFINITY, head.number + 1)
    const { items, last } = pageOf(yield* readBlocks(view, first, limit))
    const links = ownLinks(view)
    const list = [blockTable(links, items), pager(view.path("blocks"), before, last && { before: last.number })]
    return chainPage("blocks", "Blocks", html`The newest is ${links.block(head.number)}`, card("All blocks", list))
  })

/** A block by its number or hash. */
export const blockPage = (
  view: ChainView,
  { at, before }: Begin & { readonly at: number | Hex }
): Effect.Effect<Page, StoreFailure | Missing> =>
  Effect.gen(function*() {
    const { chain } = view
    const head = yield* chain.head
    const block = yield* orMissing(
      chain.block(at),
      "No such block",
      `The chain has no block ${at}. Its newest block is ${head.number}.`
    )
    const { items, last } = pageOf(
      yield* chain.transactions({
        block: block.number,
        limit,
        ...(before !== undefined && { before: { block: block.number, index: before } })
      })
    )
    const links = yield* linksFor(view, partiesOfTransactions(items))
    const previous = block.number > 0 && links.block(block.number - 1, "← Previous")
    const next = block.number < head.number && links.block(block.number + 1, "Next →")
    const parent = wide(block.parentHash)
    const header = facts([
      ["Time", time(block.timestamp)],
      ["Hash", copied(block.hash)],
      ["Parent", block.number === 0 ? parent : links.block(block.number - 1, parent)],
      ["Transactions", count(block.transactionCount)],
      ["Transfers", count(block.transferCount)],
      ["Gas used", count(block.gasUsed)],
      ["Size", `${count(block.size)} bytes`],
      ["State root", wide(block.stateRoot)]
    ])
    return page(
      "blocks",
      `Block ${block.number}`,
      heading("Block", count(block.number), html`<span class="neighbours">${previous} ${next}</span>`),
      card("Header", header),
      card("Transactions", [
        transactionTable(links, items, { empty: "This block is empty.", isOfOne: true }),
        pager(view.path("blocks", block.number), before, last && { before: last.transactionIndex })
      ])
    )
  })
