const markup: unique symbol = Symbol("markup")

/** Text that a browser may read as markup. Only {@link html} makes it. */
export interface Html {
  readonly [markup]: string
}

/** What a template takes. Whatever is not markup itself is escaped; `undefined` and `false` are nothing. */
export type Child = Html | string | number | bigint | false | undefined | ReadonlyArray<Child>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\"": "&quot;",
  "'": "&#39;"
}

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? "")

const isList = (child: Child): child is ReadonlyArray<Child> => Array.isArray(child)

const write = (child: Child): string => {
  if (child === undefined || child === false) return ""
  if (isList(child)) return child.map(write).join("")
  return typeof child === "object" ? child[markup] : escape(String(child))
}

/** Markup with values in it. Attributes must be in double quotes, and no value may stand in a script or a style. */
export const html = (strings: TemplateStringsArray, ...children: ReadonlyArray<Child>): Html => ({
  [markup]: strings.map((text, index) => `${text}${write(children[index])}`).join("")
})

/** The text to send. */
export const render = (page: Html): string => page[markup]
