/**
 * What tests import as `@jest/globals`. A worker runs many files, and each gets globals of its own: modules that stay loaded
 * see them through these live bindings.
 */
export let [afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test] = [];

export function setGlobals(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } = globals);
}
