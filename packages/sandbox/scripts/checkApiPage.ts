/** What a person does on the page `/api` of the sandbox: opens operations, makes calls, searches. */
import assert from "node:assert/strict"
import type { Page } from "playwright-core"

/** The facts of the world that calls are made in. */
export interface Known {
  /** An account of chain 1001 with more than five transfers. */
  readonly busiest: string
  readonly accessKeyId: string
}

const field = (name: string): string => `.field:has(code:text-is("${name}")) input`

/** Uses the page that is open at `url`. `look` is called whenever there is something new to be seen. */
export const checkApiPage = async (
  page: Page,
  url: string,
  known: Known,
  look: (name: string) => Promise<void>
): Promise<void> => {
  await page.goto(`${url}/api`)
  await page.waitForSelector("details.operation")
  const count = await page.locator("details.operation").count()
  assert.equal(await page.locator("#count").textContent(), `OpenAPI 3.1.0, ${count} operations`)
  await look("api")

  // A call without a credential is refused, and the service's own words are shown.
  const history = page.locator("#getTransfersByEoa")
  const submit = history.getByRole("button", { name: "Call", exact: true })
  const status = history.locator("form output")
  await history.locator("summary").first().click()
  await history.locator(field("address")).fill(known.busiest)
  await history.locator(field("kind")).fill("")
  await history.locator(field("size")).fill("5")
  await submit.click()
  await history.locator("output.bad").waitFor()
  assert.match(await status.textContent() ?? "", /^401 in \d+ ms$/)
  assert.match(await history.locator("pre").textContent() ?? "", /"code": 1010008|"code": 1010009/)

  // With the sandbox's own, the same call answers; the next page is other records.
  await page.getByRole("button", { name: "Use this sandbox's credential" }).click()
  await page.locator("#accessNote", { hasText: "this sandbox alone" }).waitFor()
  assert.equal(await page.locator("#key").inputValue(), known.accessKeyId)
  const read = async (): Promise<{ readonly items: ReadonlyArray<object>; readonly cursor: string }> =>
    JSON.parse(await history.locator("pre").textContent() ?? "")
  await submit.click()
  await history.locator("output.good").waitFor()
  const first = await read()
  assert.equal(first.items.length, 5)
  const shown = JSON.stringify(first.items)
  await history.getByRole("button", { name: "Next page" }).click()
  await history.locator("pre", { hasNotText: first.cursor }).waitFor()
  assert.notEqual(JSON.stringify((await read()).items), shown)
  await history.scrollIntoViewIfNeeded()
  await look("api-call")

  // A call that changes something.
  const create = page.locator("#createAccount")
  await create.locator("summary").first().click()
  await create.getByRole("button", { name: "Call", exact: true }).click()
  await create.locator("output.good").waitFor()
  const made: { readonly address: string } = JSON.parse(await create.locator("pre").textContent() ?? "")
  assert.match(made.address, /^0x[0-9a-fA-F]{40}$/)

  await page.locator("#find").fill("multisig")
  const left = await page.locator("details.operation:visible").count()
  assert.ok(left > 0 && left < count, "a search leaves some operations")
  await page.locator("#find").fill("")

  // Everything open: the forms, the fields and the errors of all operations.
  for (let depth = 0; depth < 3; depth++) {
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    await page.waitForTimeout(100)
  }
  assert.equal(await page.locator("details.operation form.call").count(), count)
  await look("api-open")

  await page.goto(`${url}/api#sendValue`)
  await page.reload()
  await page.waitForSelector("#sendValue[open] form.call")
}
