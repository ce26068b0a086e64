/** Answers in the service's form, with as many records as wanted and the same every time. */

/** A step of a fixed sequence of numbers that look random. */
const next = (state: number): number => (Math.imul(state, 1664525) + 1013904223) >>> 0

const hex = (seed: number, digits: number): string => {
  let text = ""
  for (let state = next(seed + 1); text.length < digits; state = next(state)) {
    text += state.toString(16).padStart(8, "0")
  }
  return text.slice(0, digits)
}

const address = (seed: number): string => `0x${hex(seed, 40)}`
const hash = (seed: number): string => `0x${hex(seed, 64)}`
/** An amount of the usual length. */
const amount = (seed: number): string => `0x${1 + (seed % 9)}${hex(seed, 14)}`

const list = <A>(count: number, make: (i: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, i) => make(i))

const fees = (i: number) => ({
  fee: "0x1dd7c1681d000",
  feePayer: i % 5 === 0 ? address(7) : "",
  feeRatio: i % 10 === 0 ? 30 : 0
})

const token = (i: number) => ({
  from: address(i % 50),
  to: address(1000 + (i % 70)),
  contract: {
    address: address(2000 + (i % 5)),
    name: "Some Token",
    symbol: "SOME",
    ...(i % 3 === 0 ? {} : { decimals: 18 }),
    status: "completed"
  },
  transaction: {
    from: address(i % 50),
    transactionHash: hash(i),
    blockNumber: 40_000_000 + i,
    timestamp: 1_610_000_000 + i,
    typeInt: 48,
    value: "0x0",
    ...fees(i)
  }
})

const transfer = (i: number): unknown => {
  switch (i % 4) {
    case 0:
      return {
        transferType: "klay",
        from: address(i % 50),
        to: address(1000 + (i % 70)),
        value: amount(i),
        ...fees(i),
        status: 1,
        transactionHash: hash(i),
        transactionIndex: i % 100,
        blockNumber: 40_000_000 + i,
        typeInt: 8,
        timestamp: 1_610_000_000 + i
      }
    case 1:
      return { transferType: "ft", ...token(i), value: amount(i), formattedValue: "1234.5678" }
    case 2:
      return { transferType: "nft", ...token(i), tokenId: `0x${i.toString(16)}` }
    default:
      return {
        transferType: "mt",
        ...token(i),
        operator: address(i % 50),
        ids: ["0x1", "0xff"],
        values: ["0x1", "0x64"]
      }
  }
}

const cursor = "eyJBbGciOiJkZWZhdWx0IiwiTmV4dCI6MTIzNDU2fQ=="

/** A page of transfers of all kinds, mixed. */
export const transfers = (count: number) => ({ items: list(count, transfer), cursor })

/** A page of non-fungible tokens. */
export const tokens = (count: number) => ({
  items: list(count, (i) => ({
    tokenId: `0x${(i * 7919).toString(16)}`,
    owner: address(i % 50),
    previousOwner: address(0),
    tokenUri: `https://pictures.example/${i}.json`,
    transactionHash: hash(i),
    createdAt: 1_610_000_000 + i,
    updatedAt: 1_620_000_000 + i
  })),
  cursor
})

const noBloom = `0x${"0".repeat(512)}`

const place = (i: number) => ({
  blockHash: hash(5000),
  blockNumber: "0x2625a00",
  transactionHash: hash(i),
  transactionIndex: `0x${i.toString(16)}`
})

const log = (i: number) => ({
  address: address(2000 + (i % 5)),
  topics: [hash(1), `0x${"0".repeat(24)}${hex(i, 40)}`, `0x${"0".repeat(24)}${hex(i + 1, 40)}`],
  data: `0x${hex(i, 64)}`,
  ...place(i),
  logIndex: "0x0",
  removed: false
})

const hasLog = (i: number): boolean => i % 2 === 1
const bloom = (i: number): string => hasLog(i) ? `0x${"0".repeat(200)}8${"0".repeat(311)}` : noBloom

/** Receipts as `eth_` methods answer them; every second one has a log. */
export const ethReceipts = (count: number) =>
  list(count, (i) => ({
    ...place(i),
    from: address(i % 50),
    to: address(1000 + (i % 70)),
    gasUsed: "0x5208",
    cumulativeGasUsed: `0x${(21000 * (i + 1)).toString(16)}`,
    effectiveGasPrice: "0x5d21dba00",
    contractAddress: null,
    logs: hasLog(i) ? [log(i)] : [],
    logsBloom: bloom(i),
    status: "0x1",
    type: "0x0"
  }))

/** Receipts as `klay_` methods answer them; every second one has a log. */
export const receipts = (count: number) =>
  list(count, (i) => ({
    ...place(i),
    contractAddress: null,
    effectiveGasPrice: "0x5d21dba00",
    from: address(i % 50),
    gas: "0x7530",
    gasPrice: "0x5d21dba00",
    gasUsed: "0x5208",
    ...(hasLog(i) ? { input: `0xa9059cbb${hex(i, 128)}` } : {}),
    logs: hasLog(i) ? [log(i)] : [],
    logsBloom: bloom(i),
    nonce: `0x${i.toString(16)}`,
    senderTxHash: hash(i),
    signatures: [{ V: "0x7f6", R: hash(i + 1), S: hash(i + 2) }],
    status: "0x1",
    to: address(1000 + (i % 70)),
    type: hasLog(i) ? "TxTypeSmartContractExecution" : "TxTypeValueTransfer",
    typeInt: hasLog(i) ? 48 : 8,
    value: amount(i)
  }))
