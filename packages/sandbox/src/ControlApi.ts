/**
 * The contract of the control interface, which the sandbox serves under `/_sandbox/` beside the service. It needs no
 * credential, since it listens on loopback only. Requests that a web page could send (with an `Origin`, from another
 * site by their `Sec-Fetch-Site`, or with a foreign host name) are refused with 403.
 *
 * **Details**
 *
 * Bodies are JSON. Amounts and token IDs are decimal strings. A failure is `{"_tag", "message"}` with a status from
 * `ControlError`, and has changed nothing.
 *
 * **Example** (a block, from a shell)
 *
 * ```sh
 * curl -X POST http://127.0.0.1:40001/_sandbox/chains/1001/mine
 * curl http://127.0.0.1:40001/_sandbox/chains/1001/fund -d '{"to": "alice", "amount": "1000000000000000000"}'
 * ```
 */
import * as Chain from "@effect-klaytn/core/Chain"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as Failure from "./ControlError.js"
import * as Input from "./ControlInput.js"
import * as View from "./ControlView.js"
import { ActiveFault, Fault } from "./Fault.js"
import { RequestRecord } from "./RequestRecord.js"

/**
 * The prefix of all paths of the interface.
 *
 * @category constants
 */
export const prefix = "/_sandbox"

const onChain = Schema.Struct({ chainId: Chain.FromString })
const onToken = Schema.Struct({ chainId: Chain.FromString, contract: Input.ContractRef })
const numbered = Schema.NumberFromString.pipe(Schema.int(), Schema.nonNegative())
const numberedOnChain = Schema.Struct({ chainId: Chain.FromString, id: numbered })

/**
 * Blocks, accounts, coin, tokens, presets and pools of a chain.
 *
 * @category groups
 */
export class ChainGroup extends HttpApiGroup.make("chain")
  .add(HttpApiEndpoint.get("state", "/").setPath(onChain).addSuccess(View.ChainState))
  .add(HttpApiEndpoint.get("accounts", "/accounts").setPath(onChain).addSuccess(Schema.Array(View.NamedAccount)))
  .add(
    HttpApiEndpoint.post("createAccount", "/accounts").setPath(onChain).setPayload(Input.CreateAccount)
      .addSuccess(View.NamedAccount).addError(Failure.NotFound).addError(Failure.TransactionFailed)
  )
  .add(
    HttpApiEndpoint.post("fund", "/fund").setPath(onChain).setPayload(Input.Fund)
      .addSuccess(View.Executed).addError(Failure.NotFound).addError(Failure.TransactionFailed)
  )
  .add(
    HttpApiEndpoint.post("transfer", "/transfer").setPath(onChain).setPayload(Input.Transfer)
      .addSuccess(View.Executed).addError(Failure.NotFound).addError(Failure.TransactionFailed)
  )
  .add(
    HttpApiEndpoint.post("deploy", "/tokens").setPath(onChain).setPayload(Input.Deploy)
      .addSuccess(View.Token).addError(Failure.NotFound).addError(Failure.TransactionFailed)
  )
  .add(
    HttpApiEndpoint.post("mint", "/tokens/:contract/mint").setPath(onToken).setPayload(Input.Mint)
      .addSuccess(View.Executed).addError(Failure.NotFound).addError(Failure.TransactionFailed)
  )
  .add(
    HttpApiEndpoint.post("transferToken", "/tokens/:contract/transfer").setPath(onToken)
      .setPayload(Input.TokenTransfer)
      .addSuccess(View.Executed).addError(Failure.NotFound).addError(Failure.TransactionFailed)
  )
  .add(
    HttpApiEndpoint.post("mine", "/mine").setPath(onChain)
      .setUrlParams(Schema.Struct({ blocks: Schema.optional(numbered) })).addSuccess(Schema.Array(View.MinedBlock))
  )
  .add(
    HttpApiEndpoint.post("advanceTime", "/time").setPath(onChain)
      .setPayload(Schema.Struct({ seconds: Schema.NonNegativeInt })).addSuccess(View.ChainState)
  )
  .add(
    HttpApiEndpoint.post("snapshot", "/snapshots").setPath(onChain)
      .addSuccess(Schema.Struct({ snapshot: Schema.Int }))
  )
  .add(
    HttpApiEndpoint.post("revert", "/snapshots/:id/revert").setPath(numberedOnChain).addSuccess(View.ChainState)
      .addError(Failure.NotFound)
  )
  .add(HttpApiEndpoint.del("emptyPool", "/pool").setPath(onChain).addSuccess(View.EmptiedPool))
  .add(
    HttpApiEndpoint.post("setNextBaseFee", "/base-fee").setPath(onChain).setPayload(Input.NextBaseFee)
      .addSuccess(View.ChainState)
  )
  .add(
    HttpApiEndpoint.post("reorg", "/reorg").setPath(onChain).setPayload(Input.Reorg).addSuccess(View.ChainState)
  )
  .add(HttpApiEndpoint.get("dropped", "/dropped").setPath(onChain).addSuccess(Schema.Array(View.Dropped)))
  .add(HttpApiEndpoint.post("reset", "/reset").setPath(onChain).addSuccess(View.ChainState))
  .add(HttpApiEndpoint.get("presets", "/presets").setPath(onChain).addSuccess(Schema.Array(View.Preset)))
  .add(
    HttpApiEndpoint.post("createPreset", "/presets").setPath(onChain).setPayload(Input.CreatePreset)
      .addSuccess(View.Preset).addError(Failure.NotFound)
  )
  .add(HttpApiEndpoint.get("labels", "/labels").setPath(onChain).addSuccess(Schema.Array(View.Label)))
  .add(
    HttpApiEndpoint.put("setLabel", "/labels/:contract").setPath(onToken).setPayload(Input.SetLabel)
      .addSuccess(View.Label).addError(Failure.NotFound)
  )
  .add(HttpApiEndpoint.del("deleteLabel", "/labels/:contract").setPath(onToken).addError(Failure.NotFound))
  .add(HttpApiEndpoint.del("deletePreset", "/presets/:id").setPath(numberedOnChain).addError(Failure.NotFound))
  .add(HttpApiEndpoint.get("pools", "/pools").setPath(onChain).addSuccess(Schema.Array(View.Pool)))
  .add(
    HttpApiEndpoint.post("createPool", "/pools").setPath(onChain).setPayload(Input.CreatePool).addSuccess(View.Pool)
  )
  .add(HttpApiEndpoint.get("globalFeePayer", "/fee-payer").setPath(onChain).addSuccess(View.GlobalFeePayer))
  .addError(Failure.InvalidControl)
  .addError(Failure.ControlFault)
  .addError(Failure.NotLocal)
  .prefix(`${prefix}/chains/:chainId`)
{}

