import * as Operation from "@effect-klaytn/core/Operation"
import { describe, it } from "@effect/vitest"
import { agreeOn } from "../../core/test/support/agreement.js"
import * as TokenDirectoryApi from "../src/TokenDirectoryApi.js"
import * as TokensApi from "../src/TokensApi.js"

const operations = [...Operation.all(TokenDirectoryApi), ...Operation.all(TokensApi)]

describe("an answer", () => {
  it.each(operations)("of $name is read as its schema does, good or nearly good", ({ success }) => {
    agreeOn(success, 60)
  })
})
