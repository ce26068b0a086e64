/** Transfers as the service sends them, made from a seed, and what a complete export of them has to hold. */

/** A record on the wire, with what a search goes by. */
export interface Recorded {
  readonly wire: Readonly<Record<string, unknown>>
  readonly from: string
  readonly to: string
  readonly kind: "coin" | "ft" | "nft" | "mt"
  readonly transaction: string
  readonly block: number
  readonly time: number
  readonly misshapen: boolean
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export const random = (seed: string): () => number => {
  let state = [...seed].reduce((hash, char) => Math.imul(hash ^ char.charCodeAt(0), 16777619), 2166136261)
  return () => {
    state = (state + 0x6D2B79F5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const hex = (value: bigint | number, digits: number): string => `0x${value.toString(16).padStart(digits, "0")}`

export const addressOf = (index: number): string => hex(0xa000_0000 + index, 40)

const contracts = [
  { address: hex(0xc1, 40), name: "Apple", symbol: "APL", decimals: 2 },
  { address: hex(0xc2, 40), name: "=SUM(A1:A9), \"quoted\"", symbol: "+EVIL\r\nrow\0\ud800", decimals: 18 }
] as const
const pictures = { address: hex(0xc3, 40), name: "Picture", symbol: "PIC" }
const bundle = { address: hex(0xc4, 40) }

/** The first second of the history, and how long it lasts: a little more than half a year. */
export const began = 1_700_000_000
export const lasts = 200 * 24 * 60 * 60

export interface Options {
  readonly seed: string
  readonly transfers: number
  /** Accounts that are exported; some others take part. */
  readonly accounts: number
  /** The share of records that can't be read. */
  readonly misshapen?: number
}

/** Makes a history, oldest first. */
export const make = ({ accounts, misshapen = 0, seed, transfers }: Options): ReadonlyArray<Recorded> => {
  const next = random(seed)
  const below = (bound: number): number => Math.floor(next() * bound)
  const all: Array<Recorded> = []
  let block = 1000
  let serial = 0
  while (all.length < transfers) {
    block += 1 + below(3)
    const time = began + Math.floor(lasts * all.length / transfers)
    const inBlock = 1 + below(4)
    for (let one = 0; one < inBlock; one++) {
      const from = addressOf(below(accounts))
      const to = addressOf(below(accounts * 3))
      const transactionHash = hex(++serial, 64)
      const fees = { fee: hex(25_000_000_000 * 21_000, 1), feePayer: "", feeRatio: 0 }
      const summary = { from, transactionHash, blockNumber: block, timestamp: time, typeInt: 48, value: "0x0", ...fees }
      const add = (kind: Recorded["kind"], wire: Record<string, unknown>): void => {
        const isBad = next() < misshapen
        all.push({
          kind,
          transaction: transactionHash,
          from,
          to,
          block,
          time,
          misshapen: isBad,
          wire: isBad ? { ...wire, from, to, ...(kind === "coin" ? { value: 12 } : { contract: null }) } : wire
        })
      }
      const coin = (value: bigint, receiver = to): void =>
        add("coin", {
          transferType: "klay",
          from,
          to: receiver,
          value: hex(value, 1),
          ...fees,
          status: next() < 0.05 ? 0 : 1,
          transactionHash,
          transactionIndex: one,
          blockNumber: block,
          typeInt: 8,
          timestamp: time
        })
      const form = below(10)
      if (form < 5) coin(BigInt(below(1_000_000)) * 10n ** 15n)
      else if (form < 8) {
        // Some transactions have many equal records, more than a small page holds.
        const contract = contracts[below(2)] ?? contracts[0]
        const value = BigInt(1 + below(3)) * 10n ** BigInt(below(20))
        const times = next() < 0.3 ? 2 + below(next() < 0.05 ? 40 : 3) : 1
        for (let time = 0; time < times; time++) {
          add("ft", {
            transferType: "ft",
            from,
            to,
            value: hex(value, 1),
            formattedValue: "?",
            contract,
            transaction: summary
          })
        }
        coin(0n)
      } else if (form < 9) {
        const tokenId = hex(below(100_000), 1)
        add("nft", { transferType: "nft", from, to, tokenId, contract: pictures, transaction: summary })
      } else {
        const ids = Array.from({ length: 1 + below(3) }, () => hex(below(5), 1))
        const values = ids.map(() => hex(below(100), 1))
        add("mt", { transferType: "mt", operator: from, from, to, ids, values, contract: bundle, transaction: summary })
      }
    }
  }
  return all.slice(0, transfers)
}

/** What identifies a row for the auditor, written without the exporter. */
const keyOf = (parts: ReadonlyArray<unknown>): string => JSON.stringify(parts.map((part) => part ?? null))

interface Summary {
  readonly transactionHash: string
}

/** How often each row has to be in an export of these accounts, and each unreadable record. */
export const expected = (
  records: ReadonlyArray<Recorded>,
  accounts: ReadonlySet<string>
): { readonly rows: ReadonlyMap<string, number>; readonly rejected: ReadonlyMap<string, number> } => {
  const rows = new Map<string, number>()
  const rejected = new Map<string, number>()
  const count = (into: Map<string, number>, key: string, times: number): void => {
    into.set(key, (into.get(key) ?? 0) + times)
  }
  for (const { from, kind, misshapen, to, wire } of records) {
    const sides = new Set([from, to].filter((one) => accounts.has(one))).size
    if (sides === 0) continue
    if (misshapen) {
      count(rejected, JSON.stringify(wire), sides)
      continue
    }
    // Records of this very file.
    const { contract, ids, tokenId, transaction, transactionHash, value, values } = wire as {
      readonly transactionHash?: string
      readonly transaction?: Summary
      readonly contract?: { readonly address: string }
      readonly tokenId?: string
      readonly value?: string
      readonly ids?: ReadonlyArray<string>
      readonly values?: ReadonlyArray<string>
    }
    const hash = transactionHash ?? transaction?.transactionHash
    const one = (token: string | undefined, amount: string, part: number): void =>
      count(
        rows,
        keyOf([
          hash,
          kind,
          from,
          to,
          contract?.address,
          token === undefined ? null : BigInt(token).toString(),
          amount,
          part
        ]),
        1
      )
    if (ids !== undefined) ids.forEach((id, part) => one(id, BigInt(values?.[part] ?? 0).toString(), part))
    else one(tokenId, kind === "nft" ? "1" : BigInt(value ?? 0).toString(), 0)
  }
  return { rows, rejected }
}

/** The key of an exported row. */
export const exportedKey = (row: Readonly<Record<string, unknown>>): string =>
  keyOf([
    row["transaction_hash"],
    row["kind"],
    row["from_address"],
    row["to_address"],
    row["contract"] === "" ? null : row["contract"],
    row["token_id"] === "" ? null : row["token_id"],
    String(row["amount"]),
    Number(row["part"])
  ])

/** Compares what is there with what has to be there. */
export const compare = (
  expected: ReadonlyMap<string, number>,
  found: ReadonlyMap<string, number>
): { readonly missing: number; readonly doubled: number } => {
  let missing = 0
  let doubled = 0
  for (const [key, times] of expected) missing += Math.max(0, times - (found.get(key) ?? 0))
  for (const [key, times] of found) doubled += Math.max(0, times - (expected.get(key) ?? 0))
  return { missing, doubled }
}

/** Counts keys. */
export const tally = (keys: Iterable<string>): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const key of keys) found.set(key, (found.get(key) ?? 0) + 1)
  return found
}
