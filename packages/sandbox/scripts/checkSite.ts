/**
 * Looks at the built site in a real browser, on a desk in light and on a phone in dark: demands that axe finds nothing, that nothing
 * is wider than the screen, that commands are seen whole, and that the search shows guides first. With `--all` it looks at every page, otherwise at one page of each kind.
 *
 *     npx tsx packages/sandbox/scripts/checkSite.ts [--all]
 *
 * It needs what `pnpm site` builds, and Chromium, see `chromium.ts`.
 */
import assert from "node:assert/strict"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { extname, join } from "node:path"
import { type Browser, chromium } from "playwright-core"
import { axeFindings } from "./axe.js"
import { executable } from "./chromium.js"

const built = join(import.meta.dirname, "../../../docs/.vitepress/dist")
assert.ok(existsSync(built), "there is no built site: npx -y pnpm@10.34.9 site")

const kinds = [
  "index",
  "install",
  "errors",
  "versions",
  "figures",
  "404",
  "guides/first-pipeline",
  "guides/payouts",
  "moving/viem",
  "decisions/index",
  "packages/cli/index",
  "packages/node/METHODS",
  "api/index",
  "api/core/Amount",
  "api/wallet/Wallet"
]
const everything = readdirSync(built, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".html")).map((file) => file.replace(/\.html$/, "")).sort()
const pages = process.argv.includes("--all") ? everything : kinds
assert.deepEqual(pages.filter((page) => !everything.includes(page)), [], "a page of a kind is no longer built")

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json"
}
const server = createServer(({ url = "/" }, response) => {
  const path = decodeURIComponent(url.split("?", 1)[0] ?? "/")
  const file = join(built, path.endsWith("/") ? `${path}index.html` : extname(path) === "" ? `${path}.html` : path)
  if (!existsSync(file)) return void response.writeHead(404).end()
  response.writeHead(200, { "content-type": types[extname(file)] ?? "text/plain" }).end(readFileSync(file))
})
const url = await new Promise<string>((resolve) => {
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`)
  })
})

/** VitePress shows a key in its search button, whose name is "Search". */
const everywhere = ["label-content-name-mismatch"]

/** What axe finds in pages that are VitePress' own: the search box, and the page of an address that there is not. */
const ofVitePress = [...everywhere, "nested-interactive", "landmark-one-main", "region"]

let problems = 0
const report = (problem: string): void => {
  problems += 1
  console.log(problem)
}

const lookAt = async (browser: Browser, colorScheme: "light" | "dark", width: number): Promise<void> => {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 860 } })
  const page = await context.newPage()
  const where = (name: string) => `${name}, ${width} pixels, ${colorScheme}`
  page.on("pageerror", ({ message }) => report(`${where(page.url())}: ${message}`))
  for (const name of pages) {
    await page.goto(`${url}/${name}.html`, { waitUntil: "load" })
    const findings = await axeFindings(page, name === "404" ? ofVitePress : everywhere)
    for (const found of findings) report(`axe: ${where(name)}: ${found}`)
    const isWide = await page.evaluate<boolean>(
      "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    )
    if (isWide) report(`${where(name)}: wider than the screen`)
    const hidden = await page.evaluate<number>(
      `[...document.querySelectorAll(".language-sh pre")].filter((one) => one.scrollWidth > one.clientWidth).length`
    )
    if (hidden > 0) report(`${where(name)}: parts of ${hidden} blocks of commands are out of sight`)
  }
  await page.goto(`${url}/`)
  await page.locator("#local-search button").click()
  await page.locator("#localsearch-input").fill("payout")
  await page.waitForSelector(".VPLocalSearchBox .result")
  for (const found of await axeFindings(page, ofVitePress)) report(`axe: ${where("the search")}: ${found}`)
  const first = await page.locator(".VPLocalSearchBox .result").first().getAttribute("href")
  if (first?.includes("/guides/payouts") !== true) {
    report(`${where("the search")}: "payout" finds ${first} first`)
  }
  await context.close()
}

const browser = await chromium.launch({
  executablePath: executable("check:site", { mayInstall: false }),
  args: ["--no-sandbox"]
})
try {
  await lookAt(browser, "light", 1280)
  await lookAt(browser, "dark", 390)
} finally {
  await browser.close()
  server.close()
}
console.log(`${pages.length} pages in two ways, ${problems} problems`)
process.exit(problems === 0 ? 0 : 1)
