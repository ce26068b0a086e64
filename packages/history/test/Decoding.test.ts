import { describe, it } from "@effect/vitest"
import { agreeAround } from "../../core/test/support/agreement.js"
import * as HistoryApi from "../src/HistoryApi.js"
import { coin, ft, mt, nft, unknown } from "./support/records.js"

describe("a page of records of every kind", () => {
  it("is read as its schema does, good or nearly good", () => {
    agreeAround(HistoryApi.PageableTransfers, { items: [coin, ft, nft, mt, unknown], cursor: "x" }, 2000)
  })
})
