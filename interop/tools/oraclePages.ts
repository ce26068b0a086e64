/** What each page of a gateway has to hold, computed from the transfers of a chain and from its contracts' answers. */
import { formatUnits, type Hex } from "viem"
import type { Transaction, Transfer } from "./oracle.js"
import { Book, type Holding, type Item } from "./oracleTokens.js"
import type { Token, TokenKind, World } from "./traffic.js"

/** The answer to a request: a list that comes in pages, or one body. Without a body the answer is 404. */
export type Expected =
  | { readonly path: string; readonly items: ReadonlyArray<unknown>; readonly more?: object }
  | { readonly path: string; readonly body: unknown }

const hex = (value: bigint): Hex => `0x${value.toString(16)}`

const byText = (one: string, other: string): number => one < other ? -1 : one > other ? 1 : 0

const idText = (id: bigint | undefined): string => id === undefined ? "" : hex(id)

/** A token contract as the node describes it, with its tokens. */
interface Contract {
  readonly token: Token
  readonly book: Book
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  readonly uris: ReadonlyMap<bigint, string>
  /** Unix seconds of the block of its creation. */
  readonly createdAt: number
}

const uriFunctions = { ft: undefined, nft: "tokenURI", mt: "uri" } as const

/** Asks a contract for its description, and throws if an owner has not what the logs say. */
const contractOf = async ({ reader }: World, token: Token, all: ReadonlyArray<Transfer>): Promise<Contract> => {
  const { abi, address, kind } = token
  const ask = (functionName: string, ...args: ReadonlyArray<unknown>): Promise<unknown> =>
    reader.readContract({ abi, address, functionName, args })
  const book = new Book(token, all)
  for (const { balance, id, owner } of book.holdings.values()) {
    const answer = kind === "nft"
      ? String(await ask("ownerOf", id)).toLowerCase() === owner ? 1n : 0n
      : await ask("balanceOf", owner, ...(id === undefined ? [] : [id]))
    if (answer !== balance) throw new Error(`${kind}: ${owner} has ${String(answer)} of ${id}, not ${balance}`)
  }
  const uris = new Map<bigint, string>()
  const uriFunction = uriFunctions[kind]
  if (uriFunction !== undefined) {
    for (const id of book.items.keys()) uris.set(id, String(await ask(uriFunction, id)))
  }
  const created = all.find(({ isOwn, to }) => isOwn && to === address)
  if (created === undefined) throw new Error(`no transaction created ${address}`)
  const isNamed = kind !== "mt"
  return {
    token,
    book,
    name: isNamed ? String(await ask("name")) : "",
    symbol: isNamed ? String(await ask("symbol")) : "",
    decimals: kind === "ft" ? Number(await ask("decimals")) : 0,
    uris,
    createdAt: created.transaction.timestamp
  }
}

const fees = ({ fee }: Transaction) => ({ fee: hex(fee), feePayer: "", feeRatio: 0 })

/** A transfer as the history shows it. */
const historyItem = (
  { contract, from, ids, kind, operator, to, transaction, values }: Transfer,
  contracts: ReadonlyArray<Contract>
): unknown => {
  const [value = 0n] = values
  const { block: blockNumber, hash: transactionHash, index: transactionIndex, timestamp, typeInt } = transaction
  const shared = { blockNumber, timestamp, transactionHash, typeInt, ...fees(transaction) }
  if (kind === "coin") {
    const { status } = transaction
    return { transferType: "klay", from, to, value: hex(value), status, transactionIndex, ...shared }
  }
  const { decimals = 0, name = "", symbol = "" } = contracts.find(({ token }) => token.address === contract) ?? {}
  const summary = { ...shared, from: transaction.from, value: hex(transaction.value) }
  const moved = {
    ft: {
      value: hex(value),
      formattedValue: formatUnits(value, decimals),
      contract: { address: contract, name, symbol, decimals }
    },
    nft: { tokenId: idText(ids[0]), contract: { address: contract, name, symbol } },
    mt: { operator, ids: ids.map(hex), values: values.map(hex), contract: { address: contract } }
  }
  return { transferType: kind, from, to, ...moved[kind], transaction: summary }
}

/** The filters of a search by account. */
interface Search {
  readonly kinds?: ReadonlyArray<Transfer["kind"]>
  readonly side?: "from" | "to"
  readonly contract?: Hex
  readonly isZeroLeftOut?: boolean
  readonly blocks?: readonly [number, number]
  readonly seconds?: readonly [number, number]
}

