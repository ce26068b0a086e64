/** Entry of `effect-klaytn-sandbox`: `klaytn sandbox` under its own name, bundled with the sandbox and installed with it. */
import manifest from "@effect-klaytn/sandbox/package.json" with { type: "json" }
import { start } from "../frame/terminal.js"
import { sandbox } from "../sandbox/sandboxCommands.js"

const name = "effect-klaytn-sandbox"
const spelled = (text: string): string => text.replaceAll("klaytn sandbox", name)
// `pnpm run` passes on the `--` that ends its own options.
const words = process.argv.slice(process.argv[2] === "--" ? 3 : 2)

if (words[0] === "--version") process.stdout.write(`${manifest.version}\n`)
else start({ commands: [sandbox], spelled }, words[0] === "--completions" ? words : ["sandbox", ...words])
