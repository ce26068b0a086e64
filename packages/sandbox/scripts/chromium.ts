/** Finds a Chromium for the scripts that drive one. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

const find = (): string | undefined =>
  process.env["CHROMIUM"] ??
    names.flatMap((name) => (process.env["PATH"] ?? "").split(":").map((folder) => join(folder, name)))
      .find((file) => existsSync(file))

/** Installs Debian's, where one may. */
const install = (): void => {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  for (const args of [["update", "-q"], ["install", "-q", "-y", "--no-install-recommends", "chromium"]]) {
    spawnSync("apt-get", args, { stdio: "inherit", env })
  }
}

/** The program that `CHROMIUM` names, or else one of the system. Ends the process if there is none. */
export const executable = (command: string, options: { readonly mayInstall: boolean }): string => {
  if (find() === undefined && options.mayInstall) install()
  const found = find()
  if (found !== undefined && existsSync(found)) return found
  console.error(
    `${command} needs Chromium and found none. Install it (\`apt-get install chromium\`, \`brew install chromium\`), or set ` +
      "CHROMIUM to the program."
  )
  return process.exit(1)
}
