/** A node over HTTP on loopback. */
import { createServer } from "node:http"

/** Answers the body of each request, after `latency` milliseconds if there are any. Gives the port: by default one that is free. */
export const listen = (
  answer: (body: string) => string,
  { latency = 0, port = 0 }: { readonly latency?: number; readonly port?: number } = {}
): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      const parts: Array<Buffer> = []
      const respond = (): void => {
        response.setHeader("content-type", "application/json")
        response.end(answer(Buffer.concat(parts).toString()))
      }
      request.on("data", (part: Buffer) => parts.push(part))
      request.on("end", () => latency === 0 ? respond() : setTimeout(respond, latency))
    }).once("error", reject).listen(port, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : port)
    })
  })
