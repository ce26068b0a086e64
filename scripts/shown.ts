/**
 * Files that README.md shows. In front of a code block stands the name of a file in a comment: `npx tsx scripts/shown.ts`
 * writes the file into the block, and the check of conventions compares them. The pages of the site include the same files.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./workspace.js"

const block = /^<!-- (\S+) -->\n\n```(\w+)\n[\s\S]*?^```$/gm

/** The text of a page with the files that it shows, as they are now. */
const withFiles = (page: string): string =>
  page.replaceAll(
    block,
    (_, file: string, language: string) =>
      `<!-- ${file} -->\n\n\`\`\`${language}\n${readFileSync(join(root, file), "utf8")}\`\`\``
  )

const readme = join(root, "README.md")

/** A finding if README shows files as they were. */
export const notShown = (): ReadonlyArray<string> => {
  const page = readFileSync(readme, "utf8")
  return withFiles(page) === page ? [] : ["README.md: shows files as they were; run npx tsx scripts/shown.ts"]
}

if (process.argv[1]?.endsWith("shown.ts") === true) {
  writeFileSync(readme, withFiles(readFileSync(readme, "utf8")))
}