const isBetween = (value: number, [first, last]: readonly [number, number] = [0, Infinity]): boolean =>
  first <= value && value <= last

/** The transfers that a search finds, newest first. */
const find = (
  all: ReadonlyArray<Transfer>,
  account: Hex,
  { blocks, contract, isZeroLeftOut = false, kinds, seconds, side }: Search
): ReadonlyArray<Transfer> => {
  const isParty = ({ from, to }: Transfer) => (side !== "to" && from === account) || (side !== "from" && to === account)
  const own = all.filter((transfer) =>
    isParty(transfer) && isBetween(transfer.transaction.block, blocks) &&
    isBetween(transfer.transaction.timestamp, seconds) &&
    !(isZeroLeftOut && transfer.kind === "coin" && transfer.values[0] === 0n)
  )
  const found = own.filter(({ contract: moved, kind }) =>
    (contract === undefined || contract === moved) && (kinds?.includes(kind) ?? true)
  )
  // The coin transfer that triggered a token transfer comes along, unless coin was asked for or a contract.
  const triggers = contract !== undefined || kinds === undefined || kinds.includes("coin") ?
    [] :
    own.filter((one) => one.isOwn && found.some(({ transaction }) => transaction === one.transaction))
  return [...found, ...triggers].sort((one, other) => other.place - one.place)
}

/** All searches by account, as queries. */
const searchesOf = ({ tokens }: World, all: ReadonlyArray<Transfer>): ReadonlyArray<readonly [string, Search]> => {
  const { block = 0, timestamp = 0 } = all.at(-1)?.transaction ?? {}
  const blocks = [Math.floor(block / 3), block - 4] as const
  const first = all[0]?.transaction.timestamp ?? 0
  // A fast machine makes all blocks within some seconds.
  const seconds = [first, Math.max(first, timestamp - 10)] as const
  return [
    ["", {}],
    ["kind=klay", { kinds: ["coin"] }],
    ["kind=ft", { kinds: ["ft"] }],
    ["kind=nft", { kinds: ["nft"] }],
    ["kind=mt", { kinds: ["mt"] }],
    ["kind=ft,nft", { kinds: ["ft", "nft"] }],
    ["kind=coin,mt", { kinds: ["coin", "mt"] }],
    ["exclude-zero-klay=true", { isZeroLeftOut: true }],
    ["kind=ft,nft,mt&exclude-zero-klay=true", { kinds: ["ft", "nft", "mt"], isZeroLeftOut: true }],
    ["from-only=true", { side: "from" }],
    ["to-only=true", { side: "to" }],
    ["from-only=true&kind=nft,mt", { side: "from", kinds: ["nft", "mt"] }],
    ["to-only=true&kind=ft", { side: "to", kinds: ["ft"] }],
    [`range=${blocks.map((one) => hex(BigInt(one))).join(",")}`, { blocks }],
    [`range=${seconds.join(",")}&kind=nft`, { seconds, kinds: ["nft"] }],
    ...Object.values(tokens).map(({ address }) => [`ca-filter=${address}`, { contract: address }] as const),
    [`ca-filter=${tokens.mt.address}&kind=nft`, { contract: tokens.mt.address, kinds: ["nft"] }],
    [`ca-filter=${tokens.nft.address}&kind=nft,mt&from-only=true`, {
      contract: tokens.nft.address,
      kinds: ["nft", "mt"],
      side: "from"
    }]
  ]
}

const history = (world: World, all: ReadonlyArray<Transfer>, contracts: ReadonlyArray<Contract>) => {
  const write = (transfers: ReadonlyArray<Transfer>) => transfers.map((one) => historyItem(one, contracts))
  const accounts = [...new Set(all.flatMap(({ from, to }) => [from, to]))]
  const hashes = [...new Set(all.map(({ transaction }) => transaction.hash))]
  return [
    ...accounts.flatMap((account) =>
      searchesOf(world, all).map(([query, search]): Expected => ({
        path: `/v2/transfer/account/${account}?${query}`,
        items: write(find(all, account, search))
      }))
    ),
    ...[...hashes, `0x${"ab".repeat(32)}`].map((hash): Expected => ({
      path: `/v2/transfer/tx/${hash}`,
      body: { items: write(all.filter(({ transaction }) => transaction.hash === hash).toReversed()) }
    }))
  ]
}

