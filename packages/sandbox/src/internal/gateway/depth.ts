/** Whether JSON is nested more deeply than this, so that reading it could exhaust the stack. */
export const isDeeper = (json: string, most: number): boolean => {
  let depth = 0
  let isText = false
  for (let index = 0; index < json.length; index++) {
    const character = json.charCodeAt(index)
    if (character === quote) isText = !isText
    else if (isText) index += character === backslash ? 1 : 0
    else if (character === openBracket || character === openBrace) depth++
    else if (character === closeBracket || character === closeBrace) depth--
    if (depth > most) return true
  }
  return false
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** As deep as any body of the service or of the controls may be. */
export const deepestBody = 64
