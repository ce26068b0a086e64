/** The modules of a file, and the packages of modules. */

/** The comment that esbuild leaves before each module of a bundle that is not minified. */
const comment = /^\/\/ (\S+\.(?:[cm]?js|ts|json))$/gm

/** A part of a file that is one module. */
export interface Part {
  readonly module: string
  readonly from: number
  readonly to: number
}

/** The modules of a file: itself, or those that were bundled into it. */
export const partsOf = (url: string, source: string): ReadonlyArray<Part> => {
  // Paths in a bundle begin at its package.
  const own = /^.*\/node_modules\/@effect-klaytn\/[a-z-]+\//.exec(url)?.[0] ?? ""
  const starts = [...source.matchAll(comment)].map(({ 1: path = "", index }) => ({
    module: path.startsWith("../") ? path : `${own}${path}`,
    from: index
  }))
  const all = starts.length === 0 ? [{ module: url, from: 0 }] : [{ module: "bundle", from: 0 }, ...starts]
  return all.map((part, i) => ({ ...part, to: all[i + 1]?.from ?? source.length }))
}

/** The package that a module belongs to. */
export const packageOf = (module: string): string => {
  const installed = module.split("node_modules/").at(-1) ?? ""
  const [first = "", second = ""] = installed.split("/")
  if (module.includes("node_modules/")) return first.startsWith("@") ? `${first}/${second}` : first
  const own = /(?:packages|\.\.)\/(?:dist\/)?([a-z-]+)\/(?:src|dist)\//.exec(module)?.[1]
  if (own !== undefined) return `@effect-klaytn/${own}`
  return "the program"
}

const mark = (module: string): string => `globalThis.markLoading?.(${JSON.stringify(module)});`

/** A source that says when each of its modules begins, and when the last one ends. */
export const marked = (url: string, source: string): string => {
  const parts = partsOf(url, source)
  const text = parts.map(({ from, module, to }, i) => {
    const part = source.slice(from, to)
    const shebang = i === 0 ? /^#!.*\n/.exec(part)?.[0] ?? "" : ""
    return `${shebang}${mark(module)}${part.slice(shebang.length).startsWith("//") ? "\n" : ""}${
      part.slice(shebang.length)
    }`
  })
  return `${text.join("")}\n${mark("")}`
}
