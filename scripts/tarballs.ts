/**
 * `pnpm tarballs FOLDER`: builds every package and packs it into a file of the folder, `NAME.tgz`, whose dependencies are the
 * files beside it, so that npm asks no registry for a name of ours. With names, such as `tarballs ../tarballs history`, it
 * prints the line that installs those with all that they need. `--registry` packs what is published instead.
 */
import { existsSync } from "node:fs"
import { relative, resolve } from "node:path"
import { closure, linked, packAll, published } from "./workspace.js"

const from = process.env["INIT_CWD"] ?? process.cwd()
const words = process.argv.slice(2).filter((word) => word !== "--registry")
const chosen = published.filter(({ folder, manifest }) => words.includes(folder) || words.includes(manifest.name))
const others = words.filter((word) => !chosen.some(({ folder, manifest }) => [folder, manifest.name].includes(word)))
const [folder = chosen.length > 0 ? "../tarballs" : undefined, unknown] = others
const isFolder = folder !== undefined && (/[/\\.]/.test(folder) || existsSync(resolve(from, folder)))
if (!isFolder || unknown !== undefined) {
  const wrong = unknown ?? folder
  console.error(
    wrong === undefined
      ? "tarballs needs a folder, such as ../tarballs"
      : `tarballs: there is no package and no folder ${wrong}; packages: ${
        published.map((one) => one.folder).join(", ")
      }`
  )
  process.exit(2)
}
const into = resolve(from, folder)
if (process.argv.includes("--registry")) {
  const packed = await packAll(into)
  console.log(`${packed.size} packages in ${into}, as they are published`)
} else {
  const files = await linked(into)
  const wanted = chosen.length > 0 ? [...new Set([...chosen, ...chosen.flatMap(closure)])] : published
  const peers = new Set(
    wanted.flatMap(({ manifest }) =>
      Object.keys(manifest.peerDependencies ?? {}).filter((name) =>
        manifest.peerDependenciesMeta?.[name]?.optional !== true
      )
    )
  )
  const majors = [...peers].filter((name) => !published.some(({ manifest }) => manifest.name === name))
    .map((name) => `${name}@${name === "effect" ? 3 : 0}`)
  const shown = (file: string): string =>
    folder.startsWith("..") ? `${folder.replace(/\/$/, "")}/${relative(into, file)}` : file
  const paths = wanted.map((one) => shown(files.get(one.folder) ?? ""))
  console.log(
    `${files.size} packages in ${into}. In ${folder.startsWith("..") ? "a folder beside this one" : "your project"}:\n`
  )
  console.log(`npm i ${[...paths, ...majors].join(" ")}`)
  if (chosen.length === 0) console.log(`\nFor some of them: npx -y pnpm@10.34.9 tarballs ${folder} history sandbox`)
}