const contractItem = ({ book, createdAt, decimals, name, symbol, token }: Contract): unknown => {
  const { address, kind, standard: type } = token
  const label = { address, type, status: "completed", createdAt, updatedAt: createdAt, deletedAt: 0 }
  if (kind === "mt") return label
  const named = { ...label, name, symbol, totalSupply: hex(book.supply()) }
  return kind === "nft" ? named : { ...named, decimals }
}

const nftItem = ({ uris }: Contract, { first, id, last, owner, previousOwner }: Item) => ({
  tokenId: hex(id),
  owner,
  previousOwner,
  tokenUri: uris.get(id),
  transactionHash: last.transaction.hash,
  createdAt: first.transaction.timestamp,
  updatedAt: last.transaction.timestamp
})

const lastTransfer = ({ last: { from, to, transaction } }: Holding) => ({
  transactionHash: transaction.hash,
  transferFrom: from,
  transferTo: to
})

const mtHolding = ({ book, token, uris }: Contract, holding: Holding) => {
  const { balance, id = 0n, last, owner } = holding
  return {
    tokenId: hex(id),
    owner,
    tokenAddress: token.address,
    totalSupply: hex(book.supply(id)),
    tokenUri: uris.get(id),
    balance: hex(balance),
    ...lastTransfer(holding),
    updatedAt: last.transaction.timestamp
  }
}

/** Orders by the last change, newest first; those of one change by a text. */
const newestFirst = <A extends { readonly last: Transfer }>(text: (one: A) => string) => (one: A, other: A): number =>
  other.last.place - one.last.place || byText(text(one), text(other))

const nftPages = (contract: Contract, owners: ReadonlyArray<Hex>, all: ReadonlyArray<Transfer>) => {
  const { book, token: { address } } = contract
  const root = `/v2/contract/nft/${address}`
  const items = [...book.items.values()].sort(newestFirst(({ id }) => hex(id)))
  const write = (found: ReadonlyArray<Item>) => found.map((item) => nftItem(contract, item))
  return [
    { path: `${root}/token`, items: write(items) },
    ...owners.map((owner) => ({
      path: `${root}/owner/${owner}`,
      items: write(items.filter((item) => item.owner === owner))
    })),
    ...Array.from({ length: 21 }, (_, number) => BigInt(number)).flatMap((id): ReadonlyArray<Expected> => {
      const moves = all.filter((one) => one.contract === address && one.ids[0] === id).toReversed()
      const item = book.items.get(id)
      const path = `${root}/token/${hex(id)}/history`
      const changes = moves.map(({ from, to, transaction: { timestamp } }) => ({ from, to, timestamp }))
      return [
        { path: `${root}/token/${hex(id)}`, body: item === undefined ? undefined : nftItem(contract, item) },
        moves.length === 0 ? { path, body: undefined } : { path, items: changes }
      ]
    })
  ]
}

const mtPages = (contract: Contract, owners: ReadonlyArray<Hex>) => {
  const { book, token: { address }, uris } = contract
  const root = `/v2/contract/mt/${address}`
  const ids = [...book.items.keys()].sort((one, other) => byText(hex(one), hex(other)))
  const write = (found: ReadonlyArray<Holding>) => found.map((holding) => mtHolding(contract, holding))
  const holdings = [...book.holdings.values()]
  return [
    {
      path: `${root}/token`,
      items: ids.map((id) => ({ tokenId: hex(id), totalSupply: hex(book.supply(id)), tokenUri: uris.get(id) }))
    },
    ...ids.map((id) => ({
      path: `${root}/token/${hex(id)}`,
      items: write(holdings.filter((one) => one.id === id).sort(newestFirst(({ owner }) => owner)))
    })),
    ...owners.flatMap((owner): ReadonlyArray<Expected> => {
      const held = [...book.holdingsOf(owner)].sort(newestFirst(({ id }) => idText(id)))
      const totalBalance = hex(held.reduce((sum, { balance }) => sum + balance, 0n))
      return [
        { path: `${root}/owner/${owner}`, items: write(held), more: { totalBalance } },
        ...ids.map((id) => ({
          path: `${root}/owner/${owner}/token/${hex(id)}`,
          body: write(held.filter((one) => one.id === id))[0]
        }))
      ]
    })
  ]
}

