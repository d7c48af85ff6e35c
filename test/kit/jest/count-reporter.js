import { writeSync } from 'node:fs';

/**
 * Ends the run with one plain line that any CI can count. It follows jest's own summary, at the very end. A recording that no
 * test compares any more fails the run.
 */
export default class CountReporter {
  #unused = 0;

  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    this.#unused = results.snapshot.unchecked;
    const skipped = results.numPendingTests + results.numTodoTests;
    process.once('exit', () =>
      writeSync(1, `\n${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`),
    );
  }

  getLastError() {
    if (this.#unused > 0)
      return new Error(`${this.#unused} recordings are not used: remove them with npm run jest -- -u <file>`);
  }
}
