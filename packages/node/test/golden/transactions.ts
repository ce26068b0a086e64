import * as Option from "effect/Option"
import * as records from "./records.js"
import { hash, json, other, type Row, zeroHash } from "./row.js"

const places = { blockHash: zeroHash, blockNumber: "0x0", transactionIndex: "0x0" }
const { blockHash: _h, blockNumber: _b, transactionIndex: _i, ...unplaced } = records.transactionMeaning(
  records.transfer
)

const novel = { ...records.transaction(records.transfer), type: "TxTypeTeleport", typeInt: 99, beam: { level: 9 } }
const novelCommon = Object.fromEntries(
  Object.entries(records.transactionMeaning(records.transfer)).filter(([name]) => name !== "to" && name !== "value")
)

const ofEveryType: ReadonlyArray<Row> = records.kinds.flatMap((kind): ReadonlyArray<Row> => [
  [
    "klay_getTransactionByHash",
    (n) => n.klay.getTransactionByHash(hash),
    `["${hash}"]`,
    json(records.transaction(kind)),
    Option.some(records.transactionMeaning(kind))
  ],
  [
    "klay_getTransactionReceipt",
    (n) => n.klay.getTransactionReceipt(hash),
    `["${hash}"]`,
    json(records.receipt(kind)),
    Option.some(records.receiptMeaning(kind))
  ]
])

export const transactions: ReadonlyArray<Row> = [
  ...ofEveryType,
  ["klay_getTransactionByHash", (n) => n.klay.getTransactionByHash(hash), `["${hash}"]`, "null", Option.none()],
  [
    "klay_getTransactionByHash",
    (n) => n.klay.getTransactionByHash(hash),
    `["${hash}"]`,
    json({ ...records.transaction(records.transfer), ...places }),
    Option.some(unplaced)
  ],
  [
    "klay_getTransactionByHash",
    (n) => n.klay.getTransactionByHash(hash),
    `["${hash}"]`,
    json({ ...records.transaction(records.transfer), blockHash: null, blockNumber: null, transactionIndex: null }),
    Option.some(unplaced)
  ],
  [
    "klay_getTransactionByHash",
    (n) => n.klay.getTransactionByHash(hash),
    `["${hash}"]`,
    json(novel),
    Option.some({ ...novelCommon, _tag: "UnknownTransaction", typeInt: 99, typeName: "TxTypeTeleport", record: novel })
  ],
  [
    "klay_getTransactionBySenderTxHash",
    (n) => n.klay.getTransactionBySenderTxHash(hash),
    `["${hash}"]`,
    json(records.transaction(records.transfer)),
    Option.some(records.transactionMeaning(records.transfer))
  ],
  [
    "klay_getTransactionByBlockHashAndIndex",
    (n) => n.klay.getTransactionByBlockHashAndIndex(other, 0n),
    `["${other}","0x0"]`,
    "null",
    Option.none()
  ],
  [
    "klay_getTransactionByBlockNumberAndIndex",
    (n) => n.klay.getTransactionByBlockNumberAndIndex("latest", 3n),
    `["latest","0x3"]`,
    json(records.transaction(records.transfer)),
    Option.some(records.transactionMeaning(records.transfer))
  ],
  ["klay_getTransactionReceipt", (n) => n.klay.getTransactionReceipt(hash), `["${hash}"]`, "null", Option.none()],
  [
    "klay_getTransactionReceipt",
    (n) => n.klay.getTransactionReceipt(hash),
    `["${hash}"]`,
    json({ ...records.receipt(records.transfer), status: "0x0", txError: "0x9", logs: [] }),
    Option.some({ ...records.receiptMeaning(records.transfer), status: 0, txError: 9, logs: [] })
  ],
  [
    "klay_getTransactionReceiptBySenderTxHash",
    (n) => n.klay.getTransactionReceiptBySenderTxHash(other),
    `["${other}"]`,
    "null",
    Option.none()
  ],
  [
    "klay_getTransactionReceiptInCache",
    (n) => n.klay.getTransactionReceiptInCache(hash),
    `["${hash}"]`,
    json(records.receipt(records.transfer)),
    Option.some(records.receiptMeaning(records.transfer))
  ],
  [
    "klay_getRawTransactionByHash",
    (n) => n.klay.getRawTransactionByHash(hash),
    `["${hash}"]`,
    `"0x08F87A"`,
    Option.some("0x08f87a")
  ],
  [
    "klay_getRawTransactionByBlockHashAndIndex",
    (n) => n.klay.getRawTransactionByBlockHashAndIndex(hash, 1n),
    `["${hash}","0x1"]`,
    `"0x"`,
    Option.none()
  ],
  [
    "klay_getRawTransactionByBlockNumberAndIndex",
    (n) => n.klay.getRawTransactionByBlockNumberAndIndex(5n, 1n),
    `["0x5","0x1"]`,
    `"0x7802"`,
    Option.some("0x7802")
  ],
  [
    "klay_getDecodedAnchoringTransactionByHash",
    (n) => n.klay.getDecodedAnchoringTransactionByHash(hash),
    `["${hash}"]`,
    json({
      BlockHash: hash,
      TxHash: hash,
      ParentHash: other,
      ReceiptHash: hash,
      StateRootHash: hash,
      BlockNumber: 7,
      BlockCount: 2,
      TxCount: 3
    }),
    {
      blockHash: hash,
      transactionsRoot: hash,
      parentHash: other,
      receiptsRoot: hash,
      stateRoot: hash,
      blockNumber: 7n,
      blockCount: 2n,
      txCount: 3n
    }
  ],
  [
    "klay_getDecodedAnchoringTransactionByHash",
    (n) => n.klay.getDecodedAnchoringTransactionByHash(hash),
    `["${hash}"]`,
    json({ note: "free" }),
    { note: "free" }
  ]
]
