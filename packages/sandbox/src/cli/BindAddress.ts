/**
 * The address the command listens on: loopback and nothing else, because the sandbox holds private keys and its control
 * interface asks for no password.
 */
import * as Option from "effect/Option"
import { isIPv4, isIPv6 } from "node:net"

/**
 * Takes `localhost`, `127.0.0.0/8` and `::1`, with brackets or without; refuses the rest.
 *
 * @category constructors
 */
export const parse = (text: string): Option.Option<string> => {
  const host = text.trim().toLowerCase().replace(/^\[(.*)\]$/, "$1")
  return host === "localhost" || (isIPv4(host) && host.startsWith("127.")) || isLoopback6(host)
    ? Option.some(host)
    : Option.none()
}

const isLoopback6 = (host: string): boolean => isIPv6(host) && /^[0:]*:0*1$/.test(host)

/**
 * The message for any other address.
 *
 * @category constants
 */
export const refusal =
  "this address is refused: the sandbox holds private keys and listens on loopback only; --host takes 127.0.0.1, ::1 or " +
  "localhost"
