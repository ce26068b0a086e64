/**
 * Draws docs/terminal.svg: runs the commands below in a terminal (`script`, of util-linux) and draws what they print. Not part
 * of CI; run it when their output changes.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root, run } from "./workspace.js"

const commands = [
  "klaytn export --sandbox --out history.db",
  "klaytn export --out history.db --sandbox",
  "klaytn doctor --sandbox"
]

const place = mkdtempSync(join(tmpdir(), "effect-klaytn-terminal-"))
const lines: Array<readonly [string, "prompt" | "text" | "good"]> = []
for (const command of commands) {
  lines.push([`$ ${command}`, "prompt"])
  const klaytn = `node ${join(root, "packages/cli/scripts/klaytn.mjs")}`
  const { output } = await run("script", ["-qec", command.replace(/^klaytn/, klaytn), "/dev/null"], { cwd: place })
  // What stays of a line that is written over: the part after its last return to the beginning.
  for (const line of output.trimEnd().split(/\r?\n/)) {
    // oxlint-disable-next-line no-control-regex -- the escapes of a terminal
    const text = (line.trimEnd().split("\r").at(-1) ?? "").replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, "")
    if (text !== "" && !text.startsWith("npm warn")) {
      lines.push([text, /^(✓|complete|All)/.test(text) ? "good" : "text"])
    }
  }
}
rmSync(place, { recursive: true })

const [width, height] = [Math.max(...lines.map(([text]) => text.length)), lines.length]
const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
const colour = { prompt: "#8be9c0", text: "#d7dce2", good: "#9fd68a" } as const
const rows = lines.map(([text, kind], i) =>
  `<text x="16" y="${34 + i * 19}" fill="${colour[kind]}" xml:space="preserve">${escape(text)}</text>`
)
writeFileSync(
  join(root, "docs/terminal.svg"),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width * 7.85 + 32} ${
    height * 19 + 34
  }" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13">
<rect width="100%" height="100%" rx="8" fill="#14181d"/>
${rows.join("\n")}
</svg>
`
)
console.log(lines.map(([text]) => text).join("\n"))
