/** Our packages as they are installed from a registry: their `dist`, with what they depend on beside them. */
import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { outside } from "../../packages/cli/scripts/outside.js"
import { bundleOf } from "../../scripts/bundleCommand.js"
import { packages, readJson, root } from "../../scripts/workspace.js"

interface Manifest {
  readonly name: string
  readonly type: string
  readonly exports: object
  readonly publishConfig?: { readonly exports?: object }
}

const linkAll = (from: string, to: string): void => {
  if (!existsSync(from)) return
  for (const name of readdirSync(from)) {
    if (name.startsWith(".") || name === "@effect-klaytn") continue
    if (name.startsWith("@")) {
      mkdirSync(join(to, name), { recursive: true })
      linkAll(join(from, name), join(to, name))
    } else if (!existsSync(join(to, name))) symlinkSync(realpathSync(join(from, name)), join(to, name))
  }
}

/** Installs all packages below a folder, from the build. The command is bundled as it is published, but not minified. */
export const installBuilt = async (folder: string): Promise<void> => {
  const modules = join(folder, "node_modules")
  for (const { dir, folder: name } of packages) {
    const to = join(modules, "@effect-klaytn", name)
    mkdirSync(to, { recursive: true })
    const { exports, publishConfig, ...manifest } = readJson<Manifest>(join(dir, "package.json"))
    writeFileSync(join(to, "package.json"), JSON.stringify({ ...manifest, exports: publishConfig?.exports ?? exports }))
    if (name !== "cli") cpSync(join(dir, "dist"), join(to, "dist"), { recursive: true })
    linkAll(join(dir, "node_modules"), modules)
  }
  await bundled("cli", { bin: "src/internal/command/bin.ts" }, outside)
  await bundled("sandbox", { command: "src/internal/command.ts" }, ["libsql", "tiny-secp256k1"])

  async function bundled(name: string, entries: Readonly<Record<string, string>>, external: ReadonlyArray<string>) {
    const { outputFiles } = await bundleOf(join(root, "packages", name), entries, external, true)
    const dist = join(modules, "@effect-klaytn", name, "dist")
    mkdirSync(dist, { recursive: true })
    for (const { contents, path } of outputFiles) writeFileSync(join(dist, basename(path)), contents)
  }
}
