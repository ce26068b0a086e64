import { alice, bob, json, other, type Row, token } from "./row.js"

const call = { from: alice, to: token, gas: 100_000n, value: 0n, input: "0x70A08231" }
const callWire = `{"from":"${alice}","to":"${token}","gas":"0x186a0","value":"0x0","input":"0x70a08231"}`
const overrides = { [bob]: { balance: 1n, stateDiff: { [other]: other } } }
const overridesWire = `{"${bob}":{"balance":"0x1","stateDiff":{"${other}":"${other}"}}}`

export const gas: ReadonlyArray<Row> = [
  ["klay_call", (n) => n.klay.call(call), `[${callWire},"latest"]`, `"0x"`, "0x"],
  [
    "klay_call",
    (n) =>
      n.klay.call({
        to: token,
        maxFeePerGas: 2n,
        maxPriorityFeePerGas: 1n,
        accessList: [{ address: bob, storageKeys: [other] }],
        chainId: 1001n
      }, 5n),
    `[{"to":"${token}","maxFeePerGas":"0x2","maxPriorityFeePerGas":"0x1","accessList":[{"address":"${bob}","storageKeys":["${other}"]}],"chainId":"0x3e9"},"0x5"]`,
    `"0xAB"`,
    "0xab"
  ],
  ["klay_estimateGas", (n) => n.klay.estimateGas(call), `[${callWire}]`, `"0x5208"`, 21_000n],
  [
    "klay_estimateGas",
    (n) => n.klay.estimateGas({ input: "0x60" }, "pending"),
    `[{"input":"0x60"},"pending"]`,
    `"0x1"`,
    1n
  ],
  [
    "klay_estimateGas",
    (n) => n.klay.estimateGas(call, undefined, overrides),
    `[${callWire},"latest",${overridesWire}]`,
    `"0x1"`,
    1n
  ],
  [
    "klay_estimateComputationCost",
    (n) => n.klay.estimateComputationCost(call, 1n),
    `[${callWire},"0x1"]`,
    `"0x9f"`,
    159n
  ],
  [
    "klay_createAccessList",
    (n) => n.klay.createAccessList({ to: token, nonce: 4n, gasPrice: 25n }),
    `[{"to":"${token}","gasPrice":"0x19","nonce":"0x4"}]`,
    json({ accessList: [{ address: token, storageKeys: [] }], gasUsed: "0x1", error: "out of gas" }),
    { accessList: [{ address: token, storageKeys: [] }], gasUsed: 1n, error: "out of gas" }
  ],
  ["klay_gasPrice", (n) => n.klay.gasPrice(), "[]", `"0x5d21dba00"`, 25_000_000_000n],
  ["klay_gasPriceAt", (n) => n.klay.gasPriceAt(3n), `["0x3"]`, `"0xae9f7bcc00"`, 750_000_000_000n],
  ["klay_upperBoundGasPrice", (n) => n.klay.upperBoundGasPrice(), "[]", `"0xae9f7bcc00"`, 750_000_000_000n],
  ["klay_lowerBoundGasPrice", (n) => n.klay.lowerBoundGasPrice(), "[]", `"0x5d21dba00"`, 25_000_000_000n],
  ["klay_maxPriorityFeePerGas", (n) => n.klay.maxPriorityFeePerGas(), "[]", `"0x0"`, 0n],
  [
    "klay_feeHistory",
    (n) => n.klay.feeHistory(2, "latest", [10, 50.5]),
    `["0x2","latest",[10,50.5]]`,
    json({
      oldestBlock: "0x1b3",
      baseFeePerGas: ["0x1", "0x2", "0x3"],
      gasUsedRatio: [0.5, 0],
      reward: [["0x0", "0x1"], ["0x2", "0x3"]]
    }),
    { oldestBlock: 435n, baseFeePerGas: [1n, 2n, 3n], gasUsedRatio: [0.5, 0], reward: [[0n, 1n], [2n, 3n]] }
  ],
  [
    "klay_feeHistory",
    (n) => n.klay.feeHistory(0n),
    `["0x0","latest",[]]`,
    json({ oldestBlock: "0x0", gasUsedRatio: null }),
    { oldestBlock: 0n }
  ]
]
