/**
 * Looks at every page of the explorer in a real browser: light and dark, desk and phone; follows links by keyboard,
 * watches a block arrive, and demands that axe finds nothing, that nothing is wider than the screen, that nothing is logged and that nothing is
 * loaded from outside. On the page `/api` it makes calls. Leaves screenshots in `.reports/explorer`; with `--picture` it also makes `docs/explorer.png`.
 *
 *     npx tsx packages/sandbox/scripts/checkExplorer.ts [--picture]
 *
 * It needs Chromium: the one that `CHROMIUM` names, or else `chromium` or `google-chrome` of the system.
 */
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import assert from "node:assert/strict"
import { mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import * as Sandbox from "../src/Sandbox.js"
import { fill } from "../test/support/explorerWorld.js"
import { axeFindings } from "./axe.js"
import { checkApiPage } from "./checkApiPage.js"
import * as chromiumOf from "./chromium.js"

const root = join(import.meta.dirname, "../../..")
const reports = join(root, ".reports/explorer")
const picture = join(root, "docs/explorer.png")
const largestPicture = 200_000
const largestPage = 50_000

const executablePath = chromiumOf.executable("check:explorer", { mayInstall: false })

const desk = { width: 1280, height: 860 }
const phone = { width: 360, height: 740 }

/** A page that complains: what it logs, what the policy blocks, what fails, and what it asks of other hosts. */
const open = async (browser: Browser, url: string, options: BrowserContextOptions) => {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const complaints: Array<string> = []
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      complaints.push(`${message.type()}: ${message.text()} ${message.location().url}`)
    }
  })
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`))
  page.on("requestfailed", (request) => {
    if (request.failure()?.errorText !== "net::ERR_ABORTED") complaints.push(`failed: ${request.url()}`)
  })
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) complaints.push(`asks outside: ${request.url()}`)
  })
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    dialog.dismiss().catch(() => {})
  })
  return { context, page, complaints }
}

/** What is wider than the screen. The browser's own code is text here: the repository is not typed for browsers. */
const tooWide = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate<ReadonlyArray<string>>(`(() => {
    const width = document.documentElement.clientWidth
    if (document.documentElement.scrollWidth <= width) return []
    return [...document.querySelectorAll("body *")]
      .filter((one) => one.getBoundingClientRect().right > width + 1)
      .slice(0, 3).map((one) => one.tagName + " " + one.className + " " + one.textContent.slice(0, 40))
  })()`)

/** The links to other pages that are not seen, as they are beyond the border of the screen. */
const unseen = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate<ReadonlyArray<string>>(`[...document.querySelectorAll(".pages a")].filter((one) => {
    const { left, right } = one.getBoundingClientRect()
    return left < 0 || right > document.documentElement.clientWidth
  }).map((one) => one.textContent)`)

/** Where the focus is: the address of a link, or the ID of anything else. */
const focusOf = (page: Page): Promise<string> =>
  page.evaluate<string>("document.activeElement.getAttribute('href') ?? document.activeElement.id")

const check = Effect.gen(function*() {
  const { accessKeyId, chains, url } = yield* Sandbox.Sandbox
  const world = yield* fill(1_200)
  const chain = chains.chain(1001)
  const paths: Readonly<Record<string, string>> = {
    overview: "/",
    mainnet: "/explorer/8217",
    blocks: "/explorer/1001/blocks",
    block: "/explorer/1001/blocks/20",
    transactions: "/explorer/1001/transactions",
    transaction: `/explorer/1001/transactions/${world.ratio}`,
    failed: `/explorer/1001/transactions/${world.failed}`,
    memo: `/explorer/1001/transactions/${world.memo}`,
    update: `/explorer/1001/transactions/${world.update}`,
    transfers: "/explorer/1001/transfers",
    tokens: "/explorer/1001/tokens",
    token: `/explorer/1001/tokens/${world.coffee}`,
    owners: `/explorer/1001/tokens/${world.generated.tokens.ft.address}?view=owners`,
    items: `/explorer/1001/tokens/${world.generated.tokens.nft.address}?view=items`,
    item: `/explorer/1001/tokens/${world.art}/1`,
    evil: `/explorer/1001/tokens/${world.evil}`,
    accounts: "/explorer/1001/accounts",
    account: `/explorer/1001/accounts/${world.alice}`,
    holdings: `/explorer/1001/accounts/${world.generated.busiest.address}?view=tokens`,
    keys: `/explorer/1001/accounts/${world.dave}`,
    wallet: "/explorer/1001/wallet",
    pool: "/explorer/1001/wallet/account-pool/default",
    requests: "/explorer/1001/requests",
    search: "/explorer/search?chain=1001&q=sandbox",
    missing: "/explorer/1001/blocks/999999"
  }
  return yield* Effect.promise(async () => {
    mkdirSync(reports, { recursive: true })
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
    const report: Array<Record<string, unknown>> = []
    const problems: Array<string> = []
    try {
      for (const colorScheme of ["light", "dark"] as const) {
        for (const [device, viewport] of Object.entries({ desk, phone })) {
          // Both colours and both sizes, in two of the four: axe takes a second on a page.
          const readsAloud = (colorScheme === "light") === (device === "desk")
          const { complaints, context, page } = await open(browser, url, { colorScheme, viewport })
          for (const [name, path] of Object.entries(paths)) {
            const started = performance.now()
            const answer = await page.goto(`${url}${path}`)
            const milliseconds = Math.round(performance.now() - started)
            assert.equal(answer?.status(), name === "missing" ? 404 : 200, path)
            assert.deepEqual(await tooWide(page), [], `${name} is wider than ${viewport.width} pixels`)
            assert.deepEqual(await unseen(page), [], `${name} shows not all links at ${viewport.width} pixels`)
            if (readsAloud) {
              for (const found of await axeFindings(page)) {
                problems.push(`axe: ${name}, ${device}, ${colorScheme}: ${found}`)
              }
            }
            assert.equal(await page.locator("h1").count(), 1, `${name} has one heading`)
            const bytes = (await answer?.body())?.length ?? 0
            if (device === "desk" && colorScheme === "light") report.push({ page: name, bytes, milliseconds })
            await page.screenshot({ path: join(reports, `${name}-${device}-${colorScheme}.png`) })
          }
          // The page that is missing asks again when it is renewed.
          const [expected, others] = Array.partition(complaints, (text) => !text.endsWith(` ${url}${paths["missing"]}`))
          assert.ok(expected.length > 0 && expected.every((text) => text.includes("404")), expected.join())
          assert.deepEqual(others, [], `${device}, ${colorScheme}`)
          await context.close()

          const api = await open(browser, url, { colorScheme, viewport })
          const known = { busiest: world.generated.busiest.address, accessKeyId }
          await checkApiPage(api.page, url, known, async (name) => {
            assert.deepEqual(await tooWide(api.page), [], `${name} is wider than ${viewport.width} pixels`)
            if (readsAloud) {
              for (const found of await axeFindings(api.page)) {
                problems.push(`axe: ${name}, ${device}, ${colorScheme}: ${found}`)
              }
            }
            await api.page.screenshot({ path: join(reports, `${name}-${device}-${colorScheme}.png`) })
          })
          assert.deepEqual(api.complaints.map((text) => /status of (\d+)/.exec(text)?.[1] ?? text), ["401"], "/api")
          await api.context.close()
        }
      }
      const parts = await Promise.all(
        ["/", "/explorer/style.css", "/explorer/script.js", "/explorer/icon.svg"].map(async (path) =>
          (await (await fetch(`${url}${path}`)).arrayBuffer()).byteLength
        )
      )
      const first = parts.reduce((sum, bytes) => sum + bytes)
      report.push({ figure: "first page in all", bytes: first })
      assert.ok(first < largestPage, `the first page has ${first} bytes`)

      const { complaints, context, page } = await open(browser, url, { viewport: desk })

      // By keyboard alone: skip link, search, rows, and a link.
      await page.goto(`${url}/explorer/1001/blocks`)
      await page.keyboard.press("Tab")
      assert.equal(await focusOf(page), "#content", "the first stop is the skip link")
      assert.ok(await page.locator(".skip").evaluate((one) => one.getBoundingClientRect().top >= 0), "and it is seen")
      await page.keyboard.press("Enter")
      await page.keyboard.press("j")
      await page.keyboard.press("j")
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("k")
      const second = await page.locator("main tbody tr:nth-child(2) a").first().getAttribute("href")
      assert.equal(await focusOf(page), second, "j, k and the arrows walk the rows")
      const outline = await page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle")
      assert.equal(outline, "solid", "the focus is visible")
      await Promise.all([page.waitForURL(`${url}${second}`), page.keyboard.press("Enter")])
      await page.keyboard.press("/")
      assert.equal(await focusOf(page), "q", "a slash leads to the search")
      await page.keyboard.type("alice")
      await Promise.all([page.waitForURL(`${url}/explorer/1001/accounts/${world.alice}`), page.keyboard.press("Enter")])

      // A block arrives while somebody looks, and the focus stays where it was.
      await page.goto(`${url}/`)
      await page.keyboard.press("j")
      const before = await focusOf(page)
      const head = await Effect.runPromise(chain.head)
      const arrival = performance.now()
      await Effect.runPromise(chain.fund(world.bob, 10n ** 18n))
      await page.waitForSelector(`main a[href="/explorer/1001/blocks/${head.number + 1}"]`, { timeout: 5_000 })
      report.push({ figure: "a block is seen", milliseconds: Math.round(performance.now() - arrival) })
      assert.equal(await focusOf(page), before, "the focus stays")
      assert.ok(await page.locator("tr.new").count() > 0, "what is new is marked")

      // Paused, it stays as it is.
      await page.keyboard.press("p")
      await Effect.runPromise(chain.fund(world.bob, 10n ** 18n))
      await page.waitForTimeout(2_500)
      assert.equal(await page.locator(`main a[href="/explorer/1001/blocks/${head.number + 2}"]`).count(), 0, "paused")
      await page.keyboard.press("p")
      await page.waitForSelector(`main a[href="/explorer/1001/blocks/${head.number + 2}"]`, { timeout: 5_000 })
      assert.deepEqual(complaints, [])
      await context.close()

      // Without a script everything is there but renewal.
      const plain = await open(browser, url, { viewport: desk, javaScriptEnabled: false })
      await plain.page.goto(`${url}/explorer/1001/transactions`)
      await plain.page.locator("a[rel=next]").click()
      assert.match(plain.page.url(), /before=/)
      assert.equal(await plain.page.locator("#live").isVisible(), false, "no button that does nothing")
      assert.deepEqual(plain.complaints, [])
      await plain.context.close()

      if (process.argv.includes("--picture")) {
        const shown = await open(browser, url, { viewport: { width: 1280, height: 920 }, colorScheme: "light" })
        await shown.page.goto(`${url}/`)
        mkdirSync(join(root, "docs"), { recursive: true })
        await shown.page.screenshot({ path: picture })
        await shown.context.close()
        const bytes = statSync(picture).size
        report.push({ figure: "docs/explorer.png", bytes })
        assert.ok(bytes <= largestPicture, `the picture has ${bytes} bytes`)
      }
    } finally {
      await browser.close()
    }
    for (const line of report) console.log(JSON.stringify(line))
    assert.deepEqual(problems, [])
  })
})

await Effect.runPromise(
  Effect.provide(check, Sandbox.layer({ seed: "explorer", clock: { start: 1_704_067_200, step: 2 } }))
)
