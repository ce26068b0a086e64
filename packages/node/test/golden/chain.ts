import { alice, bob, hash, json, payer, type Row, token } from "./row.js"

const rewards =
  `{"minted":6400000000000000000,"totalFee":1,"burntFee":0,"proposer":0.0e0,"stakers":1280000000000000000,` +
  `"kgf":9007199254740993,"kir":9007199254740991,"rewards":{"${alice}":6400000000000000001}}`

const staking = {
  BlockNum: 86400,
  CouncilNodeAddrs: [alice],
  CouncilStakingAddrs: [bob],
  CouncilRewardAddrs: [payer],
  CouncilStakingAmounts: [5000000],
  KIRAddr: token,
  PoCAddr: token,
  UseGini: true,
  Gini: -1
}

const credit = { photo: "a", names: "b", endingPhoto: "c", endingNames: "d" }

export const chain: ReadonlyArray<Row> = [
  ["klay_chainID", (n) => n.klay.chainId(), "[]", `"0x2019"`, 8217n],
  ["klay_clientVersion", (n) => n.klay.clientVersion(), "[]", `"Klaytn/v1.12.1"`, "Klaytn/v1.12.1"],
  ["klay_protocolVersion", (n) => n.klay.protocolVersion(), "[]", `"0x41"`, 65n],
  ["klay_syncing", (n) => n.klay.syncing(), "[]", "false", false],
  [
    "klay_syncing",
    (n) => n.klay.syncing(),
    "[]",
    json({ startingBlock: "0x0", currentBlock: "0x1", highestBlock: "0x2", pulledStates: "0x3", knownStates: "0x4" }),
    { startingBlock: 0n, currentBlock: 1n, highestBlock: 2n, pulledStates: 3n, knownStates: 4n }
  ],
  ["klay_sha3", (n) => n.klay.sha3("0x68656c6c6f"), `["0x68656c6c6f"]`, json(hash), hash],
  ["klay_isParallelDBWrite", (n) => n.klay.isParallelDBWrite(), "[]", "true", true],
  ["klay_isSenderTxHashIndexingEnabled", (n) => n.klay.isSenderTxHashIndexingEnabled(), "[]", "false", false],
  ["klay_isConsoleLogEnabled", (n) => n.klay.isConsoleLogEnabled(), "[]", "false", false],
  ["klay_nodeAddress", (n) => n.klay.nodeAddress(), "[]", json(alice), alice],
  ["klay_rewardbase", (n) => n.klay.rewardbase(), "[]", json(alice), alice],
  ["klay_accounts", (n) => n.klay.accounts(), "[]", "[]", []],
  [
    "klay_forkStatus",
    (n) => n.klay.forkStatus(10n),
    `["0xa"]`,
    `{"ChainID":8217,"IsMagma":true}`,
    { ChainID: 8217n, IsMagma: true }
  ],
  [
    "klay_getChainConfig",
    (n) => n.klay.getChainConfig(),
    "[]",
    `{"chainId":1001,"magmaCompatibleBlock":98347376,"unitPrice":25000000000,"deriveShaImpl":2,"governance":{"governingNode":"${alice}",` +
    `"reward":{"mintingAmount":9600000000000000000,"ratio":"34/54/12","useGiniCoeff":true,"deferredTxFee":true,"minimumStake":5000000}}}`,
    {
      chainId: 1001n,
      magmaCompatibleBlock: 98347376,
      unitPrice: 25_000_000_000n,
      deriveShaImpl: 2n,
      governance: {
        governingNode: alice,
        reward: {
          mintingAmount: 9_600_000_000_000_000_000n,
          ratio: "34/54/12",
          useGiniCoeff: true,
          deferredTxFee: true,
          minimumStake: 5_000_000n
        }
      }
    }
  ],
  [
    "klay_getParams",
    (n) => n.klay.getParams(4n),
    `["0x4"]`,
    json({
      "governance.unitprice": 25000000000,
      "reward.mintingamount": "9600000000000000000",
      "reward.useginicoeff": true
    }),
    { "governance.unitprice": 25000000000, "reward.mintingamount": "9600000000000000000", "reward.useginicoeff": true }
  ],
  [
    "klay_getStakingInfo",
    (n) => n.klay.getStakingInfo(),
    `["latest"]`,
    json(staking),
    {
      blockNum: 86_400n,
      councilNodeAddrs: [alice],
      councilStakingAddrs: [bob],
      councilRewardAddrs: [payer],
      councilStakingAmounts: [5_000_000n],
      KIRAddr: token,
      PoCAddr: token,
      useGini: true,
      gini: -1
    }
  ],
  [
    "klay_getRewards",
    (n) => n.klay.getRewards(7n),
    `["0x7"]`,
    rewards,
    {
      minted: 6_400_000_000_000_000_000n,
      totalFee: 1n,
      burntFee: 0n,
      proposer: 0n,
      stakers: 1_280_000_000_000_000_000n,
      kif: 9_007_199_254_740_993n,
      kef: 9_007_199_254_740_991n,
      rewards: { [alice]: 6_400_000_000_000_000_001n }
    }
  ],
  [
    "klay_getTotalSupply",
    (n) => n.klay.getTotalSupply(undefined, true),
    `["latest",true]`,
    json({ number: "0x1", totalSupply: "0x2", totalMinted: null, totalBurnt: null, burntFee: "0x0", error: "missing" }),
    { number: 1n, totalSupply: 2n, burntFee: 0n, error: "missing" }
  ],
  ["klay_getTotalSupply", (n) => n.klay.getTotalSupply(), "[]", `{"number":"0x1"}`, { number: 1n }],
  [
    "klay_getBlsInfos",
    (n) => n.klay.getBlsInfos(),
    `["latest"]`,
    json({ [alice]: { publicKey: "a1", pop: "b2", verifyErr: null } }),
    { [alice]: { publicKey: "a1", pop: "b2" } }
  ],
  [
    "klay_getActiveAddressFromRegistry",
    (n) => n.klay.getActiveAddressFromRegistry("KIP113", 1n),
    `["KIP113","0x1"]`,
    json(token),
    token
  ],
  [
    "klay_getAllRecordsFromRegistry",
    (n) => n.klay.getAllRecordsFromRegistry("KIP113"),
    `["KIP113","latest"]`,
    json([{ addr: token, activation: 5 }]),
    [{ addr: token, activation: 5n }]
  ],
  ["klay_getCypressCredit", (n) => n.klay.getCypressCredit(), "[]", json(credit), credit],
  [
    "klay_recoverFromTransaction",
    (n) => n.klay.recoverFromTransaction("0x08f87a"),
    `["0x08f87a","latest"]`,
    json(alice),
    alice
  ],
  [
    "klay_recoverFromMessage",
    (n) => n.klay.recoverFromMessage(alice, "0x00", "0x1b", 2n),
    `["${alice}","0x00","0x1b","0x2"]`,
    json(alice),
    alice
  ],
  ["net_networkID", (n) => n.net.networkId(), "[]", "8217", 8217],
  ["net_networkID", (n) => n.net.networkId(), "[]", `"1001"`, 1001],
  ["net_version", (n) => n.net.version(), "[]", `"8217"`, "8217"],
  ["net_listening", (n) => n.net.listening(), "[]", "true", true],
  ["net_peerCount", (n) => n.net.peerCount(), "[]", `"0x4"`, 4n],
  ["net_peerCountByType", (n) => n.net.peerCountByType(), "[]", `{"total":4,"en":1}`, { total: 4, en: 1 }],
  ["web3_clientVersion", (n) => n.web3.clientVersion(), "[]", `"Kaia/v2.2.1"`, "Kaia/v2.2.1"],
  ["web3_sha3", (n) => n.web3.sha3("0x"), `["0x"]`, json(hash), hash],
  ["rpc_modules", (n) => n.rpc.modules(), "[]", `{"klay":"1.0","net":"1.0"}`, { klay: "1.0", net: "1.0" }]
]
