import { HistoryGroup } from "@effect-klaytn/history/HistoryApi"
import { TokenDirectoryGroup } from "@effect-klaytn/tokens/TokenDirectoryApi"
import { TokensGroup } from "@effect-klaytn/tokens/TokensApi"
import * as HttpApi from "@effect/platform/HttpApi"

/** Everything that the sandbox serves in the service's place, on one address. */
export class ServiceApi
  extends HttpApi.make("klaytn-service").add(HistoryGroup).add(TokensGroup).add(TokenDirectoryGroup)
{}