const ftExtras = ({ book, decimals, name, symbol }: Contract, balance: bigint) => ({
  name,
  symbol,
  decimals,
  totalSupply: hex(book.supply()),
  formattedValue: formatUnits(balance, decimals)
})

/** What an account has, by contract and by token. */
const accountPages = (owner: Hex, contracts: ReadonlyArray<Contract>, kinds: ReadonlyArray<TokenKind>) => {
  const chosen = contracts.filter(({ token }) => kinds.includes(token.kind))
  const query = kinds.length === 3 ? "" : `?kind=${kinds.join(",")}`
  const totals = chosen.flatMap((contract) => {
    const last = contract.book.lasts.get(owner)
    const held = contract.book.holdingsOf(owner)
    return last === undefined || held.length === 0 ? [] : [{ contract, held, last }]
  }).sort(newestFirst(({ contract }) => contract.token.address))
  const tokens = totals.flatMap(({ contract, held }) => held.map((holding) => ({ contract, ...holding, holding })))
    .sort(newestFirst(({ contract, id }) => `${contract.token.address} ${idText(id)}`))
  return [
    {
      path: `/v2/account/${owner}/contract${query}`,
      items: totals.map(({ contract, held, last }) => {
        const { book, name, symbol, token: { address: contractAddress, kind } } = contract
        const balance = held.reduce((sum, one) => sum + one.balance, 0n)
        const extras = {
          ft: ftExtras(contract, balance),
          nft: { name, symbol, totalSupply: hex(book.supply()) },
          mt: {}
        }
        const updatedAt = last.transaction.timestamp
        return { kind, contractAddress, updatedAt, totalBalance: hex(balance), extras: extras[kind] }
      })
    },
    {
      path: `/v2/account/${owner}/token${query}`,
      items: tokens.map(({ balance, contract, holding, id = 0n, last }) => {
        const { book, token: { address: contractAddress, kind }, uris } = contract
        const named = { tokenId: hex(id), tokenUri: uris.get(id) }
        const extras = {
          ft: ftExtras(contract, balance),
          nft: named,
          mt: { ...named, totalSupply: hex(book.supply(id)) }
        }
        const updatedAt = last.transaction.timestamp
        const shared = { kind, contractAddress, updatedAt, balance: hex(balance), extras: extras[kind] }
        return { ...shared, lastTransfer: lastTransfer(holding) }
      })
    }
  ]
}

const contractPages = (contracts: ReadonlyArray<Contract>) =>
  contracts.flatMap((contract): ReadonlyArray<Expected> => {
    const { book, token: { address, kind, standard } } = contract
    const root = `/v2/contract/${kind}`
    const item = contractItem(contract)
    const others = { ft: "ERC-20", nft: "ERC-721", mt: "ERC-1155" }
    return [
      { path: root, items: [item] },
      { path: `${root}?type=${standard}&status=completed`, items: [item] },
      { path: `${root}?type=${others[kind]}`, items: [] },
      { path: `${root}?status=failed`, items: [] },
      { path: `${root}/${address}`, body: item },
      { path: `/v2/contract/${kind === "ft" ? "nft" : "ft"}/${address}`, body: undefined },
      ...(kind === "ft" ? [] : [{
        path: `${root}/${address}/holder`,
        body: { address, totalHolder: new Set([...book.holdings.values()].map(({ owner }) => owner)).size }
      }])
    ]
  })

/** Every answer, of a chain that has these transfers. */
export const expectedOf = async (world: World, all: ReadonlyArray<Transfer>): Promise<ReadonlyArray<Expected>> => {
  const [ft, nft, mt] = [
    await contractOf(world, world.tokens.ft, all),
    await contractOf(world, world.tokens.nft, all),
    await contractOf(world, world.tokens.mt, all)
  ]
  const contracts = [ft, nft, mt]
  const owners = [...new Set(all.flatMap(({ from, to }) => [from, to]))]
  return [
    ...history(world, all, contracts),
    ...contractPages(contracts),
    ...nftPages(nft, owners, all),
    ...mtPages(mt, owners),
    ...owners.flatMap((owner) => [
      ...accountPages(owner, contracts, ["ft", "nft", "mt"]),
      ...accountPages(owner, contracts, ["ft"]),
      ...accountPages(owner, contracts, ["nft", "mt"])
    ])
  ]
}
