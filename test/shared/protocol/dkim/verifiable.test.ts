import { describe, expect, test } from '@jest/globals';
import { verifiable } from '../../../../shared/protocol/dkim/verifiable.ts';

const verified = (text: string) => verifiable(Buffer.from(text, 'latin1'))?.toString('latin1');

describe('a message that may be verified', () => {
  test.each([
    ['is as it came', 'From: a@b.test\r\n\r\nbody\r\n', 'From: a@b.test\r\n\r\nbody\r\n'],
    ['has its bare line feeds mended', '\nFrom: a\n\r\n\nx\r\ry\n', '\r\nFrom: a\r\n\r\n\r\nx\r\ry\r\n'],
    ['may be empty', '', ''],
  ])('%s', (_what, text, expected) => {
    expect(verified(text)).toBe(expected);
  });

  test.each([
    ['header', 65_536, (n: number) => `X: ${'x'.repeat(n - 3)}\r\n\r\n`],
    ['line', 262_144, (n: number) => `\r\n\r\n${'x'.repeat(n)}\r\n`],
    ['last line', 262_144, (n: number) => `\r\n\r\n${'x'.repeat(n)}`],
    ['run of white space in the header', 1_000, (n: number) => `X: x${' '.repeat(n)}x\r\n\r\n`],
    ['number of signatures', 20, (n: number) => 'DKIM-Signature: x\r\n'.repeat(n)],
  ])('has a bounded %s', (what, limit, message) => {
    const fits = what.includes('line') ? limit - 1 : limit;
    expect(verified(message(fits))).toBeDefined();
    expect(verified(message(limit + 1))).toBeUndefined();
  });
});

describe('the time for a hostile message is bounded', () => {
  test.each([
    ['line feeds', '\n'.repeat(20_000_000)],
    ['white space', `\r\n\r\n${' '.repeat(20_000_000)}`],
    ['folds', `X:${'\r\n '.repeat(5_000_000)}`],
    ['fields', 'A: b\r\n'.repeat(3_000_000)],
  ])('of many %s', (_what, text) => {
    const started = performance.now();
    verified(text);
    expect(performance.now() - started).toBeLessThan(15_000);
  });
});
