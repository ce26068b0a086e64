/** Reads CSV as RFC 4180 has it: quoted fields may hold commas, line ends, and quotes written twice. */

/** The rows, each with the number of its first line. Lines that are empty or only blank are left out. */
export const rows = (
  text: string
): ReadonlyArray<{ readonly line: number; readonly fields: ReadonlyArray<string> }> => {
  const all: Array<{ readonly line: number; readonly fields: ReadonlyArray<string> }> = []
  let fields: Array<string> = []
  let field = ""
  let isQuoted = false
  let line = 1
  let begun = 1
  const endRow = (): void => {
    if (fields.length > 0 || field.trim() !== "") all.push({ line: begun, fields: [...fields, field] })
    fields = []
    field = ""
  }
  const from = text.startsWith("\uFEFF") ? 1 : 0
  for (let at = from; at < text.length; at++) {
    const char = text[at] ?? ""
    if (isQuoted) {
      if (char === "\n") line++
      if (char !== "\"") field += char
      else if (text[at + 1] === "\"") {
        field += "\""
        at++
      } else isQuoted = false
    } else if (char === "\"" && field === "") isQuoted = true
    else if (char === ",") {
      fields.push(field)
      field = ""
    } else if (char === "\n") {
      line++
      endRow()
      begun = line
    } else if (char !== "\r" || text[at + 1] !== "\n") field += char
  }
  endRow()
  return all
}
