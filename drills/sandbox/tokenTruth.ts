/** What token contracts say and what the sandbox says about them, in one comparable form. */
import { type AbiValue, encodeCall, stringAt, uintAt } from "@effect-klaytn/indexer/Abi"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Chain } from "../../packages/sandbox/src/Chain.js"
import type * as Sandbox from "../../packages/sandbox/src/Sandbox.js"

/** A contract whose tokens are compared with the sandbox's records. */
export interface Watched {
  readonly kind: "ft" | "nft" | "mt"
  readonly address: Hex
  /** All possible owners. */
  readonly people: ReadonlyArray<Hex>
  /** The IDs that its tokens may have. */
  readonly ids: ReadonlyArray<bigint>
}

/** Facts by subject, each a sorted list of lines. */
export type View = Readonly<Record<string, ReadonlyArray<string>>>

const nobody: Hex = "0x0000000000000000000000000000000000000000"

const sorted = (lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.toSorted()

/** The facts that differ between two views; facts that one of them lacks are left out. */
export const differences = (truth: View, told: View): ReadonlyArray<string> =>
  Object.keys(told).flatMap((about) => {
    const [right, said] = [truth[about] ?? [], told[about] ?? []]
    const missing = right.filter((line) => !said.includes(line)).map((line) => `${about}: not told: ${line}`)
    const wrong = said.filter((line) => !right.includes(line)).map((line) => `${about}: told: ${line}`)
    const more = said.length > right.length && wrong.length === 0 ? [`${about}: told more than once`] : []
    return [...missing, ...wrong, ...more]
  })

const asking = (chain: Chain, to: Hex) => {
  const bytes = (signature: string, values: ReadonlyArray<AbiValue> = []) =>
    Effect.map(
      chain.call({ to, data: fromBytes(encodeCall(signature, values)) }),
      ({ data, txError }) => txError === undefined ? Buffer.from(data.slice(2), "hex") : undefined
    )
  return {
    number: (signature: string, values: ReadonlyArray<AbiValue> = []) =>
      Effect.map(bytes(signature, values), (answer) => (answer && uintAt(answer, 0)) ?? 0n),
    text: (signature: string, values: ReadonlyArray<AbiValue> = []) =>
      Effect.map(bytes(signature, values), (answer) => (answer && stringAt(answer, 0)) ?? "")
  }
}

interface Held {
  readonly owner: Hex
  readonly id: string
  readonly balance: bigint
}

const viewOf = (held: ReadonlyArray<Held>, rest: View): View => {
  const totals = new Map<string, bigint>()
  for (const { balance, owner } of held) totals.set(owner, (totals.get(owner) ?? 0n) + balance)
  const lines = sorted(held.map(({ balance, id, owner }) => `${owner} has ${balance} of ${id}`))
  return {
    holders: lines,
    holdersByOwner: lines,
    holdersById: lines,
    holderCount: [`${totals.size}`],
    totals: sorted(Array.from(totals, ([owner, balance]) => `${owner} has ${balance}`)),
    ...rest
  }
}

/** The facts according to the contract. */
export const truthOf = (chain: Chain, { address, ids, kind, people }: Watched) =>
  Effect.gen(function*() {
    const { number, text } = asking(chain, address)
    const held: Array<Held> = []
    const tokens: Array<string> = []
    if (kind === "nft") {
      for (const id of ids) {
        const word = yield* number("ownerOf(uint256)", [id])
        if (word === 0n) continue
        const owner: Hex = `0x${word.toString(16).padStart(40, "0")}`
        held.push({ owner, id: `${id}`, balance: 1n })
        tokens.push(`${id} of ${owner}: ${yield* text("tokenURI(uint256)", [id])}`)
      }
    }
    for (const owner of kind === "nft" ? [] : people) {
      for (const id of kind === "ft" ? [undefined] : ids) {
        const balance = id === undefined
          ? yield* number("balanceOf(address)", [owner])
          : yield* number("balanceOf(address,uint256)", [owner, id])
        if (balance > 0n) held.push({ owner, id: `${id ?? "all"}`, balance })
      }
    }
    for (const id of kind === "mt" ? ids : []) {
      const supply = yield* number("totalSupply(uint256)", [id])
      if (supply > 0n) tokens.push(`${id}: ${supply}, ${yield* text("uri(uint256)", [id])}`)
    }
    const named = kind === "mt" ? [] : [yield* text("name()"), yield* text("symbol()")]
    return viewOf(held, {
      tokens: sorted(tokens),
      tokensById: sorted(tokens),
      supply: kind === "mt" ? [] : [`${yield* number("totalSupply()")}`],
      description: kind === "ft" ? [...named, `${yield* number("decimals()")}`] : named
    })
  })

/** The facts according to the chain, on which all answers of the service are based. */
export const toldBy = (chain: Chain, { address, ids, kind, people }: Watched) =>
  Effect.gen(function*() {
    const line = ({ balance, owner, tokenId }: { owner: Hex; balance: bigint; tokenId: bigint | undefined }) =>
      `${owner} has ${balance} of ${tokenId ?? "all"}`
    const limit = 100_000
    const all = yield* chain.holdings({ contracts: [address], limit })
    const byOwner: Array<string> = []
    const byId: Array<string> = []
    const totals: Array<string> = []
    for (const owner of people) {
      byOwner.push(...(yield* chain.holdings({ contracts: [address], owner, limit })).map(line))
      for (const id of kind === "ft" ? [undefined] : ids) {
        const one = yield* chain.holding(address, owner, id)
        if (Option.isSome(one)) byId.push(line(one.value))
      }
      const summed = (yield* chain.contractHoldings({ owner, limit })).find(({ contract }) =>
        contract.address === address
      )
      const total = yield* chain.totalBalance(address, owner)
      if (total !== (summed?.balance ?? 0n)) totals.push(`${owner} has ${total} and ${summed?.balance}`)
      else if (total > 0n) totals.push(`${owner} has ${total}`)
    }
    const token = (one: { tokenId: bigint; owner: Hex | undefined; supply: bigint; uri: string }): string =>
      kind === "nft" ? `${one.tokenId} of ${one.owner}: ${one.uri}` : `${one.tokenId}: ${one.supply}, ${one.uri}`
    const order = kind === "nft" ? "newest" : "tokenId"
    const tokens = kind === "ft" ? [] : yield* chain.tokens({ contract: address, order, limit })
    const tokensById = yield* Effect.forEach(kind === "ft" ? [] : ids, (id) => chain.token(address, id))
    const { decimals, name, symbol } = Option.getOrUndefined(yield* chain.contract(address)) ?? {}
    return {
      holders: sorted(all.map(line)),
      holdersByOwner: sorted(byOwner),
      holdersById: sorted(byId),
      holderCount: [`${yield* chain.holderCount(address)}`],
      totals: sorted(totals),
      tokens: sorted(tokens.filter(({ supply }) => supply > 0n).map(token)),
      tokensById: sorted(tokensById.flatMap(Option.toArray).filter(({ supply }) => supply > 0n).map(token)),
      supply: kind === "mt" ? [] : [`${yield* chain.contractSupply(address)}`],
      description: kind === "mt" ? [] : [name ?? "", symbol ?? "", ...(kind === "ft" ? [`${decimals ?? 0}`] : [])]
    } satisfies View
  })

type Item = Readonly<Record<string, string>>

/** The facts according to the service's answers, page by page. */
export const servedBy = (
  { accessKeyId, secretAccessKey, url }: typeof Sandbox.Sandbox.Service,
  { address, ids, kind, people }: Watched
) =>
  Effect.promise(async (): Promise<View> => {
    const pair = `${accessKeyId}:${Redacted.value(secretAccessKey)}`
    const headers = { authorization: `Basic ${Buffer.from(pair).toString("base64")}`, "x-chain-id": "1001" }
    const get = async (path: string) => {
      const response = await fetch(`${url}/v2${path}`, { headers })
      const body: Item & { readonly items?: ReadonlyArray<Item>; readonly cursor?: string } = JSON.parse(
        await response.text()
      )
      return response.status === 200 ? body : undefined
    }
    const list = async (path: string): Promise<ReadonlyArray<Item>> => {
      const items: Array<Item> = []
      for (let cursor = "", more = true; more; more = cursor !== "") {
        const page = await get(`${path}${path.includes("?") ? "&" : "?"}size=7&cursor=${cursor}`)
        items.push(...page?.items ?? [])
        cursor = page?.cursor ?? ""
      }
      return items
    }
    const number = (text: string | undefined): string => `${BigInt(text ?? 0)}`
    const base = `/contract/${kind}/${address}`
    const summaries = async (owner: Hex) =>
      (await list(`/account/${owner}/contract`)).filter(({ contractAddress }) => contractAddress === address)
    const totals: Array<string> = []
    for (const owner of people) {
      for (const { totalBalance } of await summaries(owner)) totals.push(`${owner} has ${number(totalBalance)}`)
    }
    const common = { totals: sorted(totals) }
    if (kind === "ft") {
      const detail = await get(base)
      const held: Array<string> = []
      for (const owner of people) {
        for (const { balance } of await list(`/account/${owner}/token?ca-filters=${address}`)) {
          held.push(`${owner} has ${number(balance)} of all`)
        }
      }
      return {
        ...common,
        holdersByOwner: sorted(held),
        supply: [number(detail?.["totalSupply"])],
        description: [detail?.["name"] ?? "", detail?.["symbol"] ?? "", `${detail?.["decimals"]}`]
      }
    }
    const holder = await get(`${base}/holder`)
    const held = ({ balance, owner, tokenId }: Item): string =>
      `${owner} has ${number(balance ?? "1")} of ${number(tokenId)}`
    const token = ({ owner, tokenId, tokenUri, totalSupply }: Item): string =>
      kind === "nft"
        ? `${number(tokenId)} of ${owner}: ${tokenUri}`
        : `${number(tokenId)}: ${number(totalSupply)}, ${tokenUri}`
    const tokens = await list(`${base}/token`)
    const [byOwner, byId, tokensById] = [new Array<string>(), new Array<string>(), new Array<string>()]
    for (const owner of people.filter((one) => one !== nobody)) {
      byOwner.push(...(await list(`${base}/owner/${owner}`)).map(held))
    }
    for (const id of ids) {
      const path = `${base}/token/0x${id.toString(16)}`
      const one = kind === "nft" ? await get(path) : undefined
      if (one !== undefined) tokensById.push(token(one))
      byId.push(...(kind === "nft" ? one === undefined ? [] : [one] : await list(path)).map(held))
    }
    const counted = { ...common, holderCount: [`${holder?.["totalHolder"]}`] }
    const lists = { holdersByOwner: sorted(byOwner), holdersById: sorted(byId) }
    const listed = { tokens: sorted(tokens.filter(({ totalSupply = "0x1" }) => totalSupply !== "0x0").map(token)) }
    if (kind === "mt") return { ...counted, ...lists, ...listed }
    const detail = await get(base)
    return {
      ...counted,
      ...lists,
      ...listed,
      tokensById: sorted(tokensById),
      supply: [number(detail?.["totalSupply"])],
      description: [detail?.["name"] ?? "", detail?.["symbol"] ?? ""]
    }
  })
