/** Files that the package publishes beside its code: the OpenAPI document, and the web pages with what they load. */
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/**
 * Where a file of the package is. The package looks itself up by name, because this code runs from `src`, from `dist` and
 * from the bundled command.
 */
const pathOf = (path: string): string =>
  join(dirname(createRequire(import.meta.url).resolve("@effect-klaytn/sandbox/package.json")), path)

/** The text of a file, by its path in the package. */
export const packageFile = (path: string): string => readFileSync(pathOf(path), "utf8")

const contentTypes = [
  [".html", "text/html; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".svg", "image/svg+xml"]
] as const

/** A file for a browser. */
export interface PageFile {
  readonly name: string
  readonly text: string
  readonly contentType: string
}

/** The files in a folder of `pages`. */
export const pageFiles = (folder: string): ReadonlyArray<PageFile> =>
  readdirSync(pathOf(`pages/${folder}`)).flatMap((name) => {
    const contentType = contentTypes.find(([ending]) => name.endsWith(ending))?.[1]
    return contentType === undefined ? [] : [{ name, text: packageFile(`pages/${folder}/${name}`), contentType }]
  })
