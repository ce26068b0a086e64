/**
 * Lines that ask a registry for a name of ours. As long as the packages are not published, those names are not ours: whoever
 * takes them would run code at everybody who copies the line. `klaytn` on npm is somebody else's at any time, so that a
 * command of ours is started by `npx --no-install`, which loads nothing. And lines that install a package of Effect without saying
 * which line.
 */
import { readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { filesBelow, readJson, root } from "./workspace.js"

/** The repository is set before the first release, and never removed. */
const isPublished = "repository" in readJson<object>(join(root, "package.json"))

const asksForPackage = [
  /\b(?:npm|pnpm|yarn|bun)\b[^\n`]* (?:i|install|add|exec|dlx|x|ci|update|create)\b[^\n`]*@effect-klaytn\//,
  /\b(?:npx|bunx|pnpx)\b[^\n`]*@effect-klaytn\//,
  /(?:\bnpm:|npmjs\.com\/[^\s)]*|(?:esm\.sh|unpkg\.com|jsdelivr\.net)\/[^\s)]*)@effect-klaytn\//
]
const asksForCommand =
  /\b(?:npx|bunx|pnpx)(?:"?,? "?-(?!-no-install\b)[^\s"]+)*"?,? "?(?:klaytn|effect-klaytn-sandbox)\b/
/** What is released as `latest` is of Effect 4. */
const withoutLine = /\b(?:npm|pnpm|yarn|bun)\b[^\n`]* (?:i|install|add) [^\n`]*@effect\/[a-z-]+(?![\w@/-])/
const tarball = /\.\.\/tarballs\/[a-z-]+\.tgz/

/** What is wrong with a text, by line. */
export const problemsOf = (
  text: string,
  published = isPublished
): ReadonlyArray<readonly [line: number, why: string]> =>
  // A line that ends with a backslash goes on; blanks keep the numbers of the lines.
  text.replaceAll(/\\\n/g, " ").split("\n").flatMap((line, i): ReadonlyArray<readonly [number, string]> => {
    if (asksForCommand.test(line)) {
      return [[i + 1, "begin the command with npx --no-install: the name on npm is not ours"]]
    }
    if (
      !published && asksForPackage.some((pattern) => pattern.test(line))
    ) {
      return [[i + 1, "asks a registry for a package that is not published: name ../tarballs/NAME.tgz"]]
    }
    if (withoutLine.test(line)) {
      return [[
        i + 1,
        "say which line of a package of Effect: @effect/NAME@0; without it, the package for Effect 4 is installed"
      ]]
    }
    return published && tarball.test(line) ? [[i + 1, "the packages are published: name @effect-klaytn/NAME"]] : []
  })

/** Every page, and everything that is shown: help, errors, docstrings, examples, the explorer's pages. */
const files = [".md", ".ts", ".mjs", ".js", ".html", ".vue", ".yml", ".yaml"].flatMap((ending) =>
  filesBelow(root, ending)
)
  .filter((file) =>
    !/\/(?:test|dtslint|\.vitepress\/(?:dist|cache)|docs\/(?:api|packages))\/|\/scripts\/registryNames/.test(file)
  )

export const registryFindings = (): ReadonlyArray<string> =>
  files.flatMap((file) =>
    problemsOf(readFileSync(file, "utf8")).map(([line, why]) => `${relative(root, file)}:${line}: ${why}`)
  )
