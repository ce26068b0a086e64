/** `pnpm tarballs FOLDER`: builds and packs all packages into a folder, and prints the line that installs them. */
import { resolve } from "node:path"
import { packAll } from "./workspace.js"

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error("tarballs needs a folder, such as ../tarballs")
  process.exit(2)
}
const into = resolve(process.env["INIT_CWD"] ?? process.cwd(), folder)
const packed = await packAll(into)
console.log(`${packed.size} packages in ${into}. In your project:\n`)
console.log(`npm i ${into}/effect-klaytn-*.tgz effect@3 @effect/platform@0`)
