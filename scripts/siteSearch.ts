/** Searches the built site as its search box does, for the words that newcomers type. */
import MiniSearch from "minisearch"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { boostDocument } from "../docs/.vitepress/search.js"

/** What is searched, and a page that has to be among the first three. */
const expected: ReadonlyArray<readonly [words: string, page: string]> = [
  ["getting started", "/guides/first-pipeline"],
  ["install", "/install"],
  ["docker", "/guides/containers"],
  ["hardhat", "/guides/dapp-tools"],
  ["jest", "/guides/test-runners"],
  ["parquet", "/guides/warehouse"],
  ["cron", "/guides/exports"],
  ["payout", "/guides/payouts"],
  ["gateway", "/guides/gateway"],
  ["wallet", "/guides/own-wallet"],
  ["retry", "/guides/retries"],
  ["metrics", "/guides/own-wallet"],
  ["TransferHistory", "/api/history/TransferHistory"]
]

/** The fields and weights of VitePress' search box. */
const options = {
  fields: ["title", "titles", "text"],
  storeFields: ["title", "titles"],
  searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 }, boostDocument }
}

/** What the search does not find in a built site. */
export const searchProblems = async (built: string): Promise<ReadonlyArray<string>> => {
  const chunks = join(built, "assets/chunks")
  const file = readdirSync(chunks).find((name) => name.startsWith("@localSearchIndexroot"))
  if (file === undefined) return ["the site has no search index"]
  const { default: index }: { readonly default: string } = await import(join(chunks, file))
  const search = MiniSearch.loadJSON(index, options)
  return expected.flatMap(([words, page]) => {
    const found: ReadonlyArray<string> = search.search(words).map(({ id }) => String(id))
    const first = [...new Set(found.map((id) => id.replace(/\.html|#.*$/g, "")))].slice(0, 3)
    // The reference comes first for its own names only.
    const isRight = first.some((id) => id.endsWith(page)) && first[0]?.includes("/api/") === page.includes("/api/")
    return isRight ? [] : [`searching "${words}" finds ${first.join(", ")}, not ${page}`]
  })
}
