/**
 * Module hooks that note when each module is evaluated. A bundle's modules are told apart by the comments that esbuild leaves
 * before each. `preload.ts` registers these hooks.
 */
import { marked } from "./modules.js"

interface Loaded {
  readonly format: string
  readonly source?: string | ArrayBuffer | NodeJS.TypedArray
}

/** A hook of Node: the source of a module, with marks. */
export const load = async (
  url: string,
  context: object,
  next: (url: string, context: object) => Promise<Loaded>
): Promise<Loaded> => {
  const loaded = await next(url, context)
  if (loaded.format !== "module" || loaded.source === undefined || !url.startsWith("file:")) return loaded
  const { source } = loaded
  return { ...loaded, source: marked(url, typeof source === "string" ? source : new TextDecoder().decode(source)) }
}
