import * as OperationApi from "@effect-klaytn/core/OperationApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { assert, describe, it } from "@effect/vitest"
import * as HistoryApi from "../src/HistoryApi.js"

const document = OpenApi.fromApi(OperationApi.api("history", HistoryApi))

/** `name in place`, with a mark for what is required. */
const parameters = (operation: OpenApi.OpenAPISpecOperation): ReadonlyArray<string> =>
  operation.parameters.map((one) => `${one.name} in ${one.in}${one.required ? ", required" : ""}`)

const search = ["kind in query", "range in query", "size in query", "cursor in query", "exclude-zero-klay in query"]

describe("the interface of transfer history", () => {
  it("is three reads with these parameters and answers", () => {
    const told = Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.entries(methods).map(([method, operation]) => [
        method,
        operation.operationId,
        parameters(operation),
        Object.keys(operation.responses)
      ])
    ])
    assert.deepStrictEqual(told, [
      ["/v2/transfer", [[
        "get",
        "history.getTransfers",
        ["presets in query, required", ...search],
        ["200", "400", "401", "404", "500"]
      ]]],
      ["/v2/transfer/account/{address}", [[
        "get",
        "history.getTransfersByEoa",
        [
          "address in path, required",
          ...search,
          "ca-filter in query",
          "from-only in query",
          "to-only in query"
        ],
        ["200", "400", "401", "500"]
      ]]],
      ["/v2/transfer/tx/{hash}", [[
        "get",
        "history.getTransfersByTxHash",
        ["hash in path, required"],
        ["200", "400", "401", "500"]
      ]]]
    ])
  })

  it("names its records and pages", () => {
    const names = Object.keys(document.components.schemas)
    for (
      const name of [
        "PageableTransfers",
        "Transfers",
        "KlayTransfer",
        "CoinTransfer",
        "FtTransfer",
        "NftTransfer",
        "MtTransfer",
        "UnknownTransfer",
        "TransactionSummary",
        "ContractSummary"
      ]
    ) assert.include(names, name)
  })

  it("is plain JSON", () => {
    assert.deepStrictEqual(JSON.parse(JSON.stringify(document)), document)
  })
})
