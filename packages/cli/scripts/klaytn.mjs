/**
 * `pnpm klaytn`: runs the bundled command in this process, bundled first if its sources changed. The sandbox and the
 * gateway of this workspace are TypeScript, which Node reads with the help of tsx.
 */
import { join } from "node:path"
import { freshBundle } from "../../../scripts/freshBundle.mjs"

freshBundle(join(import.meta.dirname, ".."))
if (["gateway", "sandbox", "--sandbox"].some((word) => process.argv.includes(word))) {
  ;(await import("tsx/esm/api")).register()
}
await import(new URL("../dist/bin.mjs", import.meta.url).href)
