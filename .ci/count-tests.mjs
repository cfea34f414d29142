// Prints vitest's own count as one plain line and exits 1 where anything failed.
// usage: node count-tests.mjs REPORT.json FAILED_STEPS
import { readFileSync } from "node:fs";

const [reportFile = "", failedSteps = "0"] = process.argv.slice(2);

/** @returns {{ numPassedTests: number, numPendingTests: number, numTodoTests: number, success: boolean, testResults: any[] }} */
function readReport() {
  try {
    return JSON.parse(readFileSync(reportFile, "utf8"));
  } catch {
    // vitest ended before it wrote its report: that is one failure, not none.
    return {
      numPassedTests: 0,
      numPendingTests: 0,
      numTodoTests: 0,
      success: false,
      testResults: [],
    };
  }
}

const report = readReport();
const failedIn = (file) => file.assertionResults.filter(({ status }) => status === "failed").length;
// A file that cannot be loaded has no tests to count: it counts as one failure itself.
const counted = report.testResults.reduce(
  (sum, file) => sum + Math.max(failedIn(file), file.status === "failed" ? 1 : 0),
  0,
);
const failed = Math.max(counted, report.success ? 0 : 1);
const skipped = report.numPendingTests + report.numTodoTests;
process.stdout.write(
  `${report.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`,
);
process.exitCode = failed > 0 || Number(failedSteps) > 0 ? 1 : 0;
