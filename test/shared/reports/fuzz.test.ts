/** Reports and archives, bent in every way by the ten thousand: an outcome each time, quickly and in little memory. */
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { readFile, readMail } from '../../../shared/reports/read-mail.ts';
import { attachment, mail, multipart, text } from './mail.ts';
import { outlookFile } from './outlook-file.ts';
import { recordText, reportText } from './report-text.ts';
import { inner, tnefFile, unicode } from './tnef-file.ts';
import { zipFile } from './zip-file.ts';

const SEED = 20_261_121;
/** A slow machine gets through fewer. */
const SECONDS = 20;
const SLOWEST = 2_000;
const MEMORY = 512 * 2 ** 20;
const ENOUGH = 20_000;
/** So few that shares of outcomes mean nothing. */
const TELLING = 2_000;

/** A linear congruential generator: the same bends in every run. */
function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const xml = Buffer.from(
  reportText({ records: [recordText(), recordText({ reasons: '<reason><type>other</type></reason>' })] }),
);
const gzip = gzipSync(xml);
const zip = zipFile([
  { name: 'a/report.xml', content: xml },
  { name: 'b.xml', content: xml, isStored: true },
]);
const json = Buffer.from(
  JSON.stringify({
    'organization-name': 'Reporter',
    'date-range': { 'start-datetime': '2023-11-15T00:00:00Z', 'end-datetime': '2023-11-15T23:59:59Z' },
    'contact-info': 'a@b.example',
    'report-id': 't-1',
    policies: [
      {
        policy: {
          'policy-type': 'sts',
          'policy-string': ['a'],
          'policy-domain': 'a.example',
          'mx-host': ['b'],
        },
        summary: { 'total-successful-session-count': 1, 'total-failure-session-count': 1 },
        'failure-details': [{ 'result-type': 'x', 'failed-session-count': 1 }],
      },
    ],
  }),
);
const outlook = outlookFile({
  body: 'Hello',
  attachments: [
    { name: 'report.xml.gz', bytes: gzip },
    {
      message: {
        attachments: [{ name: 'large.xml', bytes: Buffer.concat([xml, Buffer.alloc(5_000, 0x20)]) }],
      },
    },
  ],
});
const tnef = tnefFile({
  attachments: [{ title: 'a.gz', bytes: gzip }, { properties: [unicode(0x3707, 'a'), inner(tnefFile({}))] }],
});
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
  ['file', zip],
  ['file', json],
  ['file', json],
  ['file', outlook],
  ['file', outlook],
  ['file', tnef],
  ['mail', message],
];
/** What is put in somewhere: the words of the formats, and numbers that are too large. */
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

function bend(bytes: Buffer, below: (limit: number) => number): Buffer {
  let bent: Buffer = Buffer.from(bytes);
  for (let times = 1 + below(4); times > 0 && bent.length > 0; times--) {
    const at = below(bent.length);
    const length = Math.min(1 + below(40), bent.length - at);
    const word = words[below(words.length)] ?? Buffer.alloc(0);
    const [front, middle, back] = [
      bent.subarray(0, at),
      bent.subarray(at, at + length),
      bent.subarray(at + length),
    ];
    const ways: readonly (() => Buffer)[] = [
      () => bad(bent, at, below(256)),
      () => Buffer.concat([front, back]),
      () => Buffer.concat([front, middle, middle, back]),
      () => Buffer.concat([front, word, middle, back]),
      () => Buffer.concat([front, word, bent.subarray(at + word.length)]),
      () => Buffer.concat([front, Buffer.concat(Array(1 + below(200)).fill(word)), back]),
      () => front,
      () => Buffer.concat([back, front]),
    ];
    bent = ways[below(ways.length)]?.() ?? bent;
  }
  return bent;
}

function bad(bytes: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = value;
  return copy;
}

test(
  'Nothing that is bent crashes the readers, holds them up or fills the memory',
  async () => {
    const below = random(SEED);
    const start = performance.now();
    // The process has run other tests before, and other processes run beside it: what counts is what is spent here.
    const before = process.memoryUsage().rss;
    const outcomes = new Map<string, number>();
    let [runs, slowest] = [0, 0];
    while (performance.now() - start < SECONDS * 1000 && runs < ENOUGH) {
      const isLong = below(50) === 0;
      const [kind, bytes] = isLong ? ['mail', long] : (seeds[below(seeds.length)] ?? ['file', xml]);
      const bent = bend(bytes, below);
      // A packed report that is bent inside gets past the checksum.
      const packed = bytes === xml && below(2) === 0 ? gzipSync(bent) : bent;
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
    expect(slowest).toBeLessThan(SLOWEST);
    expect(process.memoryUsage().rss - before).toBeLessThan(MEMORY);
    // The bends are neither so weak that all is read nor so strong that nothing is.
    if (runs < TELLING) return;
    for (const outcome of ['dmarc', 'tls', 'unreadable', 'not-a-report'])
      expect(outcomes.get(outcome)).toBeGreaterThan(runs / 1_000);
  },
  SECONDS * 10_000,
);
