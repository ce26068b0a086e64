import { describe, it } from "@effect/vitest"
import { agreeOn } from "../../core/test/support/agreement.js"
import { TokenDirectoryGroup } from "../src/TokenDirectoryApi.js"
import { TokensGroup } from "../src/TokensApi.js"

const endpoints = [...Object.values(TokenDirectoryGroup.endpoints), ...Object.values(TokensGroup.endpoints)]

describe("an answer", () => {
  it.each(endpoints)("of $name is read as its schema does, good or nearly good", ({ successSchema }) => {
    agreeOn(successSchema, 60)
  })
})
