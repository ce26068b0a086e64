/** How the site looks and is found. `pnpm site` builds it: scripts/site.ts writes docs/api and docs/packages first. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type DefaultTheme, defineConfig } from "vitepress"
import { guides, moving, reference } from "../pages.js"
import { linkNames } from "./names.js"
import { boostDocument } from "./search.js"

const docs = fileURLToPath(new URL("..", import.meta.url))
// Where it is published, if anywhere: SITE_URL=https://host/path/. Without it, everything is relative to the root.
const published = process.env["SITE_URL"]
const base = published === undefined ? "/" : new URL(published).pathname

const below = (folder: string): ReadonlyArray<string> =>
  existsSync(join(docs, folder)) ? readdirSync(join(docs, folder)).sort() : []

const packages = below("packages")

const section = (text: string, items: ReadonlyArray<readonly [string, string]>): DefaultTheme.SidebarItem => ({
  text,
  items: items.map(([link, title]) => ({ text: title, link: `/${link}` }))
})

const main = [
  section("Guides", guides),
  section("Moving over", moving),
  section("Reference", reference),
  section("Packages", packages.map((name) => [`packages/${name}/`, `@effect-klaytn/${name}`]))
]

/** The modules of one package, with the other packages as links: no page carries the list of all modules. */
const modulesOf = (name: string): DefaultTheme.Sidebar => ({
  [`/api/${name}/`]: [
    section(
      `@effect-klaytn/${name}`,
      below(`api/${name}`).map((file) => file.replace(/\.md$/, "")).map((module) => [`api/${name}/${module}`, module])
    ),
    section("API", [["api/", "All packages"]])
  ]
})

export default defineConfig({
  title: "effect-klaytn",
  description:
    "A typed Effect SDK for a hosted Klaytn (Kaia) data and wallet service, and a sandbox that runs it offline",
  lang: "en",
  base,
  metaChunk: true,
  head: [["link", { rel: "icon", href: `${base}icon.svg`, type: "image/svg+xml" }]],
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-default" },
    config: (md) => {
      // The corner of a table is no heading of anything.
      const cell = (rule: "th_open" | "th_close", content: -1 | 1): void => {
        md.renderer.rules[rule] = (tokens, i, options, _, self) => {
          const token = tokens[i]
          if (token !== undefined && tokens[i + content]?.content === "") token.tag = "td"
          return self.renderToken(tokens, i, options)
        }
      }
      cell("th_open", 1)
      cell("th_close", -1)
      linkNames(md, JSON.parse(readFileSync(join(docs, "api/names.json"), "utf8")))
    }
  },
  vite: { build: { chunkSizeWarningLimit: 4000, reportCompressedSize: false } },
  themeConfig: {
    nav: [
      { text: "Install", link: "/install" },
      { text: "Guides", link: "/guides/first-pipeline", activeMatch: "/guides/" },
      { text: "Errors", link: "/errors" },
      { text: "API", link: "/api/", activeMatch: "/api/" },
      { text: "OpenAPI", link: "/openapi.json", target: "_blank" }
    ],
    sidebar: {
      ...Object.assign({}, ...below("api").filter((name) => !name.includes(".")).map(modulesOf)),
      "/api/": [section("API", [["api/", "All packages"]]), ...main],
      "/": main
    },
    outline: [2, 3],
    notFound: { linkLabel: "Take me home" },
    docFooter: { prev: "Before", next: "Next" },
    search: {
      provider: "local",
      options: {
        miniSearch: { searchOptions: { boostDocument } },
        // Code is not prose: an index of it is large, and finds every page for every word.
        _render: (source, env, md) => md.render(source.replaceAll(/^```[\s\S]*?^```$/gm, ""), env)
      }
    }
  }
})
