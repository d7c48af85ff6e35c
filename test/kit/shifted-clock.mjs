/**
 * For tests: a process that loads this with `--import` has a clock that is ahead by the milliseconds in the file that
 * CLOCK_FILE names. The file is read again when a tenth of a second has passed.
 */
import { readFileSync } from 'node:fs';

const OriginalDate = Date;
let [readAt, ahead] = [Number.NEGATIVE_INFINITY, 0];

function now() {
  if (performance.now() - readAt > 100) {
    readAt = performance.now();
    ahead = Number(readFileSync(process.env.CLOCK_FILE ?? '', 'utf8'));
  }
  return OriginalDate.now() + ahead;
}

globalThis.Date = class extends OriginalDate {
  constructor(...given) {
    if (given.length === 0) super(now());
    else super(...given);
  }

  static now() {
    return now();
  }
};
