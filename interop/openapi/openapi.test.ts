import { createConfig, lintFromString } from "@redocly/openapi-core"
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import openapiTS, { astToString } from "openapi-typescript"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { open, type World } from "../service/world.js"
import { program } from "./client.js"

const here = import.meta.dirname

let world: World
let document: string

beforeAll(async () => {
  world = await open()
  document = await (await fetch(`${world.credential.url}/openapi.json`)).text()
})

afterAll(() => world?.close())

describe("The OpenAPI document that the sandbox serves", () => {
  it("is valid OpenAPI 3.1, and its examples are valid by its schemas", async () => {
    const config = await createConfig({
      extends: ["recommended-strict"],
      rules: {
        "no-invalid-media-type-examples": { severity: "error", allowAdditionalProperties: false },
        "no-invalid-parameter-examples": "error",
        "no-invalid-schema-examples": "error",
        "operation-description": "error",
        "operation-singular-tag": "error",
        "parameter-description": "error",
        "tag-description": "error"
      }
    })
    const problems = await lintFromString({ source: document, absoluteRef: join(here, "openapi.json"), config })
    expect(problems.map(({ location, message, ruleId }) => `${ruleId}: ${message} at ${location[0]?.pointer}`)).toEqual(
      []
    )
  })

  it("becomes types by another's generator, which a program against it is checked with", async () => {
    const types = astToString(await openapiTS(JSON.parse(document)))
    mkdirSync(join(here, "generated"), { recursive: true })
    writeFileSync(join(here, "generated/service.d.ts"), types)
    const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")
    const options = [
      ...["--noEmit", "--strict", "--exactOptionalPropertyTypes", "false", "--skipLibCheck"],
      ...["--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext", "--types", "node"],
      ...["--typeRoots", join(here, "../../node_modules/@types")]
    ]
    const check = (file: string) => {
      try {
        execFileSync(process.execPath, [compiler, ...options, file], { encoding: "utf8", stdio: "pipe" })
        return ""
      } catch (error) {
        return error instanceof Error && "stdout" in error ? String(error.stdout) : String(error)
      }
    }
    expect(check(join(here, "client.ts"))).toBe("")
    // The check can fail: a call without a chain is none.
    const wrong = join(here, "generated/wrong.ts")
    writeFileSync(
      wrong,
      "import createClient from \"openapi-fetch\"\nimport type { paths } from \"./service.js\"\n" +
        "void createClient<paths>().GET(\"/v2/feepayer\", { params: {} })\n"
    )
    expect(check(wrong)).toContain("header")
  })

  it("gives a client that reads every page as the chain has it", async () => {
    const client = program(world.credential)
    const expected = world.everything.filter(({ from, to }) => from === world.account || to === world.account)
    const found = await client.transfersOf(world.account, 7)
    expect(expected.length).toBeGreaterThan(30)
    expect(found.length).toBe(expected.length)
    expect(await client.refusedSize(world.account)).toBe(1040010)
    expect((await client.ownersOf(world.tokens.nft.address)).length).toBeGreaterThan(1)
  })

  it("gives a client that makes an account, sends from it, and asks the node", async () => {
    const client = program(world.credential)
    const { address } = await client.newAccount()
    await world.run(world.chain.fund(address.toLowerCase() as `0x${string}`, 10n ** 19n))
    const to = `0x${"77".repeat(20)}`
    expect(await client.send(address, to, "0xde0b6b3a7640000")).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await client.balanceOf(to)).toBe("0xde0b6b3a7640000")
  })
})
