/** `pnpm bench:call` prints what one single call costs in objects, fibers, steps of fibers and timers: `callCounts.ts`, bundled. */
import { spawnSync } from "node:child_process"
import { bundleProgram } from "../scripts/bundleProgram.js"
import { serving } from "./serving.js"

const [server, ready] = await serving()
server.removeAllListeners("exit")
try {
  const program = await bundleProgram(new URL("callCounts.ts", import.meta.url))
  // Garbage must not be collected while bytes are counted.
  const { status } = spawnSync(process.execPath, ["--max-semi-space-size=256", "--min-semi-space-size=256", program], {
    stdio: "inherit",
    env: { ...process.env, NODE_NO_WARNINGS: "1", GUARD_SERVER: JSON.stringify(ready) }
  })
  process.exitCode = status ?? 1
} finally {
  server.kill()
}
