/**
 * The figure `decoding` of `bench:guard`. A process of its own: what V8 learns of the decoders here would change how it compiles
 * the figures that call the service.
 */
import { decodings } from "../decodings.js"
import { measure } from "./measured.js"

// V8 compiles decoders again after garbage is collected, so nothing is collected between the slices.
await measure("decoding", () => decodings.reduce((done, { sdk }) => done + sdk(), 0), { warmUps: 3, collectAt: 0 })
