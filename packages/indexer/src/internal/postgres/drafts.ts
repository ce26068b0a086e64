/** What the fold of a piece needs of its blocks, as text: numbers of any size end in `n`, bytes begin with `x`. */
import type { KeptBlock } from "../tokens/tokenIndex.js"

const write = (_: string, value: unknown): unknown =>
  typeof value === "bigint"
    ? `${value}n`
    : value instanceof Uint8Array
    ? `x${Buffer.from(value).toString("hex")}`
    : value

const read = (_: string, value: unknown): unknown => {
  if (typeof value !== "string") return value
  if (/^\d+n$/.test(value)) return BigInt(value.slice(0, -1))
  return value.startsWith("x") ? new Uint8Array(Buffer.from(value.slice(1), "hex")) : value
}

/** The fields of a transaction that ownership and the questions to contracts depend on. */
const slim = (block: KeptBlock) => ({
  ...block,
  header: { ...block.header, logsBloom: "0x" },
  transactions: block.transactions.map((
    {
      blockNumber,
      contractAddress,
      from,
      logs,
      logsBefore,
      status,
      to,
      transactionIndex,
      transfers,
      transfersBefore,
      writes
    }
  ) => ({
    blockNumber,
    contractAddress,
    from,
    logs,
    logsBefore,
    status,
    to,
    transactionIndex,
    transfers,
    transfersBefore,
    writes
  }))
})

export const encode = (blocks: ReadonlyArray<KeptBlock>): string => JSON.stringify(blocks.map(slim), write)

/** Reads what {@link encode} wrote: of transactions, the fields that are there. */
export const decode = (text: string): ReadonlyArray<KeptBlock> => JSON.parse(text, read)
