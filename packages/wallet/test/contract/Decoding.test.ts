import * as Operation from "@effect-klaytn/core/Operation"
import { describe, it } from "@effect/vitest"
import { agreeOn } from "../../../core/test/support/agreement.js"
import * as ResourcesApi from "../../src/ResourcesApi.js"
import * as WalletApi from "../../src/WalletApi.js"

const operations = [...Operation.all(ResourcesApi), ...Operation.all(WalletApi)]

describe("an answer", () => {
  it.each(operations)("of $name is read as its schema does, good or nearly good", ({ success }) => {
    agreeOn(success, 60)
  })
})
