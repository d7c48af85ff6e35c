/** Fuzzes reports and archives with up to 20,000 mutations. Each has an outcome, in little time and memory. */

import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { readFile, readMail } from '../../../shared/reports/read-mail.ts';
import { random } from '../../kit/random.ts';
import { attachment, mail, multipart, text } from './mail.ts';
import { recordText, reportText } from './report-text.ts';
import { TLS_REPORT } from './tls-report-text.ts';
import { zipFile } from './zip-file.ts';

const SEED = 20_261_121;
/** A slow machine runs fewer mutations in this time. */
const SECONDS = 4;
const MAX_MILLISECONDS = 5_000;
const MAX_GROWTH_BYTES = 512 * 2 ** 20;
const MAX_RUNS = 20_000;
/** With fewer runs, the shares of outcomes are not significant. */
const SIGNIFICANT_RUNS = 2_000;

const xml = Buffer.from(
  reportText({ records: [recordText(), recordText({ reasons: '<reason><type>other</type></reason>' })] }),
);
const gzip = gzipSync(xml);
const zip = zipFile([
  { name: 'a/report.xml', content: xml },
  { name: 'b.xml', content: xml, isStored: true },
]);
const json = Buffer.from(JSON.stringify(TLS_REPORT));
const message = mail(
  multipart([
    text('Hello'),
    attachment(gzip),
    attachment(zip),
    multipart([attachment(json, 'message/rfc822')], 'report', 'b2'),
  ]),
);
/** Long enough for the readers to wait within a part. */
const long = mail(multipart([text('x\r\n'.repeat(40_000)), attachment(gzip), text('y\r\n'.repeat(40_000))]));
const seeds: readonly (readonly [kind: 'file' | 'mail', bytes: Buffer])[] = [
  ['file', xml],
  ['file', xml],
  ['file', gzip],
  ['file', gzipSync(gzip)],
  ['file', deflateSync(xml)],
  ['file', deflateRawSync(xml)],
  ['file', zip],
  ['file', json],
  ['file', json],
  ['mail', message],
];
/** Inserted words: keywords of the formats, and numbers that are too large. */
const words = [
  '<',
  '>',
  '</',
  '<record>',
  '</record>',
  '<row>',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<!DOCTYPE',
  '<?',
  '&',
  '&#x110000;',
  '"',
  "'",
  '{',
  '[',
  '"',
  '\\u',
  '1e999',
  '-1',
  '\u0000',
  '\ufeff',
  'PK\u0003\u0004',
  'PK\u0005\u0006',
  '\u001f\u008b\u0008',
  '\r\n\r\n',
  '--b1',
  '--b1--',
  'Content-Type: message/rfc822\r\n\r\n',
  '\r\n--b1\r\n\r\n',
  '\u00ff\u00ff\u00ff\u00ff',
  '\u00fe\u00ff\u00ff\u00ff',
  '\u0000\u0000\u0000\u0000',
  '\u0003\u0000\u0000\u0000',
].map((word) => Buffer.from(word, 'latin1'));

function mutate(bytes: Buffer, below: (limit: number) => number): Buffer {
  let mutated: Buffer = Buffer.from(bytes);
  for (let times = 1 + below(4); times > 0 && mutated.length > 0; times--) {
    const at = below(mutated.length);
    const length = Math.min(1 + below(40), mutated.length - at);
    const word = words[below(words.length)] ?? Buffer.alloc(0);
    const [front, middle, back] = [
      mutated.subarray(0, at),
      mutated.subarray(at, at + length),
      mutated.subarray(at + length),
    ];
    const ways: readonly (() => Buffer)[] = [
      () => bad(mutated, at, below(256)),
      () => Buffer.concat([front, back]),
      () => Buffer.concat([front, middle, middle, back]),
      () => Buffer.concat([front, word, middle, back]),
      () => Buffer.concat([front, word, mutated.subarray(at + word.length)]),
      () => Buffer.concat([front, Buffer.concat(Array(1 + below(200)).fill(word)), back]),
      () => front,
      () => Buffer.concat([back, front]),
    ];
    mutated = ways[below(ways.length)]?.() ?? mutated;
  }
  return mutated;
}

function bad(bytes: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = value;
  return copy;
}

test(
  'no mutation crashes the readers, delays them or uses too much memory',
  async () => {
    const below = random(SEED);
    const start = performance.now();
    // Other tests ran in this process before, so only the increase counts.
    const before = process.memoryUsage().rss;
    const outcomes = new Map<string, number>();
    let [runs, slowest] = [0, 0];
    while (performance.now() - start < SECONDS * 1000 && runs < MAX_RUNS) {
      const isLong = below(50) === 0;
      const [kind, bytes] = isLong ? ['mail', long] : (seeds[below(seeds.length)] ?? ['file', xml]);
      const mutated = mutate(bytes, below);
      // A report that is compressed after the mutation has a valid checksum.
      const packed = bytes === xml && below(2) === 0 ? gzipSync(mutated) : mutated;
      const began = process.cpuUsage();
      const found = kind === 'mail' ? await readMail(packed) : await readFile('r', packed);
      const { user, system } = process.cpuUsage(began);
      slowest = Math.max(slowest, (user + system) / 1000);
      expect(found.length).toBeGreaterThan(0);
      for (const reading of found) {
        outcomes.set(reading.outcome, (outcomes.get(reading.outcome) ?? 0) + 1);
        if (reading.outcome !== 'dmarc') continue;
        const { messages, passed, failed } = reading.counts;
        expect(messages).toBe(passed + failed);
      }
      runs++;
    }
    expect(slowest).toBeLessThan(MAX_MILLISECONDS);
    expect(process.memoryUsage().rss - before).toBeLessThan(MAX_GROWTH_BYTES);
    // The mutations are neither so weak that all inputs are accepted, nor so strong that all are rejected.
    if (runs < SIGNIFICANT_RUNS) return;
    for (const outcome of ['dmarc', 'tls', 'unreadable', 'not-a-report'])
      expect(outcomes.get(outcome)).toBeGreaterThan(runs / 1_000);
  },
  SECONDS * 10_000,
);
