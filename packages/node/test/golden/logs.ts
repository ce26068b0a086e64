import * as records from "./records.js"
import { alice, hash, json, other, type Row, token } from "./row.js"
import { valueTransfer } from "./vectors.js"

const raw = "0x78" + "02f8" + "00".repeat(4)

export const logs: ReadonlyArray<Row> = [
  [
    "klay_getLogs",
    (n) => n.klay.getLogs({ fromBlock: 1n, toBlock: "latest", address: token, topics: [hash, [other, null]] }),
    `[{"fromBlock":"0x1","toBlock":"latest","address":"${token}","topics":["${hash}",["${other}",null]]}]`,
    json([records.log]),
    [records.logMeaning]
  ],
  [
    "klay_getLogs",
    (n) => n.klay.getLogs({ blockHash: hash, address: [token, alice] }),
    `[{"blockHash":"${hash}","address":["${token}","${alice}"]}]`,
    "[]",
    []
  ],
  ["klay_newFilter", (n) => n.klay.newFilter({ address: undefined }), "[{}]", `"0x1"`, "0x1"],
  ["klay_newBlockFilter", (n) => n.klay.newBlockFilter(), "[]", `"0xabc"`, "0xabc"],
  ["klay_newPendingTransactionFilter", (n) => n.klay.newPendingTransactionFilter(), "[]", `"0xabd"`, "0xabd"],
  ["klay_getFilterChanges", (n) => n.klay.getFilterChanges("0x1"), `["0x1"]`, json([records.log]), [
    records.logMeaning
  ]],
  ["klay_getFilterChanges", (n) => n.klay.getFilterChanges("0x2"), `["0x2"]`, json([hash]), [hash]],
  ["klay_getFilterLogs", (n) => n.klay.getFilterLogs("0x1"), `["0x1"]`, "[]", []],
  ["klay_uninstallFilter", (n) => n.klay.uninstallFilter("0x1"), `["0x1"]`, "false", false],
  [
    "klay_sendRawTransaction",
    (n) => n.klay.sendRawTransaction(valueTransfer.raw.toUpperCase().replace("0X", "0x")),
    `["0x08f87a8204d219830f4240947b65b75d204abed71587c9e519a89277766ee1d00a94a94f5374fce5edbc8e2a8697c15331677e6ebf0bf845f84325a0f3d0cd43661cabf53425535817c5058c27781f478cb5459874feaa462ed3a29aa06748abe186269ff10b8100a4b7d7fea274b53ea2905acbf498dc8b5ab1bf4fbc"]`,
    `"0x762f130342569e9669a4d8547f1248bd2554fbbf3062d63a97ce28bfa97aa9d7"`,
    "0x762f130342569e9669a4d8547f1248bd2554fbbf3062d63a97ce28bfa97aa9d7"
  ],
  [
    "klay_sendRawTransactions",
    (n) => n.klay.sendRawTransactions([raw, "0xf8"]),
    `[["${raw}","0xf8"]]`,
    json([hash, other]),
    [hash, other]
  ]
]
