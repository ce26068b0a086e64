import * as Option from "effect/Option"
import * as records from "./records.js"
import { alice, blockHash, bob, hash, json, other, type Row } from "./row.js"

const block = { ...records.header, size: "0x2fd", transactions: [hash] }
const blockMeaning = { ...records.headerMeaning, size: 765n, transactions: [hash] }

const full = { ...records.header, size: "0x2fd", transactions: [records.transaction(records.transfer)] }
const fullMeaning = {
  ...records.headerMeaning,
  size: 765n,
  transactions: [records.transactionMeaning(records.transfer)]
}

const consensus = {
  ...records.header,
  size: "0x2fd",
  transactions: [records.receipt(records.transfer)],
  committee: [alice, bob],
  committers: [alice],
  proposer: alice,
  originProposer: null,
  round: 0,
  sigHash: other
}
const consensusMeaning = {
  ...records.headerMeaning,
  size: 765n,
  transactions: [records.receiptMeaning(records.transfer)],
  committee: [alice, bob],
  committers: [alice],
  proposer: alice,
  round: 0,
  sigHash: other
}

const { blockScore: _score, mixHash: _mix, ...rest } = records.header
const oldHeader = { ...rest, blockscore: "0x1", mixhash: other }

const pending = { ...block, number: null, hash: null, logsBloom: null, nonce: null, miner: null }
const { hash: _hash, logsBloom: _bloom, number: _number, ...unplaced } = blockMeaning

export const blocks: ReadonlyArray<Row> = [
  ["klay_blockNumber", (n) => n.klay.blockNumber(), "[]", `"0x5bad55"`, 6_008_149n],
  ["klay_getBlockByNumber", (n) => n.klay.getBlockByNumber(436n), `["0x1b4",false]`, json(block), blockMeaning],
  ["klay_getBlockByNumber", (n) => n.klay.getBlockByNumber("pending"), `["pending",false]`, json(pending), unplaced],
  ["klay_getBlockByNumber", (n) => n.klay.getFullBlockByNumber(), `["latest",true]`, json(full), fullMeaning],
  ["klay_getBlockByHash", (n) => n.klay.getBlockByHash(blockHash), `["${blockHash}",false]`, json(block), blockMeaning],
  [
    "klay_getBlockByHash",
    (n) => n.klay.getFullBlockByHash(blockHash),
    `["${blockHash}",true]`,
    json(full),
    fullMeaning
  ],
  [
    "klay_getHeaderByNumber",
    (n) => n.klay.getHeaderByNumber("earliest"),
    `["earliest"]`,
    json(records.header),
    records.headerMeaning
  ],
  [
    "klay_getHeaderByHash",
    (n) => n.klay.getHeaderByHash(blockHash),
    `["${blockHash}"]`,
    json(oldHeader),
    records.headerMeaning
  ],
  [
    "klay_getBlockReceipts",
    (n) => n.klay.getBlockReceipts(blockHash),
    `["${blockHash}"]`,
    json([records.receipt(records.transfer)]),
    [records.receiptMeaning(records.transfer)]
  ],
  ["klay_getBlockReceipts", (n) => n.klay.getBlockReceipts("latest"), `["latest"]`, "[]", []],
  [
    "klay_getBlockTransactionCountByNumber",
    (n) => n.klay.getBlockTransactionCountByNumber(1n),
    `["0x1"]`,
    `"0xff"`,
    Option.some(255n)
  ],
  [
    "klay_getBlockTransactionCountByHash",
    (n) => n.klay.getBlockTransactionCountByHash(hash),
    `["${hash}"]`,
    "null",
    Option.none()
  ],
  [
    "klay_getBlockWithConsensusInfoByNumber",
    (n) => n.klay.getBlockWithConsensusInfoByNumber(436n),
    `["0x1b4"]`,
    json(consensus),
    consensusMeaning
  ],
  [
    "klay_getBlockWithConsensusInfoByHash",
    (n) => n.klay.getBlockWithConsensusInfoByHash(blockHash),
    `["${blockHash}"]`,
    json(consensus),
    consensusMeaning
  ],
  [
    "klay_getBlockWithConsensusInfoByNumberRange",
    (n) => n.klay.getBlockWithConsensusInfoByNumberRange(436n, 437n),
    `["0x1b4","0x1b5"]`,
    json({ "0x1b4": consensus, "0x1b5": null }),
    { "0x1b4": Option.some(consensusMeaning), "0x1b5": Option.none() }
  ],
  ["klay_getCommittee", (n) => n.klay.getCommittee(), "[]", json([alice, bob]), [alice, bob]],
  ["klay_getCommittee", (n) => n.klay.getCommittee(9n), `["0x9"]`, "[]", []],
  ["klay_getCommitteeSize", (n) => n.klay.getCommitteeSize("latest"), `["latest"]`, "22", 22],
  ["klay_getCouncil", (n) => n.klay.getCouncil(), "[]", json([bob]), [bob]],
  ["klay_getCouncilSize", (n) => n.klay.getCouncilSize(), "[]", "50", 50]
]
