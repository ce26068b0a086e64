/**
 * A name of ours in code, such as `Range.time`, leads to its entry in the reference, and an error to what to do about it.
 */
import type { MarkdownRenderer } from "vitepress"

interface Module {
  readonly package: string
  readonly module: string
  readonly names: ReadonlyArray<string>
  readonly errors: ReadonlyArray<string>
}

const modulesOf = (modules: ReadonlyArray<Module>, page: string, name: string): ReadonlyArray<Module> => {
  const found = modules.filter(({ module }) => module === name)
  const own = found.filter((one) =>
    page.startsWith(`packages/${one.package}/`) || page.startsWith(`api/${one.package}/`)
  )
  return own.length > 0 ? own : found
}

const target = (modules: ReadonlyArray<Module>, page: string, text: string): string | undefined => {
  const [, name = "", member] = /^([A-Z]\w+)(?:\.(\w+))?(?:\(.*)?$/.exec(text) ?? []
  const candidates = modulesOf(modules, page, name)
  const errors = modules.filter((one) => one.package !== "sandbox" && one.errors.includes(name))
  if (member === undefined && errors.length > 0 && page !== "errors.md") return `/errors#${name.toLowerCase()}`
  const having = candidates.filter(({ names }) => member === undefined || names.includes(member))
  // What no module exports is a method of the service that a single module describes.
  const [one, another] = having.length > 0 ? having : candidates
  if (one === undefined || another !== undefined) return undefined
  return `/api/${one.package}/${one.module}${
    member === undefined || having.length === 0 ? "" : `#${member.toLowerCase()}`
  }`
}

export const linkNames = (md: MarkdownRenderer, modules: ReadonlyArray<Module>): void => {
  md.core.ruler.push("names", (state) => {
    const page = String(state.env.relativePath ?? "")
    for (const { children, type } of state.tokens) {
      if (type !== "inline" || children === null) continue
      let inLink = false
      const linked = children.flatMap((token) => {
        if (token.type === "link_open") inLink = true
        if (token.type === "link_close") inLink = false
        const link = token.type !== "code_inline" || inLink ? undefined : target(modules, page, token.content)
        if (link === undefined) return [token]
        const open = new state.Token("link_open", "a", 1)
        open.attrSet("href", link)
        return [open, token, new state.Token("link_close", "a", -1)]
      })
      children.splice(0, children.length, ...linked)
    }
  })
}
