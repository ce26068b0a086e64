/** Whether a host name of a URL is this machine: the addresses that may be reached without https. */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.[0-9]{1,3}){3}$/.test(hostname)

/** Parses an address, or says what is wrong with it without any of the text, which may contain a secret. */
export const parse = (text: string): URL | string => {
  if (text === "") return "it is empty"
  // The URL parser would silently drop or convert these.
  if (/[\s\p{Cc}\p{Cs}\\]/u.test(text)) return "it contains whitespace, a backslash or a control character"
  if (!/^https?:\/\//i.test(text)) return "it does not begin with https:// or http://"
  if (!URL.canParse(text)) return "it is not a URL"
  return text.includes("#") ? "it contains a fragment" : new URL(text)
}
