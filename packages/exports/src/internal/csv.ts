import { columns, type Row } from "../Row.js"

const risky = /^[=+\-@\t\r']/
const special = /[",\r\n]/

const field = (value: string | number | null): string => {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  const text = risky.test(value) ? `'${value}` : value
  // Quotes tell an empty text from `null`.
  return text === "" || special.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text
}

export const header = columns.join(",")

export const line = (row: Row): string => columns.map((column) => field(row[column])).join(",")

/** The first field of each record. Names of tokens may hold line ends and anything else, inside quotes. */
export const firstFields = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let quoted = false
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === "\"") quoted = !quoted
    else if (char === "\n" && !quoted) {
      found.push(text.slice(start, text.indexOf(",", start)))
      start = at + 1
    }
  }
  return found
}
