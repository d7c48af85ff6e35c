import { describe } from '@jest/globals';

/** Tests that need what this machine may lack; CI lacks nothing. They are skipped with the reason, if there is one. */
export function describeWith(missing: string | undefined, title: string, tests: () => void): void {
  if (missing === undefined) describe(title, tests);
  else describe.skip(`${title} (skipped: ${missing})`, tests);
}
