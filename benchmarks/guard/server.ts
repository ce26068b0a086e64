/** The server that the programs of `bench:guard` call. */
import * as Schema from "effect/Schema"
import { Ready } from "../Ready.js"

export const server = Schema.decodeUnknownSync(Schema.parseJson(Ready))(process.env["GUARD_SERVER"])
