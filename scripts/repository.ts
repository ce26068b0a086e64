/**
 * Where the repository is published, and what every manifest says of it. The address is set in one place: `repository` of
 * the `package.json` at the root, as a URL such as `https://host/owner/name`. `npx tsx scripts/repository.ts` writes it into
 * the manifests; with `--required` it fails while there is none, since a publish with provenance has to name it.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { packages, readJson, root } from "./workspace.js"

type Json = Readonly<Record<string, unknown>>

const { repository: address } = readJson<{ readonly repository?: string }>(join(root, "package.json"))

/** What the manifest of a package says, or should not say while there is no address. */
const fieldsOf = (folder: string): Json =>
  address === undefined ? {} : {
    homepage: `${address}/tree/main/packages/${folder}#readme`,
    bugs: { url: `${address}/issues` },
    repository: { type: "git", url: `git+${address}.git`, directory: `packages/${folder}` }
  }

const names = ["homepage", "bugs", "repository"]

/** The manifest with its fields behind `license`. */
const withFields = (manifest: Json, folder: string): Json =>
  Object.fromEntries(
    Object.entries(manifest).filter(([name]) => !names.includes(name)).flatMap(([name, value]) =>
      name === "license" ? [[name, value], ...Object.entries(fieldsOf(folder))] : [[name, value]]
    )
  )

const text = (manifest: Json): string => `${JSON.stringify(manifest, null, 2)}\n`

/** The manifests that say something else of the repository than the root does. */
export const differing = (): ReadonlyArray<string> =>
  packages.flatMap(({ dir, folder }) => {
    const manifest = readJson<Json>(join(dir, "package.json"))
    return text(manifest) === text(withFields(manifest, folder))
      ? []
      : [`packages/${folder}/package.json: its repository differs from the root's: run npx tsx scripts/repository.ts`]
  })

if (process.argv[1] === import.meta.filename) {
  if (address === undefined && process.argv.includes("--required")) {
    console.log("package.json: `repository` is not set, so nothing can be published with provenance; set its URL there")
    process.exit(1)
  }
  for (const { dir, folder } of packages) {
    const file = join(dir, "package.json")
    writeFileSync(file, text(withFields(readJson<Json>(file), folder)))
  }
}
