import { writeSync } from 'node:fs';

/** Ends the run with one plain line that any CI can count. It follows jest's own summary, at the very end. */
export default class CountReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    process.once('exit', () =>
      writeSync(1, `\n${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`),
    );
  }
}
