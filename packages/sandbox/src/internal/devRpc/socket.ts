import * as socket from "../rpc/socket.js"
import { chainOfPath, type DevRpcParts } from "./app.js"
import { devRpcMethods } from "./methods.js"

/** Serves the chains over WebSocket, each at its own path. The caller has checked where a request comes from. */
export const make = ({ chains, controls, faults, settings, states }: DevRpcParts): ReturnType<typeof socket.make> =>
  socket.make({
    settings,
    target: (url) => {
      const chain = chainOfPath(chains, url)
      const state = chain === undefined ? undefined : states.get(chain.chainId)
      return chain === undefined || state === undefined ? undefined : {
        chain,
        find: devRpcMethods(state, controls),
        fault: (message) => faults.takeRpc(message, chain.chainId)
      }
    }
  })