/**
 * Controls of the sandbox as a whole.
 *
 * @category groups
 */
export class SandboxGroup extends HttpApiGroup.make("sandbox", { topLevel: true })
  .add(
    HttpApiEndpoint.get("health", "/health").addSuccess(View.Health).addError(Failure.ServiceDown)
      .addError(Failure.ChainStuck)
  )
  .add(HttpApiEndpoint.get("deviations", "/deviations").addSuccess(Schema.Array(View.Deviation)))
  .add(HttpApiEndpoint.get("credentials", "/credentials").addSuccess(Schema.Array(View.Credential)))
  .add(
    HttpApiEndpoint.post("createCredential", "/credentials").addSuccess(View.NewCredential)
      .addError(Failure.TooManyCredentials)
  )
  .add(
    HttpApiEndpoint.del("deleteCredential", "/credentials/:accessKeyId")
      .setPath(Schema.Struct({ accessKeyId: Schema.String })).addError(Failure.NotFound)
  )
  .add(
    HttpApiEndpoint.get("requests", "/requests")
      .setUrlParams(Schema.Struct({
        operation: Schema.optional(Schema.String),
        method: Schema.optional(Schema.String),
        status: Schema.optional(numbered),
        chainId: Schema.optional(Chain.FromString),
        before: Schema.optional(numbered),
        limit: Schema.optional(numbered)
      }))
      .addSuccess(Schema.Array(RequestRecord))
  )
  .add(HttpApiEndpoint.del("clearRequests", "/requests"))
  .add(HttpApiEndpoint.get("faults", "/faults").addSuccess(Schema.Array(ActiveFault)))
  .add(HttpApiEndpoint.post("addFault", "/faults").setPayload(Fault).addSuccess(ActiveFault))
  .add(
    HttpApiEndpoint.del("deleteFault", "/faults/:id").setPath(Schema.Struct({ id: numbered }))
      .addError(Failure.NotFound)
  )
  .add(HttpApiEndpoint.del("clearFaults", "/faults"))
  .addError(Failure.InvalidControl)
  .addError(Failure.ControlFault)
  .addError(Failure.NotLocal)
  .prefix(prefix)
{}

/**
 * The control interface.
 *
 * @category apis
 */
export class ControlApi extends HttpApi.make("sandbox-control").add(SandboxGroup).add(ChainGroup) {}
