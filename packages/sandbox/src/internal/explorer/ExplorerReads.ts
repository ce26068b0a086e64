import type { ChainWallet } from "@effect-klaytn/custody/ChainWallet"
import type { WalletStore } from "@effect-klaytn/custody/WalletStore"
import type { ChainReader } from "@effect-klaytn/indexer/ChainReader"
import type { ContractRecord } from "@effect-klaytn/indexer/TokenRecord"
import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import { type Hex, zeroAddress } from "@effect-klaytn/transaction/Hex"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chain, ChainId, ChainReads } from "../../Chain.js"
import type { Faults } from "../http/Faults.js"
import type { RequestLog } from "../http/RequestLog.js"
import { brief, count, printable, shortHex, wide } from "./format.js"
import { type Child, type Html, html } from "./Html.js"
import { link, pathOf } from "./layout.js"

/** What the explorer reads of a chain. It can't change the chain. */
export interface ViewedChain extends
  ChainReads,
  Pick<
    Chain,
    "chainId" | "nextBlock" | "pending" | "pendingNonce" | "pendingTransaction" | "dropped" | "stuck" | "call"
  >
{
  readonly faucet: Pick<DevAccount, "address">
}

/** What the explorer reads of a chain's wallet. It can't read private keys. */
export interface ViewedWallet
  extends Pick<ChainWallet, "krn" | "keyId" | "accounts" | "keys" | "status" | "anyAccount">
{
  readonly store: Pick<WalletStore, "pools" | "countAccounts">
  readonly globalFeePayer: Pick<DevAccount, "address">
}

/** A named account: its name and its address. */
export type Named = readonly [name: string, account: Pick<DevAccount, "address">]

/** What the explorer shows. */
export interface ExplorerReads {
  readonly chain: (chainId: ChainId) => ViewedChain
  readonly wallet: (chainId: ChainId) => ViewedWallet
  /** What fee payers have paid for. */
  readonly reader: (chainId: ChainId) => Pick<ChainReader, "transactionsPaidBy">
  /** The accounts whose keys the sandbox holds. */
  readonly accounts: () => ReadonlyArray<Named>
  readonly requestLog: Pick<RequestLog, "list">
  readonly faults: Pick<Faults, "list">
}

/** What the pages of a chain are made of. */
export interface ChainView extends Pick<ExplorerReads, "accounts" | "requestLog" | "faults"> {
  readonly chainId: ChainId
  readonly chain: ViewedChain
  readonly wallet: ViewedWallet
  readonly reader: Pick<ChainReader, "transactionsPaidBy">
  /** The path of a page. */
  readonly path: (...parts: ReadonlyArray<string | number | bigint>) => string
}

/** The view of one chain. */
export const viewOf = (reads: ExplorerReads, chainId: ChainId): ChainView => ({
  ...reads,
  chainId,
  chain: reads.chain(chainId),
  wallet: reads.wallet(chainId),
  reader: reads.reader(chainId),
  path: (...parts) => pathOf(chainId, ...parts)
})

/** The rows of a page of a list. */
export const pageSize = 25

/** The rows that a page reads: one more than it shows, to find out whether there is another page. */
export const limit = pageSize + 1

/** Splits what was read into the page and, if there is more, the last row on it. */
export const pageOf = <A>(read: ReadonlyArray<A>) => {
  const items = read.slice(0, pageSize)
  return { items, last: read.length > pageSize ? items.at(-1) : undefined }
}

/** There is nothing at this address. */
export class Missing extends Data.TaggedError("Missing")<{ readonly title: string; readonly message: string }> {}

/** The value, or a page that says what is missing. */
export const orMissing = <A, E>(found: Effect.Effect<Option.Option<A>, E>, title: string, message: string) =>
  Effect.flatMap(found, Effect.mapError(() => new Missing({ title, message })))

/** Links to the pages of a chain, with the names of accounts and contracts. */
export class Links {
  constructor(readonly chainId: ChainId, readonly names: ReadonlyMap<Hex, string>) {}

  /** An address by its name, or shortened. */
  account(address: Hex): Html {
    const name = this.names.get(address)
    const text = name === undefined ? html`<code>${shortHex(address)}</code>` : html`<bdi>${brief(name, 24)}</bdi>`
    return link(pathOf(this.chainId, "accounts", address), text, address)
  }

  /** An address in full, and its name. */
  fullAccount(address: Hex): Html {
    const name = this.names.get(address)
    return html`${name !== undefined && html`<bdi class="name">${brief(name)}</bdi> `}${
      link(pathOf(this.chainId, "accounts", address), wide(address))
    }${copy(address)}`
  }

  block(number: number, text: Child = count(number)): Html {
    return link(pathOf(this.chainId, "blocks", number), text)
  }

  transaction(hash: Hex): Html {
    return link(pathOf(this.chainId, "transactions", hash), html`<code>${shortHex(hash)}</code>`, hash)
  }

  /** A token contract by its symbol, or else its name or address. */
  token(contract: Pick<ContractRecord, "address" | "name" | "symbol">): Html {
    const { address } = contract
    const word = tokenWord(contract)
    const text = word === undefined ? html`<code>${shortHex(address)}</code>` : html`<bdi>${brief(word, 16)}</bdi>`
    return link(pathOf(this.chainId, "tokens", address), text, address)
  }

  /** A token of a contract by its ID. */
  tokenId(contract: Hex, tokenId: bigint): Html {
    const text = tokenId.toString()
    const short = text.length <= 12 ? text : `${text.slice(0, 6)}…${text.slice(-4)}`
    return link(pathOf(this.chainId, "tokens", contract, tokenId), `#${short}`, text)
  }
}

/** What a token contract calls itself. */
export const tokenWord = ({ name, symbol }: Pick<ContractRecord, "name" | "symbol">): string | undefined =>
  [symbol, name].find((text) => text !== undefined && text.trim() !== "")

/** A button that copies a text; without a script there is none. */
export const copy = (text: string): Html =>
  html`<button type="button" class="copy" data-copy="${text}" aria-label="Copy ${shortHex(text)}" hidden>Copy</button>`

/** A text in full that can be copied. */
export const copied = (text: string): Html => html`${wide(text)}${copy(text)}`

/** Links with the names of the accounts that the sandbox itself has. */
export const ownLinks = ({ accounts, chain, chainId, wallet }: ChainView): Links =>
  new Links(
    chainId,
    new Map<Hex, string>([
      [zeroAddress, "zero address"],
      [chain.faucet.address, "faucet"],
      [wallet.globalFeePayer.address, "service fee payer"],
      ...accounts().map(([name, { address }]) => [address, name] as const)
    ])
  )

/** The same, with the names of the token contracts among these addresses. */
export const linksFor = (view: ChainView, addresses: Iterable<Hex | undefined>) =>
  Effect.gen(function*() {
    const own = ownLinks(view)
    const names = new Map(own.names)
    for (const address of new Set(addresses)) {
      if (address === undefined || names.has(address)) continue
      const contract = yield* view.chain.contract(address)
      const word = printable(Option.getOrUndefined(Option.map(contract, tokenWord)) ?? "").trim()
      if (word === "") continue
      // A token may call itself as an account of the sandbox is called.
      const isTaken = [...own.names.values()].some((name) => name.toLowerCase() === word.toLowerCase())
      names.set(address, isTaken ? `${word} (token)` : word)
    }
    return new Links(view.chainId, names)
  })
