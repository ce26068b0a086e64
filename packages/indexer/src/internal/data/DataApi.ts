import * as OperationApi from "@effect-klaytn/core/OperationApi"
import * as HistoryApi from "@effect-klaytn/history/HistoryApi"
import * as TokenDirectoryApi from "@effect-klaytn/tokens/TokenDirectoryApi"
import * as TokensApi from "@effect-klaytn/tokens/TokensApi"
import * as HttpApi from "@effect/platform/HttpApi"

/** The data interfaces that the sandbox serves on one address. */
export class DataApi extends HttpApi.make("klaytn-service")
  .add(OperationApi.group("history", HistoryApi))
  .add(OperationApi.group("tokens", TokensApi))
  .add(OperationApi.group("token-directory", TokenDirectoryApi))
{}
