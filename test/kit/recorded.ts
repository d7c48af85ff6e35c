/** Answers that are the same in every run, and readable, so that they can be recorded. */
import crypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { jest } from '@jest/globals';
import { atEnd } from './use.ts';

/** Until the end of the file, it is `now` for everybody who asks for the time, and what is random is counted. */
export function fixTimeAndChance(now: Date): void {
  jest.useFakeTimers({
    now,
    doNotFake: [
      ...(['nextTick', 'performance', 'queueMicrotask', 'hrtime', 'setImmediate', 'clearImmediate'] as const),
      ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
    ],
  });
  let made = 0;
  const octets = (length: number): Buffer => {
    made += 1;
    return createHash('shake256', { outputLength: length }).update(`${made}`).digest();
  };
  jest.spyOn(crypto, 'randomBytes').mockImplementation(octets);
  // IDs of the same millisecond are in the order in which they were made.
  jest.spyOn(globalThis.crypto, 'getRandomValues').mockImplementation((array) => {
    made += 1;
    if (array?.byteLength === 16) new DataView(array.buffer).setUint32(6, made);
    return array;
  });
  syncBuiltinESMExports();
  atEnd(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
    syncBuiltinESMExports();
  });
}

const WIDTH = 110;

/** JSON in lines of moderate length: what is short is on one line. */
export function readableJson(value: unknown, indent = ''): string {
  const short = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || short.length <= WIDTH) return short;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).flatMap(([key, one]) => {
    const name = isList ? '' : `${JSON.stringify(key)}: `;
    return one === undefined ? [] : [`${indent}  ${name}${readableJson(one, `${indent}  `)}`];
  });
  return `${isList ? '[' : '{'}\n${parts.join(',\n')}\n${indent}${isList ? ']' : '}'}`;
}

/** What a page says in its main part, a line for each block, with the targets of its links and forms. */
export function readablePage(markup: string): string {
  const main = /<main[^>]*>([\s\S]*)<\/main>/.exec(markup)?.[1] ?? markup;
  return main
    .replaceAll(/<(style|script|defs|dialog)\b[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<(?:a|form) [^>]*?\b(?:href|action)="([^"]*)"[^>]*>/g, ' [$1] ')
    .replaceAll(
      /<(?:input|option|textarea)\b[^>]*?\bvalue="([^"]*)"[^>]*?( checked| selected)?[^>]*>/g,
      ' ($1$2) ',
    )
    .replaceAll(
      /<\/?(?:p|li|ul|ol|h\d|tr|table|section|details|summary|dl|dt|article|div|figure|title|desc|form)\b[^>]*>/g,
      '\n',
    )
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ ?\n[ \n]*/g, '\n')
    .trim();
}

/** Random texts get names, the same one each time they occur. */
export function namer(pattern: RegExp): (text: string) => string {
  const names = new Map<string, string>();
  return (text) =>
    text.replaceAll(pattern, (found) => {
      const name = names.get(found) ?? `random-${names.size + 1}`;
      names.set(found, name);
      return name;
    });
}
