import { describe, it } from "@effect/vitest"
import { agreeOn } from "../../core/test/support/agreement.js"
import { ResourcesGroup } from "../src/ResourcesApi.js"
import { WalletGroup } from "../src/WalletApi.js"

const endpoints = [...Object.values(ResourcesGroup.endpoints), ...Object.values(WalletGroup.endpoints)]

describe("an answer", () => {
  it.each(endpoints)("of $name is read as its schema does, good or nearly good", ({ successSchema }) => {
    agreeOn(successSchema, 60)
  })
})
