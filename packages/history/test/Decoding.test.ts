import { describe, it } from "@effect/vitest"
import { agreeAround } from "../../core/test/support/agreement.js"
import * as HistoryApi from "../src/HistoryApi.js"
import { coin, ft, mt, nft, unknown } from "./support/records.js"

describe("a page of records of every kind", () => {
  it("is read as its schema does, good or nearly good", () => {
    agreeAround(HistoryApi.PageableTransfers, { items: [coin, ft, nft, mt, unknown], cursor: "x" }, 2000)
  })

  it("is read as its schema does where fields that may be missing are null or empty", () => {
    const bare = { ...coin, timestamp: null, status: "", transactionIndex: null, feePayer: null }
    const token = { ...ft, contract: { ...ft.contract, name: null, decimals: "" }, formattedValue: null }
    agreeAround(HistoryApi.PageableTransfers, { items: [bare, token], cursor: "" }, 500)
  })
})
