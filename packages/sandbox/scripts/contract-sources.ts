/** The Solidity sources of the sandbox's contracts, and the hash that ties the generated artifacts to them. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, posix } from "node:path"

/** Where our own sources stand, by the start of the path under which the compiler knows them. */
const own = {
  "sandbox/": new URL("../contracts/", import.meta.url),
  "drills/": new URL("../../../drills/sandbox/contracts/", import.meta.url)
}
const published = dirname(createRequire(import.meta.url).resolve("@kaiachain/contracts/package.json"))
const packagePrefix = "@kaiachain/contracts/"

/** A contract to compile: source path as the compiler knows it, and contract name. */
export interface ContractEntry {
  readonly name: string
  readonly path: string
}

/** The contracts of the sandbox itself. */
export const contractEntries: ReadonlyArray<ContractEntry> = [
  { name: "OpenKIP7", path: "sandbox/OpenKIP7.sol" },
  { name: "OpenKIP17", path: "sandbox/OpenKIP17.sol" },
  { name: "OpenKIP37", path: "sandbox/OpenKIP37.sol" },
  { name: "KIP7PresetMinterPauser", path: `${packagePrefix}KIP/token/KIP7/presets/KIP7PresetMinterPauser.sol` },
  {
    name: "KIP17PresetMinterPauserAutoId",
    path: `${packagePrefix}KIP/token/KIP17/presets/KIP17PresetMinterPauserAutoId.sol`
  },
  { name: "KIP37PresetMinterPauser", path: `${packagePrefix}KIP/token/KIP37/presets/KIP37PresetMinterPauser.sol` }
]

/** Our contracts of the genesis block. */
export const predeployEntries: ReadonlyArray<ContractEntry> = [
  { name: "WrappedKlay", path: "sandbox/WrappedKlay.sol" }
]

/** The contracts of the drills. */
export const drillEntries: ReadonlyArray<ContractEntry> = [
  ...predeployEntries,
  { name: "WrapRouter", path: "drills/WrapRouter.sol" },
  { name: "FeeToken", path: "drills/FeeToken.sol" },
  ...["LateToken", "LateProxy"].map((name) => ({ name, path: "drills/LateProxy.sol" })),
  ...["LyingToken", "LyingCats", "LyingItems"].map((name) => ({ name, path: "drills/Liars.sol" })),
  ...["Cats", "Items", "Keeper"].map((name) => ({ name, path: "drills/Honest.sol" }))
]

/** Compiler settings: part of the hash. */
export const settings = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: "cancun",
  metadata: { bytecodeHash: "none" },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } }
}

const read = (path: string): string =>
  path.startsWith(packagePrefix)
    ? readFileSync(`${published}/${path.slice(packagePrefix.length)}`, "utf8")
    : readFileSync(new URL(posix.basename(path), own[path.startsWith("drills/") ? "drills/" : "sandbox/"]), "utf8")

const imports = (path: string, content: string): Array<string> =>
  [...content.matchAll(/^import\s+(?:[^"';]*\s+from\s+)?["']([^"']+)["']/gm)].map((match) => {
    const target = match[1] ?? ""
    return target.startsWith(".") ? posix.normalize(posix.join(posix.dirname(path), target)) : target
  })

/** Every source reachable from the entries, by path, in path order. */
export const collectSources = (entries: ReadonlyArray<ContractEntry>): Map<string, string> => {
  const found = new Map<string, string>()
  const visit = (path: string): void => {
    if (found.has(path)) return
    const content = read(path)
    found.set(path, content)
    for (const target of imports(path, content)) visit(target)
  }
  for (const { path } of entries) visit(path)
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** SHA-256 over paths, contents and settings. */
export const sourceHash = (sources: ReadonlyMap<string, string>): string => {
  const hash = createHash("sha256").update(JSON.stringify(settings))
  for (const [path, content] of sources) hash.update(`\n${path}\n`).update(content)
  return `0x${hash.digest("hex")}`
}
