/**
 * The address the command listens on: loopback and nothing else, because the sandbox holds private keys and its control
 * interface asks for no password.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { isIPv4, isIPv6 } from "node:net"
import { CommandFailure } from "./CommandFailure.js"

/**
 * Takes `localhost`, `127.0.0.0/8` and `::1`, with brackets or without; refuses the rest.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parse = (text: string): Either.Either<string, CommandFailure> => {
  const host = text.trim().toLowerCase().replace(/^\[(.*)\]$/, "$1")
  return host === "localhost" || (isIPv4(host) && host.startsWith("127.")) || isLoopback6(host)
    ? Either.right(host)
    : Either.left(
      new CommandFailure({
        message: `--host ${JSON.stringify(text)} is refused: the sandbox holds private keys and listens on loopback ` +
          "only. Use 127.0.0.1, ::1 or localhost.",
        exitCode: 2
      })
    )
}

const isLoopback6 = (host: string): boolean => isIPv6(host) && /^[0:]*:0*1$/.test(host)
