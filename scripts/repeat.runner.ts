/** vitest's runner, which runs each test as often as TEST_REPEATS says. */
import type { RunnerTask, RunnerTestFile } from "vitest"
import { VitestTestRunner } from "vitest/runners"

const repeats = Number(process.env["TEST_REPEATS"] ?? 1) - 1

const repeat = (tasks: ReadonlyArray<RunnerTask>): void => {
  for (const task of tasks) {
    if (task.type === "suite") repeat(task.tasks)
    else task.repeats = repeats
  }
}

export default class extends VitestTestRunner {
  onCollected(files: Array<RunnerTestFile>): void {
    for (const file of files) repeat(file.tasks)
  }
}
