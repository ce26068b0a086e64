const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.[0-9]{1,3}){3}$/.test(hostname)

/**
 * Parses a base address. A problem is reported without any of the text, which may contain a password.
 *
 * @internal
 */
export const parseBaseUrl = (
  text: string
): { readonly url: string; readonly problem?: never } | { readonly problem: string; readonly url?: never } => {
  if (text === "") return { problem: "it is empty" }
  // The URL parser would silently drop or convert these.
  if (/[\s\p{Cc}\p{Cs}\\]/u.test(text)) return { problem: "it contains a blank, a backslash or a control character" }
  if (!/^https?:\/\//i.test(text)) return { problem: "it does not begin with https://" }
  if (!URL.canParse(text)) return { problem: "it is not a URL" }
  const url = new URL(text)
  if (url.username !== "" || url.password !== "") return { problem: "it contains a user name or a password" }
  if (text.includes("?")) return { problem: "it contains a query" }
  if (text.includes("#")) return { problem: "it contains a fragment" }
  if (url.protocol !== "https:" && !isLoopback(url.hostname)) {
    return { problem: "it is not https, which only localhost, 127.0.0.0/8 and [::1] may do without" }
  }
  return { url: `${url.origin}${url.pathname.replace(/\/+$/, "")}` }
}
