/** Adds a line behind each command that installs our packages, as long as they are not published. */
import type { MarkdownRenderer } from "vitepress"

const installs = /\bnpm (?:i|install)\b[^\n]*@effect-klaytn\//

/** `link` leads to what to do instead. */
export const noteUnpublished = (md: MarkdownRenderer, link: string): void => {
  const { fence } = md.renderer.rules
  if (fence === undefined) return
  md.renderer.rules["fence"] = (tokens, index, options, env, self) => {
    const code = fence(tokens, index, options, env, self)
    return installs.test(tokens[index]?.content.replaceAll("\\\n", " ") ?? "")
      ? `${code}<p class="unpublished">Not published yet: <a href="${link}">pack the packages from a clone</a>.</p>\n`
      : code
  }
}
