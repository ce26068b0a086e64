/** What axe finds on a page that somebody can't see, read aloud or reach by keyboard. */
import axe from "axe-core"
import type { Page } from "playwright-core"

/** Without some rules. Each finding as its rule and the first places. The browser's own code is text here: the repository is not typed for browsers. */
export const axeFindings = async (page: Page, except: ReadonlyArray<string> = []): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  return page.evaluate<ReadonlyArray<string>>(
    `axe.run({ preload: false, rules: ${
      JSON.stringify(Object.fromEntries(except.map((rule) => [rule, { enabled: false }])))
    } }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 2).map(({ html }) => html.slice(0, 120)).join(" | ")))`
  )
}
